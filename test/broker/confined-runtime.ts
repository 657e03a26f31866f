/**
 * A whole runtime as a process of our own user that truly cannot read a folder, called over its port as the link calls it.
 */
import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CallEnvelope } from '../../contract/call.ts';
import { callOver, envelopeFor } from '../runtime-a-b/support/index.ts';
import { program } from '../support/program.ts';
import { spawnConfined } from './confined.ts';

export interface Confined {
  child: ChildProcess;
  call(tool: string, args: Record<string, unknown>, more?: Partial<CallEnvelope>): Promise<Record<string, unknown>>;
}

/** Starts it on a state folder that exists; `guarded` is the protected folder, `home` is HOME. */
export async function startConfined(place: {
  stateDir: string;
  guarded: string;
  home: string;
  herdrSocket: string;
  policy?: object;
}): Promise<Confined> {
  const { stateDir, guarded, home, herdrSocket, policy = {} } = place;
  const config = join(stateDir, 'config.json');
  writeFileSync(config, JSON.stringify({ policy: { protected_folders: [guarded], ...policy } }), { mode: 0o600 });
  const args = ['--port', '0', '--generation', 'a', '--state-dir', stateDir, '--herdr-socket', herdrSocket];
  const options: SpawnOptions = { env: { ...process.env, HOME: home }, stdio: ['ignore', 'pipe', 'inherit'] };
  const child = spawnConfined(process.execPath, [await program('runtime'), ...args], guarded, options, true);
  if (child.stdout === null) throw new Error('no pipe');
  const ended = once(child, 'exit').then(() => {
    throw new Error('the runtime ended before it was ready');
  });
  const [line] = (await Promise.race([once(child.stdout, 'data'), ended])) as [Buffer];
  ended.catch(() => undefined); // it ends with the tests
  const { port } = JSON.parse(line.toString()) as { port: number };
  const token = readFileSync(join(stateDir, 'runtime-token'), 'utf8').trim();
  const send = (path: string, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers: { authorization: `Bearer ${token}` } });
  return {
    child,
    call: async (tool, args, more) => (await callOver(send, envelopeFor(tool, args, more), args)).json,
  };
}

/** Whether a process like the runtime can read a file. */
export async function canRead(path: string, guarded: string): Promise<boolean> {
  const child = spawnConfined('cat', [path], guarded, { stdio: 'ignore' }, true);
  return (await once(child, 'exit'))[0] === 0;
}

export async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}
