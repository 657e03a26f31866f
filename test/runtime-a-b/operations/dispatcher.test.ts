import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OutcomeError } from '../../../contract/outcome.ts';
import { readAudit } from '../../../runtime-a-b/state/index.ts';
import { verifies } from '../../verifies.ts';
import { newId, tempFolder, until } from '../support/index.ts';
import { type Desk, openDesk } from './desk.ts';

let folder: ReturnType<typeof tempFolder>;
let desk: Desk;
beforeEach(() => {
  folder = tempFolder();
  desk = openDesk(join(folder.path, 'state'));
});
afterEach(() => {
  desk.close();
  folder.remove();
});

const WRITE = { path: '/r/a.txt', content: 'x' };
const other = { kind: 'connector', id: 'conn_2', label: 'Claude' } as const;
const later = () => {
  let open: () => void = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { gate, open };
};

describe('a mutating call', () => {
  it('is in the ledger before it acts and settled after', async () => {
    verifies('runtime.ledger');
    let during: unknown;
    desk.tool = async ({ envelope }) => {
      during = desk.ledger.find(envelope.dispatch_id)?.state;
      return { ok: true, body: {} };
    };
    const { envelope } = await desk.submit('herdr_fs_write', WRITE);
    expect(during).toBe('running');
    expect(desk.ledger.find(envelope.dispatch_id)).toMatchObject({
      state: 'settled',
      ok: true,
      delivery: 'delivered',
      tool: 'herdr_fs_write',
      target: '/r/a.txt',
      generation: 'a',
    });
  });

  it('leaves no word of its arguments in the database', async () => {
    await desk.submit('herdr_fs_write', {
      path: '/r/a.txt',
      content: 'the launch code',
      idempotency_key: 'my-raw-key',
    });
    desk.trail.flush();
    const rows = desk.state.database.prepare('SELECT * FROM operations').all();
    const audit = desk.state.database.prepare('SELECT * FROM audit').all();
    expect(JSON.stringify([rows, audit])).not.toMatch(/launch code|my-raw-key/);
  });

  it('is not run at all when the ledger cannot be written', async () => {
    desk.state.database.exec(
      "CREATE TRIGGER full BEFORE INSERT ON operations BEGIN SELECT RAISE(FAIL, 'disk full'); END",
    );
    const { envelope, json } = await desk.submit('herdr_fs_write', WRITE);
    expect(desk.ran).toEqual([]);
    expect(envelope).toMatchObject({ ok: false, delivery: 'not_delivered' });
    expect(json).toMatchObject({ code: 'internal_error', retryable: true });
  });

  it('is answered with what happened when only its settlement cannot be written', async () => {
    desk.state.database.exec(
      "CREATE TRIGGER full BEFORE UPDATE ON operations BEGIN SELECT RAISE(FAIL, 'disk full'); END",
    );
    const id = newId();
    const { envelope } = await desk.submit('herdr_fs_write', WRITE, { dispatch_id: id });
    expect(envelope).toMatchObject({ ok: true, delivery: 'delivered' });
    expect(await desk.dispatcher.result(id)).toMatchObject({ envelope: { ok: true } });
    expect(desk.ledger.find(id)?.state).toBe('running');
    await desk.submit('herdr_fs_write', WRITE, { dispatch_id: id });
    expect(desk.ran).toHaveLength(1);
  });

  it('never shows an exception: the text of a bug stays in the log', async () => {
    desk.tool = async () => {
      throw new TypeError('secret internals');
    };
    const { json } = await desk.submit('herdr_fs_write', WRITE);
    expect(json).toMatchObject({ ok: false, code: 'internal_error', delivery: 'unknown', retryable: false });
    expect(JSON.stringify(json)).not.toContain('secret internals');
  });

  it('computes retryable from class and delivery, whatever the tool thinks', async () => {
    desk.tool = async () => {
      throw new OutcomeError('runtime_unavailable', 'm', { next: 'n', delivery: 'not_delivered' });
    };
    expect((await desk.submit('herdr_fs_write', WRITE)).json.retryable).toBe(true);
    desk.tool = async () => {
      throw new OutcomeError('runtime_unavailable', 'm', { next: 'n', delivery: 'unknown' });
    };
    expect((await desk.submit('herdr_fs_write', WRITE)).json.retryable).toBe(false);
    expect((await desk.submit('herdr_inspect', {})).json.retryable).toBe(true);
  });
});

