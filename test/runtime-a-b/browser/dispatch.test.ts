import { describe, expect, it } from 'vitest';
import { ADAPTER_PROTOCOL } from '../../../contract/browser/actuation.ts';
import { NO_ACCOUNT } from '../../../contract/extension/registry.ts';
import {
  CLAIM_WAIT_MS,
  CLAIMED_SILENT_MS,
  CONFIRM_WAIT_MS,
  DISPATCH_TTL_MS,
} from '../../../runtime-a-b/browser/dispatch/limits.ts';
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
  defer,
  events,
  moved,
  NEW,
  open,
  PROJECT,
  pass,
  prompts,
  promptsBecome,
  registry,
  report,
  type Signed,
  SOURCE,
  service,
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

describe('a cut-over that the browser confirms', () => {
  const commit = (who: Signed, dispatch_id: unknown, target: string, more: object = {}) =>
    act('handoff.commit', {
      endpoint_ref: who.endpoint,
      dispatch_id,
      source_session_ref: who.source,
      target_session_ref: target,
      accepted_user_message_ref: 'm1',
      ...more,
    });

  it('proves what was in doubt, gives the open tasks to the new chat, and repeats nothing', async () => {
    verifies('extension.handoff');
    const who = signedIn();
    const { dispatch_id } = await create('k1');
    claim(who);
    report(who, {});
    const target = who.session('new', NEW);
    expect(commit(who, dispatch_id, target)).toEqual({ ok: true, moved_tasks: 1 });
    expect(await status(dispatch_id)).toMatchObject({ delivery_state: 'applied', session_ref: target });
    expect(commit(who, dispatch_id, target)).toMatchObject({ ok: true });
    expect(moved).toEqual([
      [who.source, target],
      [who.source, target],
    ]);
    // Another browser's chat, another browser's dispatch, or none at all: nothing is moved.
    const other = signedIn('b');
    expect(commit(other, dispatch_id, other.source)).toMatchObject({ ok: false });
    expect(commit(who, dispatch_id, other.source)).toMatchObject({ ok: false });
    expect(commit(who, `bd_${'0'.repeat(64)}`, target)).toMatchObject({ code: 'browser_dispatch_not_found' });
    expect(moved).toHaveLength(2);
  });

  it('a message that was proved to be missing goes into the chat that is there, under the same key', async () => {
    verifies('extension.handoff');
    const who = signedIn();
    const handoff = `hh_${'6'.repeat(32)}`;
    const given = {
      endpoint_ref: who.endpoint,
      source_url: SOURCE,
      space_ref: who.space,
      message: 'Go on.',
      idempotency_key: handoff,
    };
    expect(act('handoff.deliver', given)).toMatchObject({ ok: true, dispatch: { operation: 'session.create' } });
    claim(who);
    report(who, {});
    const target = who.session('new', NEW);
    const again = { ...given, target_session_ref: target };
    expect(act('handoff.deliver', again)).toMatchObject({
      ok: true,
      replayed: false,
      dispatch: { operation: 'composer.submit', session_ref: target },
    });
    expect(act('handoff.deliver', again)).toMatchObject({ ok: true, replayed: true });
    expect(events).toHaveLength(2);
    const another = signedIn('a', { account: 'somebody else' });
    const elsewhere = another.session('theirs', NEW, another.account);
    pass(1);
    who.session('source', SOURCE);
    expect(act('handoff.deliver', { ...given, idempotency_key: 'other', target_session_ref: elsewhere })).toMatchObject(
      { ok: false, code: 'browser_resource_scope_mismatch' },
    );
  });
});

