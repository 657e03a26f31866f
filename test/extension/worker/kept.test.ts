/** What a machine that slept, a runtime that stays away and a long list must not make of a message. */
import { describe, expect, it } from 'vitest';
import { looked } from '../../../extension/machines/worker/delivery.ts';
import { EMPTY, type Event, type State, step } from '../../../extension/machines/worker/index.ts';
import { DELIVERIES_KEPT, MANUAL_EXPIRES_MS } from '../../../extension/machines/worker/limits.ts';
import { plan } from '../../../extension/machines/worker/message.ts';
import { verifies } from '../../verifies.ts';
import { CHAT, chat, QUIET } from './chat.ts';

const NOW = 1_764_500_000_000;
const from = { tab: 7, document: 'd7', version: '1.0.0', page: chat() };

function bound() {
  let state: State = EMPTY;
  let now = NOW;
  const take = (event: Event, ms = 0) => {
    now += ms;
    const stepped = step(state, event, { now, language: 'en' });
    state = JSON.parse(JSON.stringify(stepped.state)) as State;
    return stepped;
  };
  const workspaces = [{ id: 'w1', label: 'site' }];
  const fresh = { boot: 'b1', server: 'embedded', herdr: 'live', workspaces, agents: [] };
  take({ type: 'hello', boot: 'b1', position: 0, replaying: false, fresh, at: NOW });
  take({ type: 'here', from, state: QUIET });
  take({ type: 'bind', tab: 7, page: chat(), workspace: 'w1', continuityId: 'hc:1:abcdefgh' });
  return { take, state: () => state };
}

describe('a press that its page hears late', () => {
  const baseline = { userIds: [], userTurns: 0 };
  const pressed = () => {
    const it = bound();
    it.take({ type: 'action', from, action: { name: 'continue' }, id: 'p1', fresh: null });
    const [delivery] = Object.values(it.state().deliveries);
    const { id = '', attempt = 0 } = delivery ?? {};
    return { ...it, claims: (ms: number) => it.take({ type: 'claim', from, id, attempt, baseline }, ms) };
  };

  it('is sent within its moment', () => {
    verifies('extension.wake');
    expect(pressed().claims(MANUAL_EXPIRES_MS).reply).toMatchObject({ ok: true });
  });

  it('is not sent when the machine, or the tab, slept in between and nobody has given it up yet', () => {
    verifies('extension.wake');
    const it = pressed();
    expect(it.claims(8 * 3_600_000).reply).toEqual({ ok: false, reason: 'no_tab' });
    expect(Object.values(it.state().deliveries)).toMatchObject([{ state: 'handed' }]);
  });
});

describe('messages that are over', () => {
  /** A message about tasks that was sent, or may have been, and then many others. */
  function then(arrived: 'yes' | 'unknown', others: number): State {
    const tasks = { session: 'br_source', ids: ['t1'], acknowledged: false };
    let state = plan(EMPTY, { id: 'tasks:1', kind: 'tasks', conversation: CHAT, text: 'T1 is done.', tasks }, NOW);
    const submitted = (id: string, now: number) => {
      const one = state.deliveries[id];
      if (!one) throw new Error('no such message');
      state = { ...state, deliveries: { ...state.deliveries, [id]: { ...one, state: 'submitting', updatedAt: now } } };
    };
    submitted('tasks:1', NOW);
    state = looked(state, 'tasks:1', { arrived }, NOW + 600_000).state;
    for (let at = 1; at <= others; at += 1) {
      const id = `settled:${at}`;
      state = plan(state, { id, kind: 'settled', conversation: `${CHAT}-${at}`, text: `w${at}` }, NOW + 600_000 + at);
      submitted(id, NOW + 600_000 + at);
      state = looked(state, id, { arrived: 'yes' }, NOW + 600_000 + at).state;
    }
    return state;
  }

  it('are forgotten when there are many, and not those that the runtime has yet to hear of, or that are in doubt', () => {
    verifies('extension.wake');
    for (const arrived of ['yes', 'unknown'] as const) {
      const { deliveries } = then(arrived, DELIVERIES_KEPT + 5);
      expect(Object.keys(deliveries)).toHaveLength(DELIVERIES_KEPT);
      // Forgotten, its tasks would be told a second time.
      expect(deliveries['tasks:1']?.tasks?.ids, arrived).toEqual(['t1']);
    }
  });

  it('are no more than that, also when all of them are such', () => {
    let state: State = EMPTY;
    for (let at = 0; at < DELIVERIES_KEPT + 5; at += 1) {
      const id = `tasks:${at}`;
      const tasks = { session: 's', ids: [id], acknowledged: false };
      state = plan(state, { id, kind: 'tasks', conversation: `${CHAT}-${at}`, text: id, tasks }, NOW + at);
      const one = state.deliveries[id];
      if (one) state = { ...state, deliveries: { ...state.deliveries, [id]: { ...one, state: 'submitting' } } };
      state = looked(state, id, { arrived: 'yes' }, NOW + at).state;
    }
    expect(Object.keys(state.deliveries)).toHaveLength(DELIVERIES_KEPT);
    expect(state.deliveries['tasks:0']).toBeUndefined();
  });
});