describe('a dispatch id that is known', () => {
  it('joins the running call', async () => {
    verifies('runtime.call-join');
    const { gate, open } = later();
    desk.tool = async () => {
      await gate;
      return { ok: true, body: { once: true } };
    };
    const id = newId();
    const calls = [1, 2, 3].map(() => desk.submit('herdr_fs_write', WRITE, { dispatch_id: id }));
    await until('one run', () => desk.ran.length === 1);
    open();
    expect((await Promise.all(calls)).map(({ json }) => json.once)).toEqual([true, true, true]);
    expect(desk.ran).toHaveLength(1);
  });

  it.each([
    ['herdr_fs_write', WRITE],
    ['herdr_inspect', {}],
  ])('gives the stored result of %s and does not run again', async (tool, args) => {
    verifies('runtime.call-join');
    const id = newId();
    const first = await desk.submit(tool, args, { dispatch_id: id });
    const again = await desk.submit(tool, args, { dispatch_id: id });
    expect(again.json).toEqual(first.json);
    expect(again.envelope.replayed).toBe(true);
    expect(desk.ran).toHaveLength(1);
  });

  it('follows a call that the other generation runs, and gets its result', async () => {
    const second = openDesk(join(folder.path, 'state'), 'b');
    const { gate, open } = later();
    desk.tool = async () => {
      await gate;
      return { ok: true, body: { from: 'a' } };
    };
    const id = newId();
    const own = desk.submit('herdr_fs_write', WRITE, { dispatch_id: id });
    await until('the run', () => desk.ran.length === 1);
    const followed = second.submit('herdr_fs_write', WRITE, { dispatch_id: id });
    open();
    expect((await followed).json).toEqual((await own).json);
    expect(second.ran).toEqual([]);
    second.close();
  });
});

describe('an idempotency key', () => {
  const keyed = { ...WRITE, idempotency_key: 'k1' };

  it('returns the first result under another dispatch id, marked, and both ids can be looked up', async () => {
    verifies('runtime.idempotency');
    const first = await desk.submit('herdr_fs_write', keyed);
    const again = await desk.submit('herdr_fs_write', keyed);
    expect(desk.ran).toHaveLength(1);
    expect(again.json).toEqual({
      ...first.json,
      idempotent_replay: true,
      first_dispatch_id: first.envelope.dispatch_id,
    });
    expect(again.envelope).toMatchObject({ replayed: true, ok: true });
    expect(desk.ledger.find(again.envelope.dispatch_id)).toMatchObject({
      state: 'settled',
      sameAs: first.envelope.dispatch_id,
    });
  });

  it('joins when two come at once', async () => {
    const { gate, open } = later();
    desk.tool = async () => {
      await gate;
      return { ok: true, body: { once: 1 } };
    };
    const both = [desk.submit('herdr_fs_write', keyed), desk.submit('herdr_fs_write', keyed)];
    await until('one run', () => desk.ran.length === 1);
    open();
    expect((await Promise.all(both)).map(({ json }) => json.once)).toEqual([1, 1]);
    expect(desk.ran).toHaveLength(1);
  });

  it.each([
    ['other arguments', 'herdr_fs_write', { ...keyed, content: 'y' }],
    ['another tool', 'herdr_fs_edit', { path: '/r/a.txt', old_string: 'a', new_string: 'b', idempotency_key: 'k1' }],
  ])('is refused with %s, and says which call it belongs to', async (_, tool, args) => {
    verifies('runtime.idempotency');
    const first = await desk.submit('herdr_fs_write', keyed);
    const { json } = await desk.submit(tool, args);
    expect(json).toMatchObject({
      code: 'idempotency_key_conflict',
      delivery: 'not_delivered',
      first_dispatch_id: first.envelope.dispatch_id,
    });
    expect(desk.ran).toHaveLength(1);
  });

  it('belongs to its principal: the same words of another one are another key', async () => {
    await desk.submit('herdr_fs_write', keyed);
    const { json } = await desk.submit('herdr_fs_write', { ...keyed, content: 'y' }, { principal: other });
    expect(json).toMatchObject({ ok: true, n: 2 });
  });

  it('is one key in every conversation of a principal, whatever the order of the arguments', async () => {
    await desk.submit('herdr_fs_write', keyed, { caller_session: 'one' });
    const { json } = await desk.submit(
      'herdr_fs_write',
      { idempotency_key: 'k1', content: 'x', path: '/r/a.txt' },
      { caller_session: 'two' },
    );
    expect(json.idempotent_replay).toBe(true);
  });

  it('does not bind how long a prompt is waited for', async () => {
    const prompt = { target: 'a', text: 't', idempotency_key: 'p' };
    await desk.submit('herdr_prompt', { ...prompt, wait: { timeout_ms: 5 } });
    expect((await desk.submit('herdr_prompt', prompt)).json.idempotent_replay).toBe(true);
  });

  it('is free again when the call certainly did nothing, so that the corrected call may use it', async () => {
    desk.tool = async () => {
      throw new OutcomeError('agent_working', 'busy', { next: 'confirm' });
    };
    expect((await desk.submit('herdr_fs_write', keyed)).json).toMatchObject({
      code: 'agent_working',
      reason: 'agent_working',
    });
    desk.tool = async () => ({ ok: true, body: { done: true } });
    expect((await desk.submit('herdr_fs_write', { ...keyed, confirm_busy: true })).json.done).toBe(true);
  });

  it('stays bound after a failure that may have acted', async () => {
    desk.tool = async () => {
      throw new OutcomeError('delivery_uncertain', 'lost', { next: 'look', delivery: 'unknown' });
    };
    await desk.submit('herdr_prompt', { target: 'a', text: 't', idempotency_key: 'k' });
    const { json } = await desk.submit('herdr_prompt', { target: 'a', text: 't', idempotency_key: 'k' });
    expect(json).toMatchObject({ code: 'delivery_uncertain', delivery: 'unknown', idempotent_replay: true });
    expect(desk.ran).toHaveLength(1);
  });

  it('lasts a day, and for a running command until that ends', async () => {
    const day = 24 * 60 * 60 * 1000;
    await desk.submit('herdr_fs_write', keyed);
    desk.tool = async () => ({ ok: true, body: { n: 2 }, runningSession: 'es_1' });
    desk.runningSessions.add('es_1');
    const exec = { root: '/r', command: 'sleep 9', idempotency_key: 'k2' };
    await desk.submit('herdr_exec_start', exec);
    desk.now += day + 1;
    desk.ledger.forget(desk.now, (id) => desk.runningSessions.has(id));
    expect((await desk.submit('herdr_exec_start', exec)).json.idempotent_replay).toBe(true);
    expect(desk.ran).toHaveLength(2);
    await desk.submit('herdr_fs_write', { ...keyed, content: 'y' });
    expect(desk.ran).toHaveLength(3);
    desk.runningSessions.clear();
    await desk.submit('herdr_exec_start', exec);
    expect(desk.ran).toHaveLength(4);
  });
});

