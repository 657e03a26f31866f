/** Who may have something done in a browser, and the last question before it is. */
import { describe, expect, it } from 'vitest';
import { ADAPTER_PROTOCOL } from '../../../contract/browser/actuation.ts';
import { CLAIM_WAIT_MS, CLAIMED_SILENT_MS, CONFIRM_WAIT_MS } from '../../../runtime-a-b/browser/dispatch/limits.ts';
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
  NEW,
  open,
  pass,
  registry,
  report,
  SOURCE,
  signedIn,
  status,
} from './played.ts';

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
