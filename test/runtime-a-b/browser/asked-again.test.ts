/** The last question, asked again because its answer was lost, and a handoff that is ended where its place has changed since. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import {
  act,
  CAPABLE,
  claim,
  confirm,
  create,
  created,
  NEW,
  pass,
  registry,
  report,
  SOURCE,
  signedIn,
  status,
} from './played.ts';

/** Another account has signed in since, in the same browser, and the pages show the same addresses. */
function isSignedIn(seed: string, account: string): ReturnType<typeof signedIn> {
  pass(1);
  return signedIn(seed, { account });
}

describe('the last question, asked again under the same name', () => {
  const withdraws = (endpoint: string, webchat_control: boolean, expected_revision = 1) =>
    registry('endpoint.consent', {
      endpoint_ref: endpoint,
      expected_revision,
      consent: { webchat_control, tool_bridge: false, tool_bridge_workstation_mutation: false },
    });

  it('is not answered yes for whoever else is signed in by then; what may have begun is not called undone', async () => {
    verifies('bridge.accounts');
    const who = signedIn();
    const { dispatch_id } = await create('k1');
    const other = isSignedIn('a', 'somebody else').account;
    claim(who);
    expect(confirm(who)).toMatchObject({ confirmed: true });
    for (const [signed, objection] of [
      [other, 'account_changed'],
      ['signed_out', 'signed_out'],
      ['account_unknown', 'account_unknown'],
    ] as const) {
      expect(confirm(who, signed), signed).toMatchObject({ ok: true, confirmed: false, objection });
      expect(await status(dispatch_id), signed).toMatchObject({ delivery_state: 'uncertain', reason: null });
    }
    expect(confirm(who)).toMatchObject({ confirmed: true });
    // Only whoever asked knows whether it has begun, and says so.
    expect(report(who, created(who))).toMatchObject({ dispatch: { delivery_state: 'applied' } });
  });

  it('is not answered yes when the person has taken the consent back, or what the browser can do has changed', async () => {
    verifies('bridge.accounts');
    const who = signedIn();
    const { dispatch_id } = await create('k1');
    claim(who);
    confirm(who);
    withdraws(who.endpoint, false);
    expect(confirm(who)).toMatchObject({ confirmed: false, objection: 'consent_withdrawn' });
    withdraws(who.endpoint, true, 2);
    expect(confirm(who)).toMatchObject({ confirmed: false, objection: 'consent_changed' });
    // Nothing was typed: the one who was about to says so, and then it is certain.
    expect(report(who, { command_accepted: false, refused: 'consent_changed' })).toMatchObject({
      dispatch: { dispatch_id, delivery_state: 'rejected', reason: 'consent_changed' },
    });
    const again = isSignedIn('b', 'me');
    await create('k2');
    claim(again);
    confirm(again);
    registry('provider.observe', {
      endpoint_ref: again.endpoint,
      provider: 'chatgpt',
      adapter_protocol_version: 2,
      capabilities: CAPABLE.slice(1),
    });
    expect(confirm(again)).toMatchObject({ confirmed: false, objection: 'capability_changed' });
  });
});

describe('a handoff that a person ends', () => {
  const MESSAGE = 'Go on there.';
  const given = (who: ReturnType<typeof signedIn>, more: object = {}) => ({
    endpoint_ref: who.endpoint,
    source_url: SOURCE,
    space_ref: who.space,
    message: MESSAGE,
    idempotency_key: `hh_${'1'.repeat(32)}`,
    ...more,
  });
  const deliver = (who: ReturnType<typeof signedIn>) => {
    const answer = act('handoff.deliver', given(who));
    if (!answer.ok || !('dispatch' in answer)) throw new Error('not delivered');
    return answer.dispatch.dispatch_id;
  };

  it('is ended by its own id or key, whoever is signed in by then', async () => {
    verifies('extension.handoff', 'bridge.accounts');
    for (const named of [true, false]) {
      const seed = named ? 'a' : 'b';
      const who = signedIn(seed, { account: `of ${seed}` });
      const dispatch_id = deliver(who);
      // Another account is signed in: the Project of the page is another one's now.
      const other = isSignedIn(seed, `other than ${seed}`);
      const body = given(who, { space_ref: other.space, ...(named ? { dispatch_id } : {}) });
      const ended = act('handoff.end', body);
      expect(ended, seed).toMatchObject({ ok: true, dispatch: { dispatch_id, delivery_state: 'stopped' } });
      expect(claim(who), seed).toMatchObject({ ok: false });
    }
  });

  it('and was typed already, is not called undelivered because its place cannot be named any more', async () => {
    verifies('extension.handoff', 'bridge.accounts');
    const who = signedIn();
    const dispatch_id = deliver(who);
    claim(who);
    confirm(who);
    const other = isSignedIn('a', 'somebody else');
    const body = given(who, { space_ref: other.space, dispatch_id });
    expect(act('handoff.end', body)).toMatchObject({
      ok: true,
      dispatch: { dispatch_id, delivery_state: 'uncertain' },
    });
    report(who, created(who));
    expect(act('handoff.end', body)).toMatchObject({ ok: true, dispatch: { delivery_state: 'applied' } });
  });

  it('whose request is repeated because its answer was lost is the same one, also when its place is another’s by now', () => {
    verifies('extension.handoff', 'bridge.accounts');
    const who = signedIn();
    const dispatch_id = deliver(who);
    const other = isSignedIn('a', 'somebody else');
    const again = { ok: true, replayed: true, dispatch: { dispatch_id, delivery_state: 'uncertain' } };
    for (const space of [who.space, other.space]) {
      pass(1);
      expect(act('handoff.deliver', given(who, { space_ref: space })), space).toMatchObject(again);
    }
    expect(act('handoff.deliver', given(who, { source_url: NEW }))).toMatchObject(again);
    // Other words under that key are another intention, and their place is not known.
    expect(act('handoff.deliver', given(who, { source_url: NEW, message: 'Else.' }))).toMatchObject({ ok: false });
    claim(who);
    expect(confirm(who)).toMatchObject({ confirmed: true });
  });

  it('that was never known is refused as its delivery would have been', () => {
    verifies('extension.handoff');
    const who = signedIn();
    isSignedIn('a', 'somebody else');
    expect(act('handoff.end', given(who))).toMatchObject({ ok: false, code: 'browser_resource_scope_mismatch' });
  });
});
