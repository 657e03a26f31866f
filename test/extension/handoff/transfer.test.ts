import { describe, expect, it } from 'vitest';
import { PROVED_UNDELIVERED } from '../../../contract/browser/dispatch.ts';
import { type HandoffStep, handoff, handoffIn, type Transfer } from '../../../extension/machines/handoff/index.ts';
import { verifies } from '../../verifies.ts';
import { EVENTS, FACTS, HANDOFF, messageOf, OTHER, SOURCE, SPARE, TARGET, TRANSFERS } from './fixtures.ts';

const CASES = Object.entries(TRANSFERS).flatMap(([state, transfer]) =>
  Object.entries(EVENTS).flatMap(([event, given]) =>
    Object.entries(FACTS).map(([facts, around]) => ({ state, event, facts, transfer, given, around })),
  ),
);

/** In a word: where it stands then, how it ended, and what is asked of whom. */
function told({ transfer, effects, ended }: HandoffStep): string {
  const end =
    ended === null
      ? transfer.phase
      : ended.as === 'verified'
        ? 'commit'
        : `failed ${ended.reason}${ended.copy ? ' copy' : ''}`;
  return [end, ...effects.map(({ type }) => type)].join(' + ');
}

describe('a handoff, every state × every event', () => {
  it('keeps its promises in each of them', () => {
    verifies('extension.handoff');
    expect(CASES.length).toBeGreaterThan(1_400);
    for (const { state, event, facts, transfer, given, around } of CASES) {
      const at = `${state} × ${event} (${facts})`;
      const step = handoff(transfer, given, around);
      const { ended, effects } = step;
      // What is being handed over never changes under way.
      const kept = (one: Transfer) => [one.id, one.conversation, one.rows, one.sourceUrl, one.createdAt];
      expect(kept(step.transfer), at).toEqual(kept(transfer));
      // The message is given to the service once, and again only under the same key, or by the server's proof.
      if (effects.some(({ type }) => type === 'deliver')) {
        const again = transfer.phase === 'delivering';
        const first = transfer.phase === 'preparing' && given.type === 'prepared';
        const summed = transfer.phase === 'summarising' && given.type === 'summary' && given.turn !== null;
        const proved = transfer.phase === 'uncertain' && given.type === 'verified' && given.found === 'none';
        expect(again || first || summed || (proved && !transfer.seededAgain), at).toBe(true);
        expect(step.transfer.message, at).not.toBeNull();
      }
      // A person who resumes one that is in doubt only looks.
      if (given.type === 'resumed' && transfer.phase === 'uncertain')
        expect(
          effects.every(({ type }) => ['observe', 'verify', 'open_target'].includes(type)),
          at,
        ).toBe(true);
      if (ended?.as === 'failed' && ended.copy) expect(isProof(given), at).toBe(true);
      if (ended?.as === 'failed' && ended.copy) expect(transfer.seededAgain, at).toBe(false);
      if (ended?.as === 'verified') {
        expect(given, at).toMatchObject({ type: 'verified', found: 'yes' });
        expect(step.transfer.target?.conversation, at).not.toBe(SOURCE);
        expect(['verifying', 'uncertain'], at).toContain(transfer.phase);
      }
      // Time alone sends nothing new and proves nothing.
      if (given.type === 'look' || given.type === 'restarted')
        expect(
          ended === null || (ended.as === 'failed' && ['preparing', 'summarising'].includes(transfer.phase)),
          at,
        ).toBe(true);
      // A packet is no chain's message, and from ChatGPT none is ever asked for: it is only read.
      if (effects.some(({ type }) => type === 'read_summary')) expect(step.transfer.requestedAt, at).not.toBeNull();
      if (transfer.site === 'chatgpt') expect(step.transfer.words, at).not.toBe('summary');
    }
  });

  it.each([
    ['preparing', 'prepared', 'soon', 'delivering + deliver'],
    ['preparing', 'preparedNobody', 'later', 'preparing'],
    // A person's own press may finish an earlier transfer; nothing else looks for one.
    ['preparing', 'preparedRefused', 'soon', 'summarising + read_summary'],
    ['automatically', 'preparedRefused', 'soon', 'failed continuity_unavailable'],
    ['preparingAgain', 'preparedRefused', 'soon', 'failed continuity_unavailable'],
    ['lookingForPacket', 'summaryNone', 'soon', 'failed continuity_unavailable'],
    ['lookingForPacket', 'summaryUnasked', 'soon', 'failed continuity_unavailable'],
    ['lookingForPacket', 'summaryCut', 'soon', 'failed continuity_unavailable'],
    ['lookingForPacket', 'summaryOfAnother', 'soon', 'delivering + deliver'],
    ['lookingForPacket', 'look', 'long', 'failed continuity_unavailable'],
    ['summarising', 'requested', 'soon', 'summarising + read_summary'],
    ['summarising', 'requestedInDoubt', 'soon', 'summarising + read_summary'],
    ['summarising', 'requestedNot', 'soon', 'failed user_typing'],
    ['summarising', 'look', 'long', 'summarising'],
    ['summaryAsked', 'summary', 'soon', 'delivering + deliver'],
    ['summaryAsked', 'summaryCut', 'soon', 'summarising'],
    ['summaryAsked', 'summaryRefused', 'soon', 'summarising'],
    ['summaryAsked', 'summaryOfAnother', 'soon', 'summarising'],
    ['summaryAsked', 'summaryUnasked', 'soon', 'summarising'],
    ['summaryAsked', 'look', 'later', 'summarising + read_summary'],
    ['summaryAsked', 'look', 'writing', 'summarising'],
    ['summaryAsked', 'look', 'long', 'failed summary_missing'],
    ['summaryAsked', 'restarted', 'sourceClosed', 'summarising'],
    ['preparing', 'preparedOtherChain', 'soon', 'failed continuity_unavailable'],
    ['preparing', 'preparedUnmarked', 'soon', 'failed continuity_unavailable'],
    ['preparing', 'look', 'later', 'preparing + prepare'],
    ['preparing', 'look', 'long', 'failed continuity_unavailable'],
    ['delivering', 'restarted', 'soon', 'delivering + deliver'],
    ['delivering', 'unanswered', 'soon', 'delivering'],
    ['delivering', 'busy', 'soon', 'delivering'],
    ['delivering', 'refused', 'soon', 'failed not_delivered copy'],
    // No word of ours about execution or result: without a dispatch the prepared message is offered, with one it is looked up.
    ['delivering', 'nothing', 'soon', 'failed no_execution_seen copy'],
    ['delivering', 'named', 'soon', 'observing + observe'],
    ['delivering', 'queued', 'soon', 'observing'],
    ['delivering', 'deliveredApplied', 'soon', 'verifying + verify'],
    ['delivering', 'deliveredEarlier', 'soon', 'preparing + prepare'],
    ['delivering', 'deliveredByOldClock', 'soon', 'verifying + verify'],
    ['delivering', 'deliveredBeforeInVain', 'soon', 'preparing + prepare'],
    ['delivering', 'deliveredOffline', 'soon', 'failed not_delivered copy'],
    ['observing', 'observedNobody', 'later', 'observing'],
    ['observing', 'observedUnknown', 'later', 'uncertain'],
    ['observing', 'observedQueued', 'later', 'observing'],
    ['observing', 'observedQueued', 'long', 'uncertain'],
    ['observing', 'observedUncertain', 'soon', 'uncertain'],
    ['observing', 'observedApplied', 'closed', 'verifying'],
    ['observing', 'observedAppliedNowhere', 'soon', 'uncertain'],
    ['observing', 'observedAppliedHere', 'soon', 'failed target_is_source'],
    ['observing', 'observedRejected', 'soon', 'failed not_delivered copy'],
    ['observing', 'observedOther', 'soon', 'observing'],
    ['observing', 'look', 'long', 'uncertain'],
    // The second message was refused, the first one is still in doubt: that offers nothing.
    ['observingAgain', 'observedRejected', 'soon', 'uncertain'],
    ['verifying', 'verifiedYes', 'soon', 'commit'],
    ['verifying', 'verifiedUnknown', 'soon', 'verifying'],
    ['verifying', 'verifiedUnknown', 'long', 'uncertain'],
    ['verifying', 'verifiedSource', 'soon', 'verifying'],
    ['verifying', 'look', 'closed', 'verifying'],
    ['uncertain', 'resumed', 'later', 'uncertain + observe + verify'],
    ['uncertainKnown', 'resumed', 'later', 'uncertain + observe + verify'],
    ['uncertainKnown', 'resumed', 'closed', 'uncertain + observe + open_target'],
    ['uncertain', 'verifiedElsewhere', 'later', 'commit'],
    ['uncertain', 'verifiedOtherEmpty', 'later', 'uncertain'],
    ['uncertainKnown', 'verifiedNone', 'later', 'delivering + deliver'],
    ['uncertainAgain', 'verifiedNone', 'later', 'uncertain'],
    ['uncertain', 'observedApplied', 'soon', 'verifying + verify'],
    ['uncertain', 'observedRejected', 'soon', 'failed not_delivered copy'],
  ] as const)('%s × %s (%s): %s', (state, event, facts, expected) => {
    const [transfer, given, around] = [TRANSFERS[state], EVENTS[event], FACTS[facts]];
    if (!transfer || !given || !around) throw new Error('no such case');
    expect(told(handoff(transfer, given, around))).toBe(expected);
  });

  it('an id that led an earlier handoff of this chat to another one is not used again', () => {
    verifies('extension.handoff');
    const { delivering } = TRANSFERS;
    const [earlier, soon] = [EVENTS.deliveredEarlier, FACTS.soon];
    if (!delivering || !earlier || !soon) throw new Error('no such case');
    const again = handoff(delivering, earlier, soon).transfer;
    expect(again).toMatchObject({ phase: 'preparing', handoffId: SPARE, message: null });
    const given = { handoffId: SPARE, continuityId: 'hc:1:abcdefgh', message: messageOf(SPARE), workChainId: null };
    const next = handoff(again, { type: 'prepared', answer: given }, soon).transfer;
    // The same answer to the id of its own is the first delivery of this one.
    expect(told(handoff(next, earlier, soon))).toBe('verifying + verify');
  });

  it('knows a prepared message by its own frame alone', () => {
    expect(handoffIn(messageOf())).toEqual({ handoffId: HANDOFF, continuityId: 'hc:1:abcdefgh' });
    expect(handoffIn(`Look: ${messageOf()}`)).toBeNull();
    expect(handoffIn('[HERDR_CONTINUITY_REF id=x]')).toBeNull();
    expect(OTHER).not.toBe(TARGET);
  });
});

function isProof(given: (typeof EVENTS)[string]): boolean {
  if (given.type === 'observed')
    return typeof given.dispatch === 'object' && given.dispatch !== null
      ? PROVED_UNDELIVERED.has(given.dispatch.delivery_state)
      : false;
  if (given.type !== 'delivered') return false;
  const { answer } = given;
  if (answer.kind === 'dispatch') return PROVED_UNDELIVERED.has(answer.dispatch.delivery_state);
  return answer.kind === 'nothing' || (answer.kind === 'refused' && !answer.busy);
}