describe('a handoff that its person has ended', () => {
  const handoff = `hh_${'9'.repeat(32)}`;
  const given = (who: Signed) => ({
    endpoint_ref: who.endpoint,
    source_url: SOURCE,
    space_ref: who.space,
    message: 'Go on.',
    idempotency_key: handoff,
  });
  const stopped = { ok: true, dispatch: { delivery_state: 'stopped', reason: 'withdrawn' } };

  it('before a browser took it, or before that one may begin, is never done, and is not offered again', () => {
    verifies('extension.handoff');
    const who = signedIn();
    act('handoff.deliver', given(who));
    expect(act('handoff.end', given(who))).toMatchObject(stopped);
    expect(act('handoff.end', given(who))).toMatchObject(stopped);
    expect(claim(who)).toMatchObject({ ok: false, code: 'actuation_taken' });
    expect(act('handoff.deliver', given(who))).toMatchObject({ ...stopped, replayed: true });
    const next = { ...given(who), idempotency_key: 'another' };
    act('handoff.deliver', next);
    claim(who);
    expect(act('handoff.end', next)).toMatchObject(stopped);
    expect(confirm(who)).not.toMatchObject({ confirmed: true });
    expect(events).toHaveLength(2);
  });

  it('before its request came at all, is not begun when that comes', () => {
    verifies('extension.handoff');
    const who = signedIn();
    expect(act('handoff.end', given(who))).toMatchObject(stopped);
    expect(act('handoff.deliver', given(who))).toMatchObject({ ...stopped, replayed: true });
    expect(events).toHaveLength(0);
    // Nothing is known of that one, and its place is not known either.
    const unknown = { ...given(who), source_url: NEW, idempotency_key: `hh_${'8'.repeat(32)}` };
    expect(act('handoff.end', unknown)).toMatchObject({
      ok: false,
      code: 'browser_resource_not_found',
    });
  });

  it('also under the key of whoever began it, by the dispatch itself', async () => {
    const who = signedIn();
    const { dispatch_id } = await create('mine');
    expect(act('handoff.end', { ...given(who), dispatch_id })).toMatchObject({ dispatch: { dispatch_id } });
    expect(claim(who)).toMatchObject({ ok: false, code: 'actuation_taken' });
  });

  it('after a browser may have begun stays what it is: in doubt, or done', () => {
    verifies('extension.handoff');
    const who = signedIn();
    act('handoff.deliver', given(who));
    claim(who);
    expect(confirm(who)).toMatchObject({ confirmed: true });
    expect(act('handoff.end', given(who))).toMatchObject({ dispatch: { delivery_state: 'uncertain' } });
  });
});

