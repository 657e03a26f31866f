/** The whole product as `npm start` runs it, in a process of its own, with a wire in front of the edge that can be cut. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ensurePrivateDir } from '../../local/files/index.ts';
import { run } from '../../local/spawn/index.ts';
import { build, DIST } from '../../scripts/build/index.ts';
import { startEdge } from '../../scripts/start/edge.ts';
import { anyFreePort } from '../../scripts/start/ports.ts';
import { openWire } from '../chaos/wire.ts';
import { runStart } from '../e2e/running.ts';
import { otherBuild } from '../support/other-build.ts';
import { LARGE_LINES, SLOTS } from './limits.ts';

export interface SoakStage {
  /** Everything of this run lies below it. */
  home: string;
  stateDir: string;
  edgeDir: string;
  repository: string;
  /** Label of the workspace on it. */
  workspace: string;
  mcpUrl: string;
  /** Cuts the link's socket; how many there were. */
  cut(): number;
  /** Stages another revision and moves to it. Rejects with the command's own words. */
  promote(n: number): Promise<void>;
  /** Resolves with what was said when the product ended by itself. */
  ended: Promise<string>;
  /** Ctrl-C, and waits for the end of the command. */
  stop(): Promise<void>;
  remove(): void;
}

/** Starts it. Rejects with what it said when it does not come up; nothing is left then. */
export async function openSoakStage(): Promise<SoakStage> {
  await build({});
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'hm-soak-')));
  const stateDir = join(home, 's');
  const edgeDir = ensurePrivateDir(join(home, 'e'));
  const repository = await newRepository(home);
  const port = await anyFreePort();
  const wire = await openWire(port);
  const edge = await startEdge({ stateDir: edgeDir, port, publicOrigin: wire.origin });
  const running = runStart(
    { stateDir, repository, remove: () => undefined },
    [repository, '--edge', wire.origin],
    { HERDR_SOCKET_PATH: join(home, 'nobody.sock') },
    `${edge.operatorSecret}\n`,
  );
  const stop = async () => {
    running.process.kill('SIGINT');
    await running.ended;
    await edge.workerd.close();
    await wire.close();
  };
  const remove = () => rmSync(home, { recursive: true, force: true });
  try {
    await running.ready;
  } catch (error) {
    await stop();
    remove();
    throw error;
  }
  const env = { ...process.env, HERDR_MCP_STATE_DIR: stateDir, HERDR_MCP_SECRETS: 'file' };
  const command = (...args: string[]) =>
    promisify(execFile)(process.execPath, [join(DIST, 'herdr-mcp.js'), 'runtime', ...args], { env });
  const { mcp_url: mcpUrl } = JSON.parse(readFileSync(join(stateDir, 'device.json'), 'utf8')) as { mcp_url: string };
  return {
    ...{ home, stateDir, edgeDir, repository, workspace: 'project', mcpUrl },
    cut: () => wire.cutLink(),
    promote: async (n) => {
      const folder = otherBuild(home, `revision-${n}`);
      await command('stage', folder);
      rmSync(folder, { recursive: true }); // the staged revision is a copy
      await command('promote');
    },
    ended: running.ended.then((code) => `npm start ended with ${code}: ${running.said().slice(-500)}`),
    stop,
    remove,
  };
}

/** A repository with what the calls read, and the files that they write. */
async function newRepository(home: string): Promise<string> {
  const repository = join(home, 'project');
  await run('git', ['init', '-q', '-b', 'main', repository]);
  const put = (name: string, text: string) => writeFileSync(join(repository, name), text);
  put('sample.txt', 'The quick brown fox jumps over it.\n'.repeat(43));
  put('large.txt', `${'\\'.repeat(4095)}\n`.repeat(LARGE_LINES));
  put('patched.txt', 'top\n');
  put('lines.txt', '');
  for (let slot = 0; slot < SLOTS; slot++) put(`slot-${slot}.txt`, 'nothing yet\n');
  await run('git', ['-C', repository, 'add', '.']);
  await run('git', ['-C', repository, '-c', 'user.name=s', '-c', 'user.email=s@localhost', 'commit', '-qm', 'Begin']);
  return repository;
}