describe('equal writes without a key', () => {
  it('both run, and the second names the first', async () => {
    const first = await desk.submit('herdr_fs_write', WRITE);
    desk.now += 1000;
    const second = await desk.submit('herdr_fs_write', WRITE);
    expect(first.json.similar_dispatch).toBeUndefined();
    expect(second.json.similar_dispatch).toEqual({
      dispatch_id: first.envelope.dispatch_id,
      age_ms: 1000,
      state: 'settled',
      call_ok: true,
    });
    expect(desk.ran).toHaveLength(2);
  });

  it('are not similar with other arguments, for another principal, or when the first did nothing', async () => {
    desk.tool = async () => {
      throw new OutcomeError('readonly_mode', 'm', { next: 'n' });
    };
    await desk.submit('herdr_fs_write', WRITE);
    desk.tool = async () => ({ ok: true, body: {} });
    expect((await desk.submit('herdr_fs_write', WRITE)).json.similar_dispatch).toBeUndefined();
    expect((await desk.submit('herdr_fs_write', { ...WRITE, content: 'y' })).json.similar_dispatch).toBeUndefined();
    expect((await desk.submit('herdr_fs_write', WRITE, { principal: other })).json.similar_dispatch).toBeUndefined();
  });
});

describe('who may', () => {
  it('a revoked connector may nothing, from its very next call', async () => {
    expect((await desk.submit('herdr_inspect')).json.ok).toBe(true);
    desk.revocations.revoke('conn_1', desk.now);
    desk.revocations.revoke('conn_1', desk.now);
    expect((await desk.submit('herdr_inspect')).json).toMatchObject({
      code: 'connector_revoked',
      delivery: 'not_delivered',
    });
    expect((await desk.submit('herdr_inspect', {}, { principal: other })).json.ok).toBe(true);
  });

  it('a read-only connector may read', async () => {
    const principal = { ...other, read_only: true };
    expect((await desk.submit('herdr_inspect', {}, { principal })).json.ok).toBe(true);
    expect((await desk.submit('herdr_fs_write', WRITE, { principal })).json).toMatchObject({
      code: 'connector_read_only',
    });
    expect(desk.ran).toHaveLength(1);
  });
});