describe('who may, and where', () => {
  it('a grant is attached by the door: over TCP there is none, whatever the caller calls itself', async () => {
    verifies('bridge.local-agents');
    signedIn();
    const local = (id: string) => ({ kind: 'local' as const, id });
    for (const from of [
      { principal: local('loopback'), door: 'loopback' },
      { principal: local('cli'), door: 'loopback' },
      { principal: local('extension'), door: 'loopback' },
      { principal: local('cli'), door: 'link' },
      { principal: { kind: 'connector', id: 'c1' }, door: 'loopback' },
      { principal: { kind: 'connector', id: 'c1' }, door: 'link' },
      { principal: { kind: 'automation', id: 'c1' }, door: 'link' },
    ])
      expect(await create('k', {}, from), JSON.stringify(from)).toMatchObject({ code: 'caller_grant_missing' });
    const connector = { principal: { kind: 'connector', id: 'c1' }, door: 'link' };
    expect(await call('browser_grant.put', { connector_id: 'c1' }, connector)).toMatchObject({
      code: 'caller_grant_missing',
    });
    expect(await call('browser_endpoint.list', {}, connector)).toMatchObject({ code: 'caller_grant_missing' });
    expect(await call('browser_grant.put', { connector_id: 'c1' })).toMatchObject({ ok: true, changed: true });
    expect(await call('browser_grant.list', {})).toMatchObject({ grants: [{ connector_id: 'c1' }] });
    expect(await create('k', {}, connector)).toMatchObject({ execution_state: 'queued' });
    // By an address only the person asks.
    const address = { source_url: SOURCE };
    expect(await call('browser_source.resolve', address, connector)).toMatchObject({ code: 'caller_grant_missing' });
    expect(await call('browser_source.resolve', address)).toMatchObject({ account_known: true, provider: 'chatgpt' });
    await call('browser_grant.revoke', { connector_id: 'c1' });
    expect(await create('k', {}, connector)).toMatchObject({ code: 'caller_grant_missing' });
    expect(events).toHaveLength(1);
  });

  it('asks consent, then the generation, then the capability; only a person’s own handoff needs no consent', async () => {
    const who = signedIn('a', { consent: false });
    expect(await create('k1')).toMatchObject({ code: 'webchat_control_not_allowed' });
    const handoff = { endpoint_ref: who.endpoint, message: 'Go on.', idempotency_key: 'mine' };
    expect(act('handoff.deliver', { ...handoff, source_url: NEW })).toMatchObject({
      ok: false,
      code: 'browser_resource_not_found',
    });
    expect(act('handoff.deliver', { ...handoff, source_url: SOURCE, space_ref: who.space })).toMatchObject({
      ok: true,
      dispatch: { space_ref: who.space },
    });
    const second = signedIn('b', { capabilities: ['composer.submit'] });
    expect(
      act('handoff.deliver', { ...handoff, endpoint_ref: second.endpoint, source_url: SOURCE, space_ref: who.space }),
    ).toMatchObject({ code: 'browser_resource_scope_mismatch' });
    const submit = { session_ref: second.source, message: 'x', wait_ms: 0 };
    const planned = { ...submit, expected_generation: second.generation };
    expect(
      await call('browser_dispatch.submit', { ...planned, expected_generation: 1, idempotency_key: 's0' }),
    ).toMatchObject({ code: 'stale_capability_generation', observation_generation: second.generation });
    expect(await call('browser_session.open', { ...planned, idempotency_key: 'o' })).toMatchObject({
      code: 'unsupported',
      capability: 'session.open',
    });
    expect(await call('browser_dispatch.submit', { ...planned, idempotency_key: 's1' })).toMatchObject({
      execution_state: 'queued',
    });
    // What was dispatched is found again by its key, also when the browser has changed since.
    registry('provider.observe', {
      endpoint_ref: second.endpoint,
      provider: 'chatgpt',
      adapter_protocol_version: ADAPTER_PROTOCOL,
      capabilities: CAPABLE,
    });
    expect(await call('browser_dispatch.submit', { ...planned, idempotency_key: 's1' })).toMatchObject({
      replayed: true,
      delivery_state: 'uncertain',
    });
  });

  it('refuses forbidden inputs by name, and what no site does as unsupported', async () => {
    verifies('bridge.local-agents');
    const who = signedIn();
    for (const name of ['selector', 'javascript', 'url', 'cookies', 'bearerToken'])
      expect(await create('k', { [name]: 'x' }), name).toMatchObject({ code: 'browser_forbidden_input' });
    expect(await create('k', { required_apps: ['x'] })).toMatchObject({ code: 'unsupported' });
    expect(await call('browser_space.create', { endpoint_ref: who.endpoint })).toMatchObject({ code: 'unsupported' });
    expect(await call('browser_space.create', { cdp: 1 })).toMatchObject({ code: 'browser_forbidden_input' });
    expect(events).toHaveLength(0);
  });

  it('two browsers that showed the same chat at the same moment choose nobody', async () => {
    const first = signedIn('a');
    const second = signedIn('b');
    expect(await create('k')).toMatchObject({
      code: 'browser_canonical_url_ambiguous',
      candidates: expect.arrayContaining([first.source, second.source]),
    });
    pass(1);
    signedIn('b');
    expect(await create('k')).toMatchObject({ endpoint_ref: second.endpoint });
  });
});

