/** The answer to a dispatch, where it is complete before anybody knows that it is waited for, and where nobody takes it at once. */
import { describe, expect, it } from 'vitest';
import type { ActuationCommand } from '../../../contract/browser/actuation.ts';
import { createAnswers } from '../../../extension/background/answers.ts';
import { ACTUATIONS_MAX } from '../../../extension/machines/actuation/index.ts';
import { EMPTY, type Event, type State, step } from '../../../extension/machines/worker/index.ts';
import type { PageState } from '../../../extension/messages.ts';
import { verifies } from '../../verifies.ts';
import { CHAT, chat, QUIET } from './chat.ts';

const ID = `ba_${'1'.repeat(16)}`;
const DISPATCH = `bd_${'2'.repeat(64)}`;
const REF = `br_${'a'.repeat(64)}`;
const NOW = 1_764_500_000_000;
const fresh = { boot: 'b1', server: 'embedded', herdr: 'live', workspaces: [], agents: [] };
const from = (tab = 7, document = `d${tab}`) => ({ tab, document, version: '1.0.0', page: chat() });

function worker() {
  let state: State = { ...EMPTY, link: 'connected' };
  let now = NOW;
  const take = (event: Event, ms = 1_000) => {
    now += ms;
    const stepped = step(state, event, { now, language: 'en' });
    state = JSON.parse(JSON.stringify(stepped.state)) as State;
    return stepped.effects;
  };
  const asked = (event: Event, ms = 1_000) =>
    take(event, ms).flatMap((one) => (one.type === 'answer' ? [`${one.tab} ${one.conversation}`] : []));
  const act = (event: Extract<Event, { type: 'actuation' }>['event'], more: object = {}): Event => ({
    type: 'actuation',
    id: ID,
    event,
    ...more,
  });
  take({ type: 'here', from: from(), state: QUIET });
  return {
    take,
    asked,
    act,
    state: () => state,
    /** A local agent's message, up to the moment in which the page wants to press Send. */
    typed() {
      const command: ActuationCommand = {
        protocol: 'herdr-browser-actuation/v1',
        ...{ actuation_id: ID, dispatch_id: DISPATCH, operation: 'composer.submit', provider: 'chatgpt' },
        ...{ expected_generation: 3, account_ref: `br_${'c'.repeat(64)}`, space: null, source_url: null },
        session: { session_ref: REF, canonical_url: CHAT },
        message: 'Which test shows it?',
      };
      take({ type: 'actuations', waiting: [ID], claimant: 'life' });
      take(act({ type: 'claimed', command }));
      take(act({ type: 'checked', answer: 'confirmed', account: { salt: 's', digest: 'd' } }));
      const [delivery] = Object.values(state.deliveries);
      const { id = '', attempt = 0 } = delivery ?? {};
      take({ type: 'claim', from: from(), id, attempt, baseline: { userIds: [], userTurns: 0 } });
      return { id, attempt };
    },
    accepted({ id, attempt }: { id: string; attempt: number }) {
      take({ type: 'done', from: from(), id, attempt, outcome: { state: 'sent', messageId: 'm1', url: CHAT } });
      take(act({ type: 'named', ref: REF, generation: 3, message: 'm1' }));
      return act({ type: 'reported', answer: 'told' }, { dispatch: DISPATCH, applied: true });
    },
  };
}

