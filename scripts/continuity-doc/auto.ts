/** Auto's decision about one answer. Time and counters are left out: they bound how often a phase comes, not which. */
import {
  type Auto,
  type AutoEvent,
  type Facts,
  type GoalRead,
  judge,
  NEW_AUTO,
} from '../../extension/machines/auto/index.ts';
import {
  BOTH,
  CALM,
  CLOSED_ANSWER,
  env,
  goal,
  NO_SERVICES,
  NOW,
  OPEN_ANSWER,
  said,
  turn,
} from '../../test/extension/auto/support.ts';
import { explore } from './explore.ts';
import type { Picture } from './page.ts';

const HOUR = 3_600_000;
const OPEN = turn(OPEN_ANSWER);
const CLOSED = turn(CLOSED_ANSWER);
const GOAL = goal({
  content: { goal_supervisor: { objective: 'it works', todos: [{ id: 't', text: 'run the tests' }] } },
});
const ruling = (decision: string) => said({ decision, todo_ids: [] });

interface Act {
  event: AutoEvent;
  facts?: Partial<Facts>;
  later?: number;
}

function actsOn(auto: Auto): { on: string; event: Act }[] {
  const id = auto.judging?.id ?? '';
  const delivery = auto.sending?.delivery ?? '';
  const ended = { type: 'turn' as const, turn: OPEN, confirmed: true };
  const prepared = (services: { evaluate: boolean; chat: boolean }, goal: GoalRead | null, turn = OPEN): Act => ({
    event: { type: 'prepared', id, turn, services, goal },
  });
  const typed = (noul: number): Act => ({
    event: { type: 'evaluated', id, turn: OPEN, goal: GOAL, answers: { remains: { type: 'noul', noul } } },
  });
  const chatted = (content: string): Act => ({ event: { type: 'chatted', id, turn: OPEN, goal: GOAL, content } });
  const finished = (as: Extract<AutoEvent, { type: 'finished' }>['as']): Act => ({
    event: { type: 'finished', delivery, as },
  });
  const isSupervisor = auto.judging?.stage === 'supervise';
  return [
    { on: 'an answer is complete', event: { event: ended } },
    { on: 'a gate is closed for now', event: { event: ended, facts: { page: 'not_quiet' } } },
    {
      on: auto.judging === null ? 'its time has come' : 'nobody answers',
      event: { event: { type: 'look' }, later: HOUR },
    },
    { on: 'there is a goal', event: prepared(BOTH, GOAL) },
    { on: 'a typed model is there', event: prepared(BOTH, null) },
    { on: 'only a chat model is there', event: prepared({ evaluate: false, chat: true }, null) },
    { on: 'no model, and work is open', event: prepared(NO_SERVICES, null) },
    { on: 'no model, and nothing says so', event: prepared(NO_SERVICES, null, CLOSED) },
    ...(auto.judging?.stage === 'prior'
      ? [{ on: 'the signals, or none', event: typed(0.5) }]
      : [
          { on: 'sure that work is open', event: typed(1) },
          { on: 'sure that none is', event: typed(0) },
          { on: 'not sure', event: typed(0.5) },
        ]),
    ...(isSupervisor
      ? [
          { on: 'CONTINUE, and the guards agree', event: chatted(ruling('CONTINUE')) },
          { on: 'ASK_HUMAN', event: chatted(ruling('ASK_HUMAN')) },
          { on: 'the guards deny it', event: chatted(ruling('COMPLETE')) },
          { on: 'nothing usable', event: chatted('go on') },
        ]
      : [
          { on: 'CONTINUE', event: chatted('CONTINUE') },
          { on: 'DONE', event: chatted('DONE') },
          { on: 'not sure, the script decides', event: chatted('perhaps') },
        ]),
    { on: 'its turn stands', event: finished('sent') },
    { on: 'the page refused', event: finished('blocked') },
    { on: 'submitted, not seen', event: finished('uncertain') },
    { on: 'another browser continues it', event: finished('held') },
    { on: 'another browser has continued it', event: finished('elsewhere') },
    { on: 'a person speaks', event: { event: { type: 'accepted', by: 'person', news: false } } },
    { on: 'Auto is switched off', event: { event: { type: 'stopped' } } },
    { on: 'the worker was restarted', event: { event: { type: 'restarted' } } },
  ];
}

/** As if every step were the first of its kind, now, and behind a person's words. */
function plain(auto: Auto): Auto {
  const { seen, judging } = auto;
  return {
    ...NEW_AUTO,
    seen: seen && { ...seen, at: NOW },
    judging: judging && { ...judging, at: NOW },
    sending: auto.sending,
    sealed: auto.sealed,
    retryAt: auto.retryAt === null ? null : NOW,
    lookedAt: NOW,
  };
}

const STAGES = {
  prepare: 'looks_for_models_and_goal',
  prior: 'asks_for_signals',
  supervise: 'asks_the_supervisor',
  jev: 'asks_jev',
  llm: 'asks_the_judge',
} as const;

function phaseOf({ judging, sending, retryAt, sealed }: Auto): string {
  if (judging !== null) return STAGES[judging.stage];
  if (sending !== null) return sending.doubtful ? 'uncertain' : 'sending';
  if (sealed !== null) return 'decided';
  return retryAt === null ? 'quiet' : 'waits';
}

export const auto: Picture = {
  name: 'auto',
  starts: ['quiet'],
  edges: () =>
    explore<Auto, Act>({
      starts: [NEW_AUTO],
      events: actsOn,
      step: (state, { event, facts, later }) =>
        plain(judge(state, event, { ...CALM, ...facts }, env(NOW + (later ?? 0))).auto),
      phase: phaseOf,
    }),
};
