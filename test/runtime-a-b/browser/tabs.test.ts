/** What a browser tells of the tabs of a chat that is archived, or shown by several of them. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { archive, QUEUED, refused, turn } from './archiving.ts';
import { call, claim, confirm, events, pass, report, signedIn } from './played.ts';

describe('what a browser says of the tabs of a chat', () => {
  it('of the tab of an archived chat it is kept when the archive is proved, and says nothing of one in doubt', async () => {
    verifies('bridge.archive-tab');
    const who = signedIn();
    const byRef = { session_ref: who.source, expected_generation: who.generation };
    await archive({ ...byRef, idempotency_key: 'doubt' });
    claim(who);
    confirm(who);
    const seen = { session_ref: who.source, tab: 'closed' as const };
    expect(report(who, seen)).toMatchObject({ dispatch: { delivery_state: 'uncertain', tab_outcome: null } });
    expect(report(who, { ...seen, lifecycle: 'archived' })).toMatchObject({
      dispatch: { delivery_state: 'applied', tab_outcome: 'closed' },
    });
    expect(await archive({ ...byRef, idempotency_key: 'doubt' })).toMatchObject({ ok: true, tab_outcome: 'closed' });
    expect(await call('browser_session.archive_status', { session_ref: who.source })).toMatchObject({
      archive_state: 'archived',
    });
    // Somebody has gone on in it since: what it is now is not known.
    pass(1);
    turn(who, who.source, 'Hello again.');
    expect(await call('browser_session.archive_status', { session_ref: who.source })).toMatchObject({
      archive_state: 'unknown',
    });
  });

  it('several tabs of one chat are told as that, certainly undone, and the same key does it later', async () => {
    verifies('bridge.two-tabs');
    const who = signedIn();
    const open_ = () =>
      call('browser_session.open', {
        session_ref: who.source,
        expected_generation: who.generation,
        idempotency_key: 'k',
        wait_ms: 0,
      });
    await open_();
    claim(who);
    report(who, { command_accepted: false, refused: 'browser_canonical_url_ambiguous' });
    const { dispatch_id } = events.at(-1) ?? {};
    expect(await call('browser_dispatch.status', { dispatch_id })).toMatchObject({ delivery_state: 'rejected' });
    expect(await open_()).toMatchObject(QUEUED);
    claim(who);
    report(who, { command_accepted: false, refused: 'browser_canonical_url_ambiguous' });
    // Offered once more by itself, and not a third time.
    expect(await open_()).toMatchObject({
      ...refused('browser_canonical_url_ambiguous'),
      delivery_state: 'rejected',
      replayed: true,
    });
  });
});
