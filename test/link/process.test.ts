import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { readLinkStatus, requestRetry } from '../../link/index.ts';
import { statePaths } from '../../local/paths/index.ts';
import { verifies } from '../verifies.ts';
import { at } from './support/each.ts';
import { text } from './support/fake-runtime.ts';
import { LinkProcess } from './support/link-process.ts';
import { until, Workstation } from './support/workstation.ts';

const started: LinkProcess[] = [];
function run(more: string[] = [], env: Record<string, string> = {}): LinkProcess {
  const process = new LinkProcess(at.stateDir, more, env);
  started.push(process);
  return process;
}
afterEach(() => {
  for (const process of started.splice(0)) process.kill();
});

/** The status file; the line on stdout may come before its first writing. */
const shown = (): string => {
  const file = statePaths(at.stateDir).linkStatus;
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};

describe('the link process', () => {
  it('prints one line when a round trip succeeded, shows its state, and ends on SIGTERM', async () => {
    verifies('link.connect', 'link.liveness');
    const link = run();
    expect(await link.connected()).toMatchObject({
      event: 'connected',
      edge_origin: at.edge.origin,
      pid: link.child.pid,
    });
    await until(() => shown().includes('"connected"'));
    const report = await readLinkStatus(at.stateDir);
    expect(report).toMatchObject({
      running: true,
      held_by: { pid: link.child.pid },
      status: { state: 'connected', edge_version: 'fake', runtime: { boot_id: at.runtime.bootId } },
    });
    link.child.kill('SIGTERM');
    expect(await link.ended()).toBe(0);
    expect(at.socket().of('drain')).toHaveLength(1);
    await until(() => at.socket().closed?.code === 1000);
    expect(await readLinkStatus(at.stateDir)).toMatchObject({ running: false, status: { state: 'stopped' } });
    expect(link.out.trim().split('\n')).toHaveLength(1);
  });

  it('never shows its key, its tokens or the runtime token', async () => {
    const link = run();
    await link.connected();
    at.edge.cut();
    await until(() => at.edge.sockets.length === 2);
    link.child.kill('SIGTERM');
    await link.ended();
    const shown = link.out + link.err + readFileSync(statePaths(at.stateDir).linkStatus, 'utf8');
    const runtimeToken = readFileSync(statePaths(at.stateDir).runtimeToken, 'utf8').trim();
    for (const secret of [...at.edge.tokens, runtimeToken, JSON.parse(at.key.secretText()).d as string]) {
      expect(shown).not.toContain(secret);
    }
  });

  it('is one a state folder: a second says who runs and ends', async () => {
    const first = run();
    await first.connected();
    const second = run();
    expect(await second.ended()).toBe(2);
    expect(second.err).toContain(`already runs as process ${first.child.pid}`);
    expect(at.edge.sockets).toHaveLength(1);
  });

  it.each(['--help', '--nonsense', '--state-dir'])('says how it is started when it is given %s', async (argument) => {
    const link = run([argument]);
    expect(await link.ended()).toBe(2);
    expect(link.err).toBe('usage: herdr-link [--state-dir DIR] [--parent-pid N]\n');
  });

  it('says what to do on a machine that is not paired', async () => {
    const other = await new Workstation().prepare();
    const link = new LinkProcess(`${other.stateDir}/empty`);
    started.push(link);
    expect(await link.ended()).toBe(2);
    expect(link.err).toContain('not paired');
    expect(link.err).toContain('herdr-mcp worker connect');
    expect(link.err.trim().split('\n')).toHaveLength(1);
    await other.stop();
  });

  it('ends when the edge revokes the device, and says so for good', async () => {
    verifies('link.close-codes');
    const link = run();
    await link.connected();
    at.socket().socket.close(4401, 'revoked by its owner');
    expect(await link.ended()).toBe(3);
    const { status } = await readLinkStatus(at.stateDir);
    expect(status).toMatchObject({ state: 'revoked' });
    expect(status?.why).toContain('revoked by its owner');
  });

  it('ends with the process that started it', async () => {
    const parent = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)']);
    const link = run(['--parent-pid', String(parent.pid)]);
    await link.connected();
    parent.kill('SIGKILL');
    expect(await link.ended()).toBe(0);
  });

  it('drains: what runs is answered, what comes later is told so', async () => {
    let release = (): void => {};
    at.runtime.tool = async () => {
      await new Promise<void>((resolve) => (release = resolve));
      return text('late');
    };
    const link = run();
    await link.connected();
    const socket = at.socket();
    const running = socket.call({ class: 'write' });
    await until(() => at.runtime.ran.length === 1);
    link.child.kill('SIGTERM');
    await until(() => socket.of('drain').length === 1);
    const refused = socket.call();
    await until(() => socket.results.has(refused));
    expect(socket.results.get(refused)?.envelope).toMatchObject({
      code: 'workstation_draining',
      delivery: 'not_delivered',
    });
    release();
    expect(await link.ended()).toBe(0);
    expect(socket.results.get(running)?.body).toEqual(text('late'));
  });

  it('finds running and finished calls again after it was killed', async () => {
    verifies('link.restart', 'dispatch.survives-cut');
    let release = (): void => {};
    at.runtime.tool = async ({ args }) => {
      if (args['slow'] === true) await new Promise<void>((resolve) => (release = resolve));
      return text(`ran ${at.runtime.ran.length}`);
    };
    const first = run();
    await first.connected();
    at.edge.acknowledge = false;
    const before = at.socket();
    const finished = before.call({ class: 'write' });
    await until(() => before.results.has(finished));
    const running = before.call({ class: 'write' }, { slow: true });
    await until(() => at.runtime.ran.length === 2);
    first.child.kill('SIGKILL');
    await first.ended();
    at.edge.acknowledge = true;
    at.edge.onHello = (hello) => at.edge.welcome(hello, { awaited: [running] });
    const second = run();
    await second.connected();
    const after = at.socket();
    expect(after.of('hello')[0]?.holds).toEqual(
      expect.arrayContaining([
        { dispatch_id: finished, state: 'finished' },
        { dispatch_id: running, state: 'running' },
      ]),
    );
    release();
    await until(() => after.results.has(finished) && after.results.has(running));
    expect(after.results.get(finished)?.body).toEqual(before.results.get(finished)?.body);
    expect(at.runtime.ran).toHaveLength(2);
  });

  it('comes back at once on command after it was replaced', async () => {
    verifies('link.close-codes');
    const link = run();
    await link.connected();
    at.socket().socket.close(4409, 'a newer link of this device took over');
    await until(() => shown().includes('"parked"'));
    const { status } = await readLinkStatus(at.stateDir);
    expect(status?.why).toContain('a newer link of this device took over');
    expect(at.edge.sockets).toHaveLength(1);
    expect(requestRetry(at.stateDir)).toBe(true);
    await until(() => at.edge.sockets.length === 2);
  });
});
