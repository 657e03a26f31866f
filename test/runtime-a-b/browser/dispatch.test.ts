/** A chat that an agent asks for, from the request to its proof. */
import { describe, expect, it } from 'vitest';
import { NO_ACCOUNT } from '../../../contract/extension/registry.ts';
import { CLAIM_WAIT_MS, CLAIMED_SILENT_MS } from '../../../runtime-a-b/browser/dispatch/limits.ts';
import { verifies } from '../../verifies.ts';
import {
  act,
  CAPABLE,
  call,
  claim,
  close,
  confirm,
  create,
  created,
  events,
  NEW,
  open,
  PROJECT,
  pass,
  report,
  SOURCE,
  signedIn,
  state,
  status,
} from './played.ts';

describe('a new chat through the delivery service', () => {
  it('is written down, offered without words, taken once, and applied only when its proof came', async () => {
    verifies('bridge.local-agents', 'extension.handoff');
    const who = signedIn();
    const first = await create('k1');
    expect(first).toMatchObject({
      ok: false,
      code: 'delivery_uncertain',
      delivery: 'unknown',
      delivery_state: 'uncertain',
      execution_state: 'queued',
      dispatch_id: expect.stringMatching(/^bd_[0-9a-f]{64}$/),
      space_ref: who.space,
    });
    expect(JSON.stringify(events)).not.toContain('Go on');
    expect(act('actuation.pending', { endpoint_ref: who.endpoint })).toEqual({
      ok: true,
      waiting: [events[0]?.actuation_id],
    });
    const command = {
      operation: 'session.create',
      message: 'Go on.',
      space: { space_ref: who.space, canonical_url: `https://chatgpt.com/g/${PROJECT}` },
      source_url: SOURCE,
    };
    expect(claim(who)).toMatchObject({ ok: true, command });
    // A worker that died after asking asks again under the name that it had written down.
    expect(claim(who)).toMatchObject({ ok: true, command });
    expect(claim(who, 'claimant-2')).toMatchObject({ ok: false, code: 'actuation_taken' });
    expect(act('actuation.pending', { endpoint_ref: who.endpoint })).toEqual({ ok: true, waiting: [] });
    expect(report(who, created(who), 'claimant-2')).toMatchObject({ ok: false, code: 'actuation_taken' });
    expect(report(who, created(who))).toMatchObject({ ok: true, dispatch: { delivery_state: 'applied' } });
    expect(await create('k1')).toMatchObject({ ok: true, replayed: true, session_ref: who.session('new', NEW) });
    expect(events).toHaveLength(1);
    // The words are gone from the store once a browser has told.
    expect(claim(who)).toMatchObject({ ok: false, code: 'actuation_taken' });
    expect(JSON.stringify(state.database.prepare('select * from browser_dispatches').all())).not.toContain('Go on');
  });

  it('is the same one for the same key, in whichever browser, and another request under it is a conflict', async () => {
    const who = signedIn();
    const handoff = `hh_${'5'.repeat(32)}`;
    const first = await create(handoff);
    pass(1);
    signedIn('b'); // the same chat, seen later in another browser
    expect(await create(handoff)).toMatchObject({ dispatch_id: first.dispatch_id, replayed: true });
    expect(await create(handoff, { message: 'Something else.' })).toMatchObject({
      ok: false,
      code: 'idempotency_key_conflict',
      delivery: 'not_delivered',
    });
    // The person's own HUD carries the same handoff: still one.
    expect(
      act('handoff.deliver', {
        endpoint_ref: who.endpoint,
        source_url: SOURCE,
        space_ref: who.space,
        message: 'Go on.',
        idempotency_key: handoff,
      }),
    ).toMatchObject({ ok: true, replayed: true, dispatch: { dispatch_id: first.dispatch_id } });
    expect(events).toHaveLength(1);
  });

  it('that no browser takes in time is proved undelivered, cannot be taken any more, and is offered once more', async () => {
    const who = signedIn();
    await create('k1');
    pass(CLAIM_WAIT_MS + 1);
    expect(claim(who)).toMatchObject({ ok: false, code: 'actuation_taken' });
    expect(await create('k1')).toMatchObject({ delivery_state: 'uncertain', replayed: false });
    expect(events).toHaveLength(2);
    expect(events[1]?.actuation_id).not.toBe(events[0]?.actuation_id);
    expect(claim(who, 'claimant-1', events[0])).toMatchObject({ ok: false, code: 'actuation_not_found' });
    pass(CLAIM_WAIT_MS + 1);
    // By itself once; after that it stays what it is.
    expect(await create('k1')).toMatchObject({
      ok: false,
      code: 'browser_not_delivered',
      delivery: 'not_delivered',
      delivery_state: 'browser_offline',
      replayed: true,
    });
  });

  it('survives a restart of the runtime between any two of its steps', async () => {
    verifies('bridge.local-agents');
    const who = signedIn();
    const first = await create('k1');
    const again = async () => {
      await close();
      open();
    };
    await again();
    expect(claim(who)).toMatchObject({ ok: true, command: { message: 'Go on.' } });
    await again();
    expect(claim(who)).toMatchObject({ ok: true, command: { message: 'Go on.' } });
    expect(report(who, created(who))).toMatchObject({ dispatch: { delivery_state: 'applied' } });
    await again();
    expect(await create('k1')).toMatchObject({ ok: true, replayed: true, dispatch_id: first.dispatch_id });
  });

  it('stays uncertain without its proof, may be proved late by its own claimant, and never goes back', async () => {
    verifies('extension.handoff');
    const who = signedIn();
    const { dispatch_id } = await create('k1');
    claim(who);
    report(who, { accepted_message_ref: 'm1' });
    expect(await create('k1')).toMatchObject({
      delivery_state: 'uncertain',
      replayed: true,
      reason: 'no_session_seen',
    });
    expect(report(who, created(who))).toMatchObject({ dispatch: { delivery_state: 'applied' } });
    expect(report(who, { command_accepted: false, refused: 'user_typing' })).toMatchObject({
      ok: true,
      dispatch: { delivery_state: 'applied' },
    });
    expect(await status(dispatch_id)).toMatchObject({ ok: true, delivery_state: 'applied' });
  });

  it('that lies outside the Project which was meant, or that nobody registered, is not applied', async () => {
    verifies('extension.handoff');
    const who = signedIn();
    await create('k1');
    claim(who);
    const outside = who.session('outside', NEW, who.account);
    expect(report(who, created(who, outside))).toMatchObject({
      dispatch: { delivery_state: 'uncertain', reason: 'session_out_of_scope' },
    });
    expect(report(who, created(who, `br_${'f'.repeat(64)}`))).toMatchObject({
      dispatch: { delivery_state: 'uncertain' },
    });
  });

  it('waits its turn: one act at a time in an account, and a browser that fell silent does not hold it for ever', async () => {
    const who = signedIn();
    await create('k1');
    expect(await create('k2')).toMatchObject({
      ok: false,
      code: 'browser_account_busy',
      delivery: 'not_delivered',
      retry_after_ms: 250,
    });
    claim(who);
    pass(CLAIMED_SILENT_MS + 1);
    expect(await create('k2')).toMatchObject({ delivery_state: 'uncertain', execution_state: 'queued' });
    expect(await create('k1')).toMatchObject({ delivery_state: 'uncertain', replayed: true });
  });
});

