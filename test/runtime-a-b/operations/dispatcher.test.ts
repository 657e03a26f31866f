/** Calls through the dispatcher: written down before they act, joined when they come again, held, cancelled, audited. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OutcomeError } from '../../../contract/outcome.ts';
import { readAudit } from '../../../runtime-a-b/state/index.ts';
import { verifies } from '../../verifies.ts';
import { newId, until } from '../support/index.ts';
import { openDesk } from './desk.ts';
import { desk, folder, later, other, WRITE } from './each-desk.ts';

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
