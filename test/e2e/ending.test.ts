import { type ChildProcess, spawn } from 'node:child_process';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { spawn as spawnAtTerminal } from '@lydell/node-pty';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../verifies.ts';
import { allGone, type Place, place, processesOf } from './product.ts';
import { runStart, START } from './running.ts';

const CLONE = join(dirname(START), '..');

let at: Place;
beforeEach(() => {
  at = place();
});
afterEach(async () => {
  await allGone(at.stateDir);
  at.remove();
});

const environment = () => ({
  ...process.env,
  PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
  HERDR_MCP_STATE_DIR: at.stateDir,
  HERDR_SOCKET_PATH: join(at.repository, 'nobody.sock'),
});
const npmArgs = () => ['start', '--', at.repository];

/** Resolves with what was said once the product runs; rejects with what was said when it ended before. */
function running(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.once('exit', () => reject(new Error(said)));
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        said += text;
        if (said.includes('Ctrl-C ends everything.')) resolve(said);
      });
    }
  });
}

describe('npm start ends with whoever started it', () => {
  it.each(['SIGTERM', 'SIGHUP'] as const)('%s ends everything in order', async (signal) => {
    verifies('main.start');
    const started = runStart(at, [], { HERDR_SOCKET_PATH: join(at.repository, 'nobody.sock') });
    await started.ready;
    started.process.kill(signal);
    expect(await started.ended).toBe(0);
    expect(started.said()).toContain('Ending everything ...');
    expect(processesOf(at.stateDir)).toEqual([]);
  });

  it.each(['SIGTERM', 'SIGHUP', 'SIGKILL'] as const)(
    '%s to npm alone, which is started in the background of a script, leaves nothing',
    async (signal) => {
      verifies('main.start');
      const npm = spawn('npm', npmArgs(), { cwd: CLONE, env: environment(), stdio: ['ignore', 'pipe', 'pipe'] });
      await running(npm);
      npm.kill(signal);
      await allGone(at.stateDir);
    },
  );

  it('SIGINT to npm in the background of a shell, where commands begin with SIGINT ignored, leaves nothing', async () => {
    verifies('main.start');
    const shell = spawn('sh', ['-c', 'npm "$@" & echo "npm=$!"; wait', 'sh', ...npmArgs()], {
      cwd: CLONE,
      env: environment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const npm = Number(/npm=(\d+)/.exec(await running(shell))?.[1]);
    process.kill(npm, 'SIGINT');
    await allGone(at.stateDir);
  });

  it('a terminal that is closed takes everything with it', async () => {
    verifies('main.start');
    const terminal = spawnAtTerminal('npm', npmArgs(), { cwd: CLONE, env: environment() });
    let shown = '';
    await new Promise<void>((resolve) => {
      terminal.onData((piece) => {
        shown += piece;
        if (shown.includes('Ctrl-C ends everything.')) resolve();
      });
    });
    (terminal as unknown as { destroy(): void }).destroy();
    await allGone(at.stateDir);
  });

  it('a kill outright leaves nothing either, whatever a client holds open at the edge', async () => {
    verifies('main.start');
    const started = runStart(at, [], { HERDR_SOCKET_PATH: join(at.repository, 'nobody.sock') });
    await started.ready;
    const port = Number(/MCP URL +http:\/\/127\.0\.0\.1:(\d+)/.exec(started.said())?.[1]);
    // A request that is not over keeps a workerd that was asked to end: until its client goes, the port is held and serves nobody.
    const client = connect(port, '127.0.0.1').on('error', () => undefined);
    client.write(`POST /register HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-length: 1000\r\n\r\n{`);
    await new Promise((resolve) => setTimeout(resolve, 300));
    started.process.kill('SIGKILL');
    await allGone(at.stateDir);
    client.destroy();
  });
});
