/** A person does not wait for a handoff: writing on frees the chat, whatever else is in doubt at the same time. */
import { describe, expect, it } from 'vitest';
import type { Transfer } from '../../../extension/machines/handoff/index.ts';
import { EMPTY, type State, step } from '../../../extension/machines/worker/index.ts';
import { verifies } from '../../verifies.ts';
import { chat, project, QUIET } from '../worker/chat.ts';
import { CHAIN, HANDOFF, messageOf, NOW, OTHER, SOURCE, TARGET, TRANSFERS } from './fixtures.ts';

const from = (conversation: string, tab = 7) => ({
  tab,
  document: `d${tab}`,
  version: '1.0.0',
  page: chat(conversation),
});
const env = (now: number) => ({ now, language: 'en' as const });

function worker(...transfers: readonly Transfer[]): State {
  const known = {
    ...EMPTY,
    link: 'connected' as const,
    transfers: Object.fromEntries(transfers.map((one) => [one.id, one])),
  };
  const open = step(known, { type: 'here', from: from(SOURCE), state: QUIET }, env(NOW)).state;
  return step(open, { type: 'here', from: from(OTHER, 8), state: QUIET }, env(NOW)).state;
}
const wrote = (state: State, conversation: string, now: number, submitted: 'person' | 'extension' = 'person') =>
  step(state, { type: 'turn_accepted', from: from(conversation), text: 'on', id: 'u9', submitted }, env(now));

describe('writing on', () => {
  const first = { ...TRANSFERS['uncertain'], id: 'ht:1' } as Transfer;
  const second = { ...TRANSFERS['uncertain'], id: 'ht:2', conversation: OTHER } as Transfer;

  it('in the source of one handoff ends that one, also when another one was in doubt before it', () => {
    verifies('extension.handoff');
    const { state } = wrote(worker(first, second), OTHER, NOW + 1_000);
    expect(Object.keys(state.transfers)).toEqual(['ht:1']);
    expect(state.handed[OTHER]).toMatchObject({ as: 'failed', reason: 'delivery_uncertain', copy: null });
    expect(state.handed[SOURCE]).toBeUndefined();
  });

  it('in a third chat asks that chat for the mark of each of them, and ends none', () => {
    verifies('extension.handoff');
    const third = step(worker(first, second), { type: 'here', from: from(TARGET, 9), state: QUIET }, env(NOW)).state;
    const { state, effects } = wrote(third, TARGET, NOW + 1_000);
    expect(Object.keys(state.transfers)).toEqual(['ht:1', 'ht:2']);
    const asked = effects.flatMap((one) =>
      one.type === 'hand_over' && one.wants.type === 'verify' && one.wants.conversation === TARGET
        ? [one.wants.transfer]
        : [],
    );
    expect(asked).toEqual(['ht:1', 'ht:2']);
  });

  it.each([
    ['a minute after a service that says nothing was asked', 60_000, 'person', true],
    ['a moment after it was asked', 59_000, 'person', false],
    ['by a message of ours', 60_000, 'extension', false],
  ] as const)('frees the chat that was asked to move, or not yet: %s', (_name, after, by, free) => {
    verifies('extension.handoff');
    const asked = { ...TRANSFERS['delivering'], id: 'ht:1' } as Transfer;
    const { state } = wrote(worker(asked), SOURCE, NOW + after, by);
    expect(Object.keys(state.transfers)).toEqual(free ? [] : ['ht:1']);
    // What a late answer says is about nothing any more.
    if (!free) return;
    const late = { type: 'delivered' as const, answer: { kind: 'refused' as const, busy: false } };
    expect(step(state, { type: 'handoff', transfer: 'ht:1', event: late }, env(NOW + after)).state).toBe(state);
  });

  it.each(['preparing', 'preparingAgain', 'automatically'] as const)(
    'frees it at once while nothing was given to anybody: %s',
    (name) => {
      verifies('extension.handoff');
      const begun = { ...TRANSFERS[name], id: 'ht:1', trigger: 'manual' } as Transfer;
      expect(Object.keys(wrote(worker(begun), SOURCE, NOW + 1_000, 'extension').state.transfers)).toEqual(['ht:1']);
      const { state } = wrote(worker(begun), SOURCE, NOW + 1_000);
      expect([state.transfers, state.endings]).toEqual([{}, {}]);
      expect(state.handed[SOURCE]).toMatchObject({ as: 'failed', reason: 'taken_over', copy: null });
      const answer = { handoffId: HANDOFF, continuityId: CHAIN, message: messageOf(), workChainId: null };
      const late = { type: 'handoff' as const, transfer: 'ht:1', event: { type: 'prepared' as const, answer } };
      expect(step(state, late, env(NOW + 2_000)).effects).toEqual([]);
    },
  );

  it('a clock that is put back by a day keeps no handoff waiting for a day', () => {
    verifies('extension.handoff');
    let state = worker({ ...TRANSFERS['observing'], id: 'ht:1' } as Transfer);
    for (let now = NOW - 86_400_000; now < NOW - 86_000_000; now += 30_000)
      state = step(state, { type: 'tick' }, env(now)).state;
    expect(state.transfers['ht:1']?.phase).toBe('uncertain');
  });
});

describe('Auto that is switched off while the handoff that it began is prepared', () => {
  const begun = (trigger: Transfer['trigger']) => {
    const transfer = { ...TRANSFERS['preparing'], id: 'ht:1', trigger, project: project(), projectKey: project().key };
    const known = { ...worker(), transfers: { 'ht:1': transfer as Transfer } };
    const config = { ...known.config, projectPermission: true };
    return { ...known, config, auto: { projects: { [project().id]: true as const }, conversations: {} } };
  };
  const answer = { handoffId: HANDOFF, continuityId: CHAIN, message: messageOf(), workChainId: null };
  const prepared = { type: 'handoff' as const, transfer: 'ht:1', event: { type: 'prepared' as const, answer } };
  const off = (state: State): State => ({ ...state, auto: { ...state.auto, projects: {} } });
  const forbidden = (state: State): State => ({ ...state, config: { ...state.config, projectPermission: false } });

  it.each([
    ['context_pressure', 'off', off, false],
    ['goal_handoff', 'off', off, false],
    ['recovery_exhausted', 'forbidden for Projects', forbidden, false],
    ['context_pressure', 'left on', (state: State) => state, true],
    ['manual', 'off', off, true],
    ['local_agent', 'off', off, true],
  ] as const)('%s, Auto %s', (trigger, _how, change, goesOn) => {
    verifies('extension.handoff', 'extension.auto');
    const { state, effects } = step(change(begun(trigger)), prepared, env(NOW + 1_000));
    const given = effects.some((one) => one.type === 'hand_over' && one.wants.type === 'deliver');
    expect(given).toBe(goesOn);
    expect(state.transfers['ht:1']?.phase).toBe(goesOn ? 'delivering' : undefined);
    if (!goesOn) expect(state.handed[SOURCE]).toMatchObject({ as: 'failed', reason: 'auto_off', copy: null });
  });
});
