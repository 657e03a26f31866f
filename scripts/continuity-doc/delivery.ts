/** One message on its way to a chat. */
import { claim, handOver, looked, outcome, pageGone, refused } from '../../extension/machines/worker/delivery.ts';
import { toldElsewhere } from '../../extension/machines/worker/elsewhere.ts';
import { SUBMITTED_UNPROVEN_MS } from '../../extension/machines/worker/limits.ts';
import { plan } from '../../extension/machines/worker/message.ts';
import { type Delivery, EMPTY, type State, withDelivery } from '../../extension/machines/worker/state.ts';
import { explore } from './explore.ts';
import type { Picture } from './page.ts';

const page = { tab: 1, document: 'd' };
const baseline = { userIds: [], userTurns: 0 };
const start = plan(EMPTY, { id: 'd', kind: 'settled', conversation: 'c', text: 'words' }, 0);

type Act = (state: State, delivery: Delivery) => State;

const ELSEWHERE = {
  held: 'another browser sends it',
  sent: 'another browser has sent it',
  uncertain: 'another browser may have sent it',
} as const;

const ACTS: readonly { on: string; event: Act }[] = [
  { on: 'a quiet page', event: (state, one) => withDelivery(state, one.state === 'planned' ? given(one) : one) },
  {
    on: 'claim',
    event: (state, { id, attempt }) => claim(state, { id, attempt, ...page, baseline }, () => null, 0).state,
  },
  { on: 'refused', event: (state, { id, attempt }) => refused(state, id, attempt, 'user_typing', 0).state },
  ...(['sent', 'blocked', 'uncertain'] as const).map((became) => ({
    on: `the page says ${became}`,
    event: (state: State, { id, attempt }: Delivery) =>
      outcome(state, { id, attempt, ...page, outcome: OUTCOMES[became] }, 0).state,
  })),
  ...(['held', 'sent', 'uncertain'] as const).map((as) => ({
    on: ELSEWHERE[as],
    event: (state: State, { id, attempt }: Delivery) =>
      toldElsewhere(state, { type: 'told_elsewhere', id, attempt, as }, 0),
  })),
  { on: 'its turn was found', event: (state, { id }) => looked(state, id, { arrived: 'yes' }, 0).state },
  {
    on: 'not found for two minutes',
    event: (state, { id }) => looked(state, id, { arrived: 'unknown' }, SUBMITTED_UNPROVEN_MS).state,
  },
  { on: 'its page is gone', event: (state, one) => (isWithPage(one) ? withDelivery(state, pageGone(one, 0)) : state) },
];

const OUTCOMES = {
  sent: { state: 'sent', messageId: 'm', url: 'u' },
  blocked: { state: 'blocked', reason: 'user_typing' },
  uncertain: { state: 'uncertain', reason: 'no_new_turn' },
} as const;

/** The attempt is always the first here: how often it was tried is no phase of its own. */
const given = (one: Delivery): Delivery => handOver({ ...one, attempt: 0 }, page, 0);
const isWithPage = ({ state }: Delivery): boolean => state === 'handed' || state === 'submitting';
const only = (state: State): Delivery => {
  const one = state.deliveries['d'];
  if (!one) throw new Error('the delivery is gone');
  return one;
};

export const delivery: Picture = {
  name: 'delivery',
  starts: ['planned'],
  edges: () =>
    explore<State, Act>({
      starts: [{ ...start, stale: {} as State['stale'] }],
      events: () => ACTS,
      step: (state, act) => ({ ...act(state, only(state)), stale: {} as State['stale'] }),
      phase: (state) => only(state).state,
    }),
};