describe('what is held for the link', () => {
  it('is what runs and what nobody has acknowledged', async () => {
    const { gate, open } = later();
    desk.tool = async (call) => {
      if (call.envelope.tool === 'herdr_exec') await gate;
      return { ok: true, body: {} };
    };
    const write = await desk.submit('herdr_fs_write', WRITE);
    const read = await desk.submit('herdr_inspect');
    await desk.submit('herdr_fs_write', { ...WRITE, content: 'own' }, {}, 'loopback');
    const id = newId();
    const running = desk.submit('herdr_exec', { workspace: 'w1', command: 'x' }, { dispatch_id: id });
    await until('the run', () => desk.ran.length === 4);
    const held = () =>
      Object.fromEntries(desk.dispatcher.held().map((one) => [one.dispatch_id, `${one.class} ${one.state}`]));
    expect(held()).toEqual({
      [write.envelope.dispatch_id]: 'write finished',
      [read.envelope.dispatch_id]: 'read finished',
      [id]: 'write running',
    });
    desk.dispatcher.acknowledge([write.envelope.dispatch_id, read.envelope.dispatch_id, newId()]);
    expect(Object.keys(held())).toEqual([id]);
    expect(await desk.dispatcher.result(read.envelope.dispatch_id)).toBeUndefined();
    expect(await desk.dispatcher.result(write.envelope.dispatch_id)).toBeDefined();
    open();
    await running;
  });

  it('keeps reads for a minute and writes for a day', async () => {
    const read = await desk.submit('herdr_inspect');
    const write = await desk.submit('herdr_fs_write', WRITE);
    desk.now += 60_001;
    desk.dispatcher.sweep();
    expect(desk.dispatcher.held().map(({ dispatch_id }) => dispatch_id)).toEqual([write.envelope.dispatch_id]);
    expect(await desk.dispatcher.result(read.envelope.dispatch_id)).toBeUndefined();
    expect(await desk.dispatcher.result(write.envelope.dispatch_id)).toBeDefined();
  });
});

describe('cancelling', () => {
  it('reaches the running call and nothing else', async () => {
    desk.tool = ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))));
    const id = newId();
    const call = desk.submit('herdr_exec', { workspace: 'w1', command: 'x' }, { dispatch_id: id });
    await until('the run', () => desk.ran.length === 1);
    expect(desk.dispatcher.cancel(newId())).toBe(false);
    expect(desk.dispatcher.cancel(id)).toBe(true);
    expect(desk.dispatcher.cancel(id)).toBe(false);
    expect((await call).json).toMatchObject({ code: 'cancelled', delivery: 'unknown', retryable: false });
    expect(desk.dispatcher.cancel(id)).toBe(false);
  });

  it('a stopping runtime refuses what is new and lets what runs finish', async () => {
    const { gate, open } = later();
    desk.tool = async () => {
      await gate;
      return { ok: true, body: { finished: true } };
    };
    const running = desk.submit('herdr_fs_write', WRITE);
    await until('the run', () => desk.ran.length === 1);
    const drained = desk.dispatcher.drain();
    expect((await desk.submit('herdr_inspect')).json).toMatchObject({ code: 'workstation_draining', retryable: true });
    open();
    await drained;
    expect((await running).json.finished).toBe(true);
  });
});

describe('the audit trail', () => {
  it('has every call once, with who, when, on what and how it ended', async () => {
    verifies('runtime.audit');
    await desk.submit('herdr_fs_read', { path: '/r/a.txt' });
    await desk.submit('herdr_fs_write', WRITE);
    await desk.submit('herdr_call', { method: 'pane.close', params: '{"pane_id":"w1:p1"}' });
    desk.revocations.revoke('conn_1', desk.now);
    await desk.submit('herdr_exec', { workspace: 'w1', command: 'rm -rf /tmp/x' });
    desk.trail.flush();
    const entries = readAudit(desk.state, { limit: 10 });
    expect(entries.map(({ tool, method, target, ok, code }) => ({ tool, method, target, ok, code }))).toEqual(
      expect.arrayContaining([
        { tool: 'herdr_fs_read', method: null, target: '/r/a.txt', ok: true, code: null },
        { tool: 'herdr_fs_write', method: null, target: '/r/a.txt', ok: true, code: null },
        { tool: 'herdr_call', method: 'pane.close', target: 'w1:p1', ok: true, code: null },
        { tool: 'herdr_exec', method: null, target: 'w1', ok: false, code: 'connector_revoked' },
      ]),
    );
    expect(entries).toHaveLength(4);
    expect(entries[0]).toMatchObject({
      principalKind: 'connector',
      principalId: 'conn_1',
      principalLabel: 'ChatGPT',
      at: desk.now,
    });
    expect(JSON.stringify(entries)).not.toContain('rm -rf');
    expect(readAudit(desk.state, { limit: 10, tool: 'herdr_exec' })).toHaveLength(1);
    expect(readAudit(desk.state, { limit: 10, sinceMs: desk.now + 1 })).toEqual([]);
  });
});
