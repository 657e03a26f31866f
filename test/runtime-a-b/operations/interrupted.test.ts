import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha256 } from '../../../runtime-a-b/operations/index.ts';
import { readAudit } from '../../../runtime-a-b/state/index.ts';
import { ownProgram } from '../../support/program.ts';
import { verifies } from '../../verifies.ts';
import { newId, tempFolder, until } from '../support/index.ts';
import { openDesk } from './desk.ts';

const WRITER = await ownProgram(new URL('./killed-writer.ts', import.meta.url));

let folder: ReturnType<typeof tempFolder>;
beforeEach(() => {
  folder = tempFolder();
});
afterEach(() => folder.remove());

/** Runs a call in a process of its own and kills that at the given moment. */
async function killed(
  moment: 'before' | 'after' | 'nothing',
  args: { id: string; file: string; key?: string },
): Promise<string> {
  const stateDir = join(folder.path, 'state');
  const child: ChildProcess = spawn(process.execPath, [WRITER, JSON.stringify({ stateDir, moment, ...args })], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    said += chunk.toString('utf8');
  });
  await until('the moment', () => {
    if (child.exitCode !== null) throw new Error(`the writer ended with ${child.exitCode}`);
    return said.includes('now');
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
  return stateDir;
}

describe('after a kill -9', () => {
  it('a call is judged by the bytes that stay: what it has half done to files is settled first', async () => {
    verifies('runtime.ledger', 'files.patch');
    const file = join(folder.path, 'a.txt');
    writeFileSync(file, 'old');
    const id = newId();
    const desk = openDesk(await killed('after', { id, file }));
    desk.settleFiles = (dispatchId) => {
      expect(dispatchId).toBe(id);
      writeFileSync(file, 'old'); // as a change that was not written down as whole
    };
    const { json } = await desk.submit('herdr_fs_write', { path: file, content: 'new' }, { dispatch_id: id });
    expect(json).toMatchObject({ code: 'interrupted', delivery: 'not_delivered' });
    desk.close();
  });

  it.each([
    ['after', 'delivered', 'after'],
    ['before', 'not_delivered', 'before'],
  ] as const)('killed %s the bytes were there, the ledger says interrupted and %s', async (moment, delivery, now) => {
    verifies('runtime.ledger');
    const file = join(folder.path, 'a.txt');
    writeFileSync(file, 'old');
    const id = newId();
    const desk = openDesk(await killed(moment, { id, file, key: 'k' }));
    expect(desk.ledger.find(id)).toMatchObject({ state: 'running', intended: expect.stringContaining(file) });
    expect(await desk.dispatcher.recover()).toBe(1);
    expect(desk.ledger.find(id)).toMatchObject({ state: 'interrupted', code: 'interrupted', delivery });
    const { json } = await desk.submit('herdr_fs_write', { path: file, content: 'new' }, { dispatch_id: id });
    expect(json).toMatchObject({
      code: 'interrupted',
      delivery,
      files: [{ path: file, now }],
      retryable: delivery === 'not_delivered',
    });
    expect(desk.ran).toEqual([]);
    expect(await desk.dispatcher.recover()).toBe(0);
    desk.close();
  });

  it('says unknown when nothing had been written down, and its key never runs the call again', async () => {
    verifies('runtime.ledger', 'runtime.idempotency');
    const id = newId();
    const file = join(folder.path, 'a.txt');
    const desk = openDesk(await killed('nothing', { id, file, key: 'k' }));
    const args = { path: file, content: 'new', idempotency_key: 'k' };
    const { json } = await desk.submit('herdr_fs_write', args);
    expect(json).toMatchObject({
      code: 'interrupted',
      delivery: 'unknown',
      idempotent_replay: true,
      first_dispatch_id: id,
    });
    expect(desk.ran).toEqual([]);
    desk.close();
  });

  it('frees the key of a call that certainly changed nothing', async () => {
    const file = join(folder.path, 'a.txt');
    writeFileSync(file, 'old');
    const desk = openDesk(await killed('before', { id: newId(), file, key: 'k' }));
    await desk.dispatcher.recover();
    const { json } = await desk.submit('herdr_fs_write', { path: file, content: 'new', idempotency_key: 'k' });
    expect(json.ok).toBe(true);
    desk.close();
  });

  it('takes a file that is neither old nor new for what it is', async () => {
    const file = join(folder.path, 'a.txt');
    writeFileSync(file, 'old');
    const id = newId();
    const desk = openDesk(await killed('before', { id, file }));
    writeFileSync(file, 'something else');
    await desk.dispatcher.recover();
    expect(desk.ledger.find(id)).toMatchObject({ delivery: 'unknown' });
    desk.close();
  });

  it.each([
    [{ turn: 7 }, { ok: true, delivery: 'delivered' }, { ok: true, method: 'continuity.append', turn: 7 }],
    ['nothing', { ok: false, delivery: 'not_delivered' }, { code: 'interrupted', retryable: true }],
  ] as const)('believes the store of a local method: %j', async (written, envelope, json) => {
    const id = newId();
    const call = { method: 'continuity.append', params: '{}' };
    const dead = openDesk(join(folder.path, 'state'));
    dead.tool = () => new Promise(() => {});
    void dead.submit('herdr_call', call, { dispatch_id: id });
    await until('the run', () => dead.ran.length === 1);
    dead.state.database.exec('DELETE FROM boots');
    const desk = openDesk(join(folder.path, 'state'), 'b');
    desk.written = written;
    expect(await desk.submit('herdr_call', call, { dispatch_id: id })).toMatchObject({ envelope, json });
    expect(desk.ran).toEqual([]);
    desk.close();
    dead.close();
  });

  it.each([
    ['runs', { running: true }, 'delivered', 'it goes on'],
    ['ended', { running: false, done: { exitCode: 3, signal: null } }, 'delivered', 'ended with exit code 3'],
    ['was ended', { running: false, done: { exitCode: null, signal: 'SIGTERM' } }, 'delivered', 'ended with SIGTERM'],
    ['is lost', { running: false, done: { exitCode: null, signal: null, lost: true } }, 'unknown', 'how far it came'],
  ] as const)('tells the command that the call had started: it %s', async (_, state, delivery, words) => {
    verifies('runtime.ledger', 'runtime.audit');
    const id = newId();
    const args = { workspace: 'w1', command: 'make', idempotency_key: 'k' };
    const dead = openDesk(join(folder.path, 'state'));
    dead.tool = () => new Promise(() => {});
    void dead.submit('herdr_exec', args, { dispatch_id: id });
    await until('the run', () => dead.ran.length === 1);
    dead.state.database.exec('DELETE FROM boots');
    const desk = openDesk(join(folder.path, 'state'), 'b');
    desk.commands[id] = { id: 'es_a_1', ...state };
    expect(await desk.dispatcher.recover()).toBe(1);
    const { json } = await desk.submit('herdr_exec', args);
    expect(json).toMatchObject({ code: 'interrupted', delivery, session_id: 'es_a_1', running: state.running });
    expect(json).toMatchObject({ message: expect.stringContaining(words), next: expect.stringContaining('es_a_1') });
    expect(desk.ran).toEqual([]);
    expect(desk.ledger.find(id)).toMatchObject({ state: 'interrupted', sessionId: 'es_a_1' });
    // Its key stays bound while the command runs, however long that is.
    desk.runningSessions.add('es_a_1');
    desk.now += 25 * 60 * 60 * 1_000;
    expect((await desk.submit('herdr_exec', args)).json.idempotent_replay).toBe(true);
    // The trail has the call itself and both that only asked again.
    desk.trail.flush();
    const trail = readAudit(desk.state, { limit: 10 });
    expect(trail.map(({ tool, target, code }) => ({ tool, target, code }))).toEqual(
      Array(3).fill({ tool: 'herdr_exec', target: 'w1', code: 'interrupted' }),
    );
    expect(trail.map(({ dispatchId }) => dispatchId)).toContain(id);
    desk.close();
    dead.close();
  });

  it('leaves the integrity of the database untouched', async () => {
    const desk = openDesk(await killed('after', { id: newId(), file: join(folder.path, 'a.txt') }));
    expect(desk.state.database.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(existsSync(join(folder.path, 'state', 'state.db'))).toBe(true);
    desk.close();
  });
});

it('digests bytes as the files tools do', () => {
  expect(sha256('')).toBe('sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
});
