/** A line of work that goes on in another chat: the browser confirms it, or its person ends it. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import {
  act,
  claim,
  confirm,
  create,
  events,
  moved,
  NEW,
  pass,
  report,
  type Signed,
  SOURCE,
  signedIn,
  status,
} from './played.ts';

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