describe('an answer that the delivery service waits for', () => {
  it('that was complete before the report was answered is asked for as soon as it is waited for', () => {
    verifies('bridge.local-agents');
    const it = worker();
    const sent = it.typed();
    // The chat answers in one word while the runtime still reads the report: nobody waits for it yet.
    it.take({ type: 'turn_accepted', from: from(), text: 'Which test shows it?', id: 'm1', submitted: 'extension' });
    const turn = { user: 'Which test shows it?', answer: 'This one.', answerId: 'a1' };
    it.take({ type: 'turn_ended', from: from(), turn });
    const told = it.accepted(sent);
    expect(it.asked(told)).toEqual([`7 ${CHAT}`]);
    expect(it.asked({ type: 'page', from: from(), state: QUIET })).toEqual([]);
  });

  it('is not asked for while it is written: its page says when it ends, and nobody is told before', () => {
    verifies('bridge.local-agents');
    const it = worker();
    expect(it.asked(it.accepted(it.typed()))).toEqual([]);
    // A page that was never seen to write is asked how it is, so that this ends.
    const effects = it.take({ type: 'tick' }, 30_000);
    expect(effects.filter(({ type }) => type === 'answer' || type === 'ask')).toEqual([{ type: 'ask', tab: 7 }]);
    it.take({ type: 'page', from: from(), state: QUIET });
    expect(it.asked({ type: 'tick' }, 30_000)).toEqual([`7 ${CHAT}`]);
  });

  it('is asked for again with each alarm, each runtime, each life of the worker and each page, until it was told', () => {
    verifies('bridge.local-agents');
    const it = worker();
    it.take(it.accepted(it.typed()));
    it.take({ type: 'page', from: from(), state: QUIET });
    const hello = { boot: 'b1', position: 0, replaying: false, fresh, at: NOW };
    const events: Event[] = [{ type: 'tick' }, { type: 'started' }, { type: 'hello', ...hello }];
    for (const event of events) expect(it.asked(event, 30_000), event.type).toEqual([`7 ${CHAT}`]);
    expect(it.asked({ type: 'here', from: from(9), state: QUIET })).toEqual([`9 ${CHAT}`]);
    // Of two tabs the older one may not show it: both are asked.
    expect(it.asked({ type: 'tick' }, 30_000)).toEqual([`7 ${CHAT}`, `9 ${CHAT}`]);
    // A site that refuses is left alone.
    it.take({ type: 'site_refused', from: from() });
    expect(it.asked({ type: 'tick' })).toEqual([]);
    expect(it.asked({ type: 'tick' }, 60_000)).toHaveLength(2);
    it.take({ type: 'awaited_over', dispatch: DISPATCH });
    expect(it.asked({ type: 'tick' })).toEqual([]);
  });

  it('is asked for less and less often, and after a day no more; a clock that is put back changes nothing of it', () => {
    verifies('bridge.local-agents');
    const it = worker();
    it.take(it.accepted(it.typed()));
    it.take({ type: 'page', from: from(), state: QUIET });
    let asked = 0;
    for (let at = 0; at < 24 * 60 * 2; at += 1) asked += it.asked({ type: 'tick' }, 30_000).length;
    expect(asked).toBeGreaterThan(20);
    expect(asked).toBeLessThan(100);
    expect(it.asked({ type: 'tick' }, 30_000)).toEqual([]);
    const back = worker();
    back.take(back.accepted(back.typed()));
    back.take({ type: 'page', from: from(), state: QUIET });
    back.take({ type: 'tick' }, 600_000);
    back.take({ type: 'tick' }, -3_600_000);
    let after = 0;
    for (let at = 0; at < 120; at += 1) after += back.asked({ type: 'tick' }, 30_000).length;
    expect(after).toBeGreaterThan(5);
    expect(after).toBeLessThan(40);
  });

  it('stays waited for when nobody takes it, and is told to nobody while it is not whole', async () => {
    verifies('bridge.local-agents');
    const it = worker();
    it.take(it.accepted(it.typed()));
    const [told, over]: [string[], string[]] = [[], []];
    let taken: 'told' | 'over' | null = null;
    let shown: { user: { id: string; text: string } | null; assistant: { id: string; text: string } | null } = {
      user: null,
      assistant: null,
    };
    const answers = createAnswers({
      askPage: async () => ({ ok: true, value: { page: chat(), ...shown } }),
      state: async () => it.state(),
      dispatches: {
        settle: async ({ dispatch, assistant }) => {
          told.push(`${dispatch} ${assistant.text}`);
          return taken;
        },
      },
      take: async (event) => {
        if (event.type === 'awaited_over') over.push(event.dispatch);
        it.take(event);
      },
    });
    await answers.look(7, CHAT, ['m1']);
    expect(told).toEqual([]);
    shown = { user: { id: 'm1', text: 'Which test shows it?' }, assistant: { id: 'a1', text: 'This one.' } };
    await answers.look(7, CHAT, ['m1']);
    expect([told, over]).toEqual([[`${DISPATCH} This one.`], []]);
    taken = 'told';
    await answers.look(7, CHAT, ['m1']);
    expect([told.length, over]).toEqual([2, [DISPATCH]]);
    await answers.look(7, CHAT, ['m1']);
    expect(told).toHaveLength(2);
  });
});

