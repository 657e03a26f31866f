/** A runtime that is killed while a caller waits for a command: the call is told, and the command is found by it. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { program } from '../../support/program.ts';
import { verifies } from '../../verifies.ts';
import {
  callOver,
  envelopeFor,
  fakeHerdr,
  newId,
  pane,
  snapshotOf,
  tempFolder,
  testRuntime,
  until,
  workspace,
} from '../support/index.ts';

const MAIN = await program('runtime');

it('names the session of a command whose caller was waiting, and never runs it again', async () => {
  verifies('runtime.ledger', 'exec.survives-runtime', 'runtime.audit');
  const folder = tempFolder();
  const project = join(folder.path, 'project');
  const stateDir = join(folder.path, 'state');
  mkdirSync(project);
  execFileSync('git', ['init', '-q', project]);
  const herdr = await fakeHerdr({
    'session.snapshot': () =>
      snapshotOf({ workspaces: [workspace('w1')], panes: [pane('w1:p1', { cwd: project, foreground_cwd: project })] }),
  });
  const args = ['--port', '0', '--generation', 'a', '--state-dir', stateDir, '--herdr-socket', herdr.path];
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await herdr.stop();
    folder.remove();
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const { port } = JSON.parse(line.toString()) as { port: number };
  const token = readFileSync(join(stateDir, 'runtime-token'), 'utf8').trim();
  const send = (path: string, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers: { authorization: `Bearer ${token}` } });
  const gate = join(project, 'gate');
  const exec = {
    workspace: 'w1',
    command: `echo begun >>log; until [ -e ${gate} ]; do [ -d ${project} ] || exit 9; sleep 0.05; done; echo done >>log; exit 5`,
    idempotency_key: 'build',
  };
  const waiting = callOver(send, envelopeFor('herdr_exec', exec, { dispatch_id: newId() }), exec);
  const died = expect(waiting).rejects.toThrow();
  await until('the command runs', () => log(project) === 'begun\n');
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await Promise.all([gone, died]);

  const next = await testRuntime({ stateDir, herdrSocket: herdr.path });
  onTestFinished(() => next.end());
  const { json } = await next.call('herdr_exec', exec);
  expect(json).toMatchObject({ code: 'interrupted', delivery: 'delivered', running: true, idempotent_replay: true });
  expect(json['next']).toContain(String(json['session_id']));
  const status = await next.call('herdr_call', {
    method: 'herdr_mcp.dispatch.status',
    params: '{"idempotency_key":"build"}',
  });
  expect(status.json['dispatch']).toMatchObject({ state: 'interrupted', session_id: json['session_id'] });
  writeFileSync(gate, '');
  const read = async () => (await next.call('herdr_exec_read', { session_id: json['session_id'] })).json;
  await until('its end', async () => (await read())['running'] === false);
  expect(await read()).toMatchObject({ exit_code: 5 });
  expect(log(project)).toBe('begun\ndone\n');
}, 120_000);

function log(project: string): string | undefined {
  try {
    return readFileSync(join(project, 'log'), 'utf8');
  } catch {
    return undefined; // not begun yet
  }
}