describe('the last question before anything is typed or pressed', () => {
  it('is for the account that was meant: another one, or none, and nothing was done', async () => {
    verifies('bridge.accounts');
    const other = signedIn('a', { account: 'somebody else' });
    pass(1);
    const who = signedIn();
    for (const [signedInNow, reason] of [
      [other.account, 'account_changed'],
      ['signed_out', 'signed_out'],
      ['account_unknown', 'account_unknown'],
    ] as const) {
      const { dispatch_id } = await create(`k-${reason}`);
      expect(claim(who)).toMatchObject({ command: { account_ref: who.account } });
      const refused = { ok: true, confirmed: false, dispatch: { delivery_state: 'rejected', reason } };
      expect(confirm(who, signedInNow), reason).toMatchObject(refused);
      // It is over: also when the right one signs in again.
      expect(confirm(who), reason).toMatchObject({ ok: false, code: 'actuation_taken' });
      expect(claim(who)).toMatchObject({ ok: false, code: 'actuation_taken' });
      expect(await status(dispatch_id)).toMatchObject({ delivery_state: 'rejected', reason });
    }
  });

  it('holds only under the consent, the grant and the generation that it was asked under', async () => {
    verifies('bridge.accounts', 'bridge.local-agents');
    const who = signedIn();
    const consent = (expected_revision: number, webchat_control: boolean) =>
      registry('endpoint.consent', {
        endpoint_ref: who.endpoint,
        expected_revision,
        consent: { webchat_control, tool_bridge: false, tool_bridge_workstation_mutation: false },
      });
    const refusedWith = async (key: string, between: () => unknown, from?: object) => {
      await create(key, {}, from);
      claim(who);
      await between();
      return confirm(who);
    };
    expect(await refusedWith('k1', () => consent(1, false))).toMatchObject({
      confirmed: false,
      dispatch: { reason: 'consent_withdrawn' },
    });
    consent(2, true);
    // Taken back and given again is another consent.
    expect(
      await refusedWith('k2', () => {
        consent(3, false);
        consent(4, true);
      }),
    ).toMatchObject({ dispatch: { delivery_state: 'rejected', reason: 'consent_changed' } });
    const connector = { principal: { kind: 'connector', id: 'c1' }, door: 'link' };
    await call('browser_grant.put', { connector_id: 'c1' });
    expect(
      await refusedWith('k3', () => call('browser_grant.revoke', { connector_id: 'c1' }), connector),
    ).toMatchObject({ dispatch: { reason: 'grant_withdrawn' } });
    expect(
      await refusedWith('k4', () =>
        registry('provider.observe', {
          endpoint_ref: who.endpoint,
          provider: 'chatgpt',
          adapter_protocol_version: ADAPTER_PROTOCOL,
          capabilities: ['composer.submit'],
        }),
      ),
    ).toMatchObject({ dispatch: { reason: 'capability_changed' } });
  });

  it('is answered the same as often as it is asked, and only to its claimant', async () => {
    const who = signedIn();
    await create('k1');
    claim(who);
    expect(confirm(who, who.account, 'claimant-2')).toMatchObject({ code: 'actuation_taken' });
    const confirmed = { ok: true, confirmed: true, dispatch: { execution_state: 'submitted' } };
    expect(confirm(who)).toMatchObject(confirmed);
    await close();
    open();
    // What the browser may have begun is not called undone afterwards: only the answer is another one.
    expect(confirm(who, 'signed_out')).toMatchObject({ ...confirmed, confirmed: false });
    expect(report(who, created(who))).toMatchObject({ dispatch: { delivery_state: 'applied' } });
  });

  it('until it is answered a dispatch can be withdrawn, and one that is never asked was certainly not done', async () => {
    verifies('bridge.local-agents');
    const who = signedIn();
    const stop = (key: string, dispatch_id: unknown) =>
      call('browser_dispatch.stop', {
        expected_generation: who.generation,
        idempotency_key: key,
        wait_ms: 0,
        dispatch_id,
      });
    const first = await create('k1');
    claim(who);
    expect(await stop('t1', first.dispatch_id)).toMatchObject({ delivery_state: 'stopped', reason: 'withdrawn' });
    expect(confirm(who)).toMatchObject({ confirmed: false });
    const second = await create('k2');
    claim(who);
    pass(CONFIRM_WAIT_MS + 1);
    expect(await status(second.dispatch_id)).toMatchObject({
      delivery_state: 'browser_offline',
      reason: 'browser_fell_silent',
    });
    expect(confirm(who)).toMatchObject({ confirmed: false });
    const third = await create('k3');
    claim(who);
    confirm(who);
    pass(CONFIRM_WAIT_MS + 1);
    expect(await status(third.dispatch_id)).toMatchObject({
      delivery_state: 'uncertain',
      execution_state: 'submitted',
    });
    expect(await stop('t3', third.dispatch_id)).toMatchObject({ ok: false });
  });

  it('what waits for a better moment says why at once, holds nobody else up, and is done when nobody is busy', async () => {
    verifies('bridge.archive');
    const who = signedIn();
    const archive = { session_ref: who.source, expected_generation: who.generation, wait_ms: 0 };
    await call('browser_session.archive', { ...archive, idempotency_key: 'a1' });
    claim(who);
    const putOff = events.at(-1);
    expect(defer(who, 'turn_in_progress')).toMatchObject({ ok: true });
    const waiting = { delivery_state: 'uncertain', execution_state: 'queued', reason: 'turn_in_progress' };
    expect(await call('browser_session.archive', { ...archive, idempotency_key: 'a1' })).toMatchObject(waiting);
    pass(CLAIM_WAIT_MS + CLAIMED_SILENT_MS);
    const other = await create('k1');
    expect(other).toMatchObject({ execution_state: 'queued', reason: null });
    expect(confirm(who, who.account, 'claimant-1', putOff)).toMatchObject({ code: 'browser_account_busy' });
    claim(who);
    confirm(who);
    report(who, created(who));
    expect(confirm(who, who.account, 'claimant-1', putOff)).toMatchObject({
      confirmed: true,
      dispatch: { reason: null, execution_state: 'submitted' },
    });
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