describe('a page that was quiet again before its message was known to be sent', () => {
  const archive: ActuationCommand = {
    protocol: 'herdr-browser-actuation/v1',
    ...{ actuation_id: ID, dispatch_id: DISPATCH, operation: 'session.archive', provider: 'chatgpt' },
    ...{ expected_generation: 3, account_ref: `br_${'c'.repeat(64)}`, space: null, source_url: null, message: null },
    session: { session_ref: REF, canonical_url: CHAT },
  };

  it('is not taken for busy: the turn that has ended is the message’s own', () => {
    verifies('extension.wake');
    const it = worker();
    const sent = it.typed();
    it.take({ type: 'turn_accepted', from: from(), text: 'Which test shows it?', id: 'm1', submitted: 'extension' });
    // The turn before it, which its server confirms late, ends nothing of it.
    it.take({ type: 'turn_ended', from: from(), turn: { user: 'An older one', answer: 'Yes.', answerId: 'a0' } });
    const ofAnother = JSON.parse(JSON.stringify(it.state())) as State;
    const turn = { user: 'Which test shows it?', answer: 'This one.', answerId: 'a1' };
    it.take({ type: 'turn_ended', from: from(), turn });
    it.take(it.accepted(sent));
    expect(it.state().tabs[7]?.state.busy).toBe(false);
    const outcome = { state: 'sent' as const, messageId: 'm1', url: CHAT };
    const late = step(
      ofAnother,
      { type: 'done', from: from(), ...sent, outcome },
      { now: NOW + 9_000, language: 'en' },
    );
    expect(late.state.tabs[7]?.state.busy).toBe(true);
  });

  it('is asked how it is, and what waits for it to be quiet goes on', () => {
    verifies('bridge.archive');
    const it = worker();
    const sent = it.typed();
    it.take({ type: 'turn_ended', from: from() });
    it.take(it.accepted(sent));
    it.take({ type: 'awaited_over', dispatch: DISPATCH });
    // The page has said that it is quiet, and says nothing again: only the worker takes it for busy.
    expect(it.state().tabs[7]?.state.busy).toBe(true);
    it.take({ type: 'actuations', waiting: [ID], claimant: 'life' });
    it.take(it.act({ type: 'claimed', command: archive }));
    expect(it.state().actuations[ID]).toMatchObject({ phase: 'deferring', deferred: 'turn_in_progress' });
    expect(it.take({ type: 'tick' }, 30_000)).toContainEqual({ type: 'ask', tab: 7 });
    const quiet: PageState = QUIET;
    expect(it.take({ type: 'page', from: from(), state: quiet })).toContainEqual({
      type: 'actuate',
      wants: expect.objectContaining({ type: 'check', id: ID }),
    });
  });
});

describe('a message in doubt whose turn is seen late', () => {
  /** The page has pressed Send and seen nothing; the runtime was told so. */
  function doubted() {
    const it = worker();
    const { id, attempt } = it.typed();
    const outcome = { state: 'uncertain' as const, reason: 'no_new_turn' as const };
    const reports = it.take({ type: 'done', from: from(), id, attempt, outcome });
    expect(reports).toContainEqual({
      type: 'actuate',
      wants: expect.objectContaining({ type: 'report', evidence: expect.objectContaining({ command_accepted: null }) }),
    });
    it.take(it.act({ type: 'reported', answer: 'told' }, { dispatch: DISPATCH, applied: false }));
    return it;
  }
  const shown = (tab = 7) => ({
    type: 'turn_accepted' as const,
    from: from(tab),
    text: 'Which test shows it?',
    id: 'm1',
    submitted: 'person' as const,
  });

  it.each([7, 9])('is proved to the runtime, and its answer is waited for (seen in tab %i)', (tab) => {
    verifies('bridge.local-agents');
    const it = doubted();
    it.take({ type: 'started' });
    if (tab !== 7) {
      it.take({ type: 'here', from: from(tab), state: QUIET });
      it.take({ type: 'tab_gone', tab: 7 });
    }
    const named = { type: 'actuate', wants: expect.objectContaining({ type: 'name', tab, conversation: CHAT }) };
    expect(it.take(shown(tab))).toContainEqual(named);
    const effects = it.take(it.act({ type: 'named', ref: REF, generation: 3, message: null }));
    expect(effects).toContainEqual({
      type: 'actuate',
      wants: expect.objectContaining({
        type: 'report',
        evidence: expect.objectContaining({
          command_accepted: true,
          message_baseline_advanced: true,
          accepted_message_ref: 'm1',
          session_ref: REF,
        }),
      }),
    });
    it.take(it.act({ type: 'reported', answer: 'told' }, { dispatch: DISPATCH, applied: true }));
    expect(it.state().awaited[DISPATCH]).toMatchObject({ conversation: CHAT, message: 'm1' });
    expect(it.state().actuations).toEqual({});
    // Once: another page that shows it proves nothing new.
    expect(it.take(shown(tab)).filter(({ type }) => type === 'actuate')).toEqual([]);
  });

  it('is forgotten after a day, and keeps no other act from being done', () => {
    const it = doubted();
    const others = Array.from({ length: ACTUATIONS_MAX }, (_, at) => `ba_${String(at).padStart(16, '0')}`);
    it.take({ type: 'actuations', waiting: others, claimant: 'life' });
    expect(Object.keys(it.state().actuations)).toHaveLength(ACTUATIONS_MAX + 1);
    const old = doubted();
    old.take({ type: 'tick' }, 25 * 3_600_000);
    expect(old.state().actuations).toEqual({});
  });
});
