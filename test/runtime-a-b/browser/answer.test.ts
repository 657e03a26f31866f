/** What a chat answers to a dispatch: settled once, read in pages, told to who asked. */
import { describe, expect, it } from 'vitest';
import { DISPATCH_TTL_MS } from '../../../runtime-a-b/browser/dispatch/limits.ts';
import { verifies } from '../../verifies.ts';
import {
  act,
  call,
  claim,
  close,
  create,
  created,
  NEW,
  open,
  pass,
  prompts,
  promptsBecome,
  report,
  type Signed,
  service,
  signedIn,
  status,
} from './played.ts';

describe('the answer to a dispatch', () => {
  async function applied(who: Signed, more: Record<string, unknown> = {}) {
    const { dispatch_id } = await create('k1', more);
    claim(who);
    report(who, created(who));
    return dispatch_id;
  }
  const settle = (who: Signed, dispatch_id: unknown, more: object = {}) =>
    act('dispatch.result', {
      endpoint_ref: who.endpoint,
      dispatch_id,
      observed_generation: who.generation,
      accepted_user_message_ref: 'm1',
      outcome: 'settled',
      assistant_message_ref: 'a1',
      text: 'Done.\nAll of it.',
      ...more,
    });

  it('settles once, by its own message and generation, and is read in pages; the dispatch only points to it', async () => {
    verifies('bridge.local-agents');
    const who = signedIn();
    const id = await applied(who);
    expect(settle(who, id, { accepted_user_message_ref: 'm2' })).toMatchObject({
      code: 'browser_dispatch_result_conflict',
    });
    expect(settle(who, id, { observed_generation: who.generation + 1 })).toMatchObject({ ok: false });
    expect(settle(who, id)).toMatchObject({ ok: true, dispatch: { execution_state: 'settled' } });
    expect(settle(who, id)).toMatchObject({ ok: true });
    expect(settle(who, id, { assistant_message_ref: 'a2' })).toMatchObject({
      code: 'browser_dispatch_result_conflict',
    });
    expect(JSON.stringify(await status(id))).not.toContain('All of it');
    expect(await call('browser_dispatch.result', { dispatch_id: id, limit: 5 })).toMatchObject({
      text: 'Done.',
      next_offset: 5,
      chars: 16,
      settled: true,
    });
    expect(await call('browser_dispatch.result', { dispatch_id: id, offset: 6 })).toMatchObject({
      text: 'All of it.',
      next_offset: null,
    });
  });

  it('an answer is not taken for a dispatch that was not proved', async () => {
    const who = signedIn();
    const { dispatch_id } = await create('k1');
    claim(who);
    expect(settle(who, dispatch_id)).toMatchObject({ code: 'browser_dispatch_result_conflict' });
  });

  it('is told to the local agent that asked, once, as a pointer; a busy one is tried again', async () => {
    verifies('bridge.local-agents');
    const who = signedIn();
    promptsBecome('not_delivered');
    const id = await applied(who, { parent_target: 'pi' });
    settle(who, id);
    await settled();
    expect(prompts).toMatchObject([{ target: 'pi', text: expect.stringContaining(String(id)) }]);
    expect(prompts[0]?.text).not.toContain('All of it');
    // The runtime is another one by then; whatever ends next lets it look again.
    await close();
    open();
    promptsBecome('delivered');
    const { dispatch_id: other } = await create('k2', { parent_target: 'grok' });
    claim(who);
    report(who, { command_accepted: false, refused: 'user_typing' });
    await settled();
    expect(prompts.slice(1).map(({ target }) => target)).toEqual(['pi', 'grok']);
    expect(new Set(prompts.map(({ dispatchId }) => dispatchId)).size).toBe(3);
    expect(prompts[2]?.text).toContain(String(other));
    settle(who, id);
    await settled();
    expect(prompts).toHaveLength(3);
  });

  it('a stop withdraws what nobody has, and ends the answer of what somebody has', async () => {
    verifies('bridge.local-agents');
    const who = signedIn();
    const stop = (key: string, more: object) =>
      call('browser_dispatch.stop', { expected_generation: who.generation, idempotency_key: key, wait_ms: 0, ...more });
    const first = await create('k0');
    expect(await stop('t0', { dispatch_id: first.dispatch_id })).toMatchObject({ ok: true, delivery_state: 'stopped' });
    expect(claim(who)).toMatchObject({ ok: false });
    const id = await applied(who);
    await stop('t1', { dispatch_id: id });
    expect(claim(who)).toMatchObject({ command: { operation: 'generation.stop', session: { canonical_url: NEW } } });
    expect(report(who, { session_ref: who.session('new', NEW), generation_stopped: true })).toMatchObject({
      dispatch: { delivery_state: 'applied' },
    });
    expect(await status(id)).toMatchObject({ delivery_state: 'applied', execution_state: 'stopped' });
  });

  it('is forgotten with its dispatch after 30 days, not before', async () => {
    const who = signedIn();
    const id = await applied(who);
    pass(DISPATCH_TTL_MS - 1);
    service.forget();
    expect(await status(id)).toMatchObject({ ok: true });
    pass(10);
    service.forget();
    expect(await status(id)).toMatchObject({ code: 'browser_dispatch_not_found' });
  });

  const settled = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));
});
