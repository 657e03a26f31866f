/** The same write once more: under its key it is one call, without a key it is another one. */
import { describe, expect, it } from 'vitest';
import { OutcomeError } from '../../../contract/outcome.ts';
import { verifies } from '../../verifies.ts';
import { until } from '../support/index.ts';
import { desk, later, other, WRITE } from './each-desk.ts';

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