describe('where nobody is known to be signed in', () => {
  it('nothing is dispatched for anybody; only a person’s own handoff goes on, and names no account', async () => {
    verifies('bridge.accounts');
    const who = signedIn('a', { account: NO_ACCOUNT, capabilities: [...CAPABLE, 'account.inspect'] });
    const planned = { session_ref: who.source, expected_generation: who.generation, wait_ms: 0 };
    expect(await create('k1')).toMatchObject({ code: 'browser_account_unknown', delivery: 'not_delivered' });
    for (const method of ['browser_session.open', 'browser_session.archive', 'browser_dispatch.stop'])
      expect(await call(method, { ...planned, idempotency_key: method }), method).toMatchObject({
        code: 'browser_account_unknown',
      });
    // Where pages never say who is signed in, it is no matter of signing in.
    const silent = signedIn('b', { account: NO_ACCOUNT, capabilities: CAPABLE });
    const there = { ...planned, session_ref: silent.source, expected_generation: silent.generation };
    expect(await call('browser_dispatch.submit', { ...there, message: 'x', idempotency_key: 's' })).toMatchObject({
      code: 'unsupported',
      capability: 'account.inspect',
    });
    expect(events).toEqual([]);
    const given = { endpoint_ref: who.endpoint, source_url: SOURCE, message: 'Go on.', idempotency_key: 'mine' };
    expect(act('handoff.deliver', given)).toMatchObject({ ok: true });
    expect(claim(who)).toMatchObject({ command: { account_ref: null } });
    expect(confirm(who, 'account_unknown')).toMatchObject({ confirmed: true });
    // By then the page shows who it is: the new chat lies there.
    pass(1);
    const known = signedIn('a', { capabilities: [...CAPABLE, 'account.inspect'] });
    const made = known.session('new', NEW, known.account);
    expect(report(who, created(known, made))).toMatchObject({ dispatch: { delivery_state: 'applied' } });
  });
});
