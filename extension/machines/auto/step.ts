/**
 * Auto at the end of a turn: gates, the goal supervisor where there is a goal, the typed question (Jev), the chat judge,
 * the bounded script; each only when the one before is not sure. A model's word chooses between going on and leaving it;
 * what is sent are our words and the person's. Pure.
 */
import { say } from '../../../look/words/index.ts';
import { fnv1a } from '../../fnv.ts';
import { backOff, elapsed, type Gated, gate, standingGate } from './gates.ts';
import { PRIOR_QUESTIONS, priorOf, supervisorAsk } from './goal/index.ts';
import { chatVerdict, judgeAsk, REMAINS, typedState, typedVerdict } from './judge.ts';
import {
  JUDGE_MS,
  JUDGING_MS_MAX,
  RETRY_MS,
  SCRIPT_CHARS_MAX,
  SCRIPTED_MAX,
  SUPERVISOR_PAUSE_MS,
  TYPED_MS,
} from './limits.ts';
import { finished } from './sending.ts';
import type { Auto, AutoEffect, AutoEvent, AutoStep, Env, Facts, JudgedTurn, Judging, Result } from './state.ts';
import { supervised } from './supervise.ts';
import { answerOf, declaresFinished, declaresUnfinished, isSameAnswer, isSubstantive, printOf } from './text.ts';

type Given<T extends AutoEvent['type']> = Extract<AutoEvent, { type: T }>;

export function judge(auto: Auto, event: AutoEvent, facts: Facts, env: Env): AutoStep {
  switch (event.type) {
    case 'turn':
      return turnEnded(auto, event, facts, env);
    case 'prepared':
      return going(auto, event, facts, env, (current) => prepared(auto, current, event, facts, env));
    case 'evaluated':
      return going(auto, event, facts, env, (current) => evaluated(auto, current, event, facts, env));
    case 'chatted':
      return going(auto, event, facts, env, (current) => chatted(auto, current, event, facts, env));
    case 'accepted':
      return accepted(auto, event, env.now);
    case 'finished':
      return { auto: finished(auto, event, env.now), effects: [] };
    case 'look':
      return look(auto, facts, env.now);
    case 'restarted':
      // Whoever was asked answers nobody any more; nothing was sent on what he might have said.
      return auto.judging === null && auto.retryAt === null
        ? { auto, effects: [] }
        : { auto: { ...auto, judging: null, retryAt: env.now }, effects: [] };
    case 'stopped':
      return { auto: { ...auto, judging: null, retryAt: null, retries: 0 }, effects: [] };
  }
}

function turnEnded(auto: Auto, { turn, confirmed }: Given<'turn'>, facts: Facts, { now }: Env): AutoStep {
  const answer = answerOf(turn);
  const before = isSameAnswer(auto.seen?.answer, answer) ? auto.seen : null;
  // An answer that has lost its id is the one that is known, or nobody can say which it is.
  if (before === null && answer.id === null && auto.seen?.answer.id != null) return { auto, effects: [] };
  const known: Auto = {
    ...auto,
    seen: before === null ? { answer, at: now, confirmed } : { ...before, confirmed: before.confirmed || confirmed },
    ...(before === null ? { retries: 0, retryAt: null } : {}),
    lookedAt: now,
  };
  const closed = gate(known, turn, facts, now);
  if (closed !== null) return { auto: heldBack(known, closed, now), effects: [] };
  // The same words may end two chats; their messages are two.
  const id = `${fnv1a(answer.id ?? answer.print)}:${known.runs + 1}:${now.toString(36)}`;
  const judging: Judging = {
    id,
    answer,
    stage: 'prepare',
    services: { evaluate: false, chat: false },
    at: now,
  };
  return {
    auto: { ...known, runs: known.runs + 1, judging, retryAt: null },
    effects: [{ type: 'prepare', id, turn }],
  };
}

/** Remembers why nothing was done, and when it may be tried again. What only repeats is not news for the bar. */
function heldBack(auto: Auto, closed: NonNullable<Gated>, now: number): Auto {
  const { why, retryInMs } = closed;
  const quiet = why === 'judge_in_flight' || why === 'already_judged' || why === 'auto_off' || why === 'own_words';
  const result = quiet || auto.result?.why === why ? auto.result : resultOf(now, why, 'gate');
  if (why === 'judge_in_flight') return auto;
  const retries = retryInMs === null || why === 'cooldown' || why === 'unconfirmed' ? auto.retries : auto.retries + 1;
  const pause = retryInMs === null ? null : Math.min(Math.max(retryInMs, RETRY_MS.first), RETRY_MS.longest);
  return { ...auto, result, retries, retryAt: pause === null ? null : now + pause };
}

/** An answer of somebody who was asked. About another judgement it changes nothing; and the gates are asked again. */
function going(
  auto: Auto,
  { id }: { id: string },
  facts: Facts,
  env: Env,
  act: (current: Judging) => AutoStep,
): AutoStep {
  const { judging } = auto;
  if (judging === null || judging.id !== id) return { auto, effects: [] };
  const closed = standingGate(auto, facts);
  if (closed === null) return act(judging);
  return { auto: heldBack({ ...auto, judging: null }, closed, env.now), effects: [] };
}

function prepared(auto: Auto, current: Judging, event: Given<'prepared'>, facts: Facts, env: Env): AutoStep {
  if (current.stage !== 'prepare') return { auto, effects: [] };
  const { turn, services, goal } = event;
  const { now } = env;
  // Who does not know whom to ask, or what the goal is, must not take the way of those who have neither.
  if (services === null || goal === 'unknown') {
    const pause = backOff(auto);
    const result = resultOf(now, 'runtime_unavailable', 'gate');
    const retryAt = pause === null ? null : now + pause;
    return { auto: { ...auto, judging: null, retries: auto.retries + 1, retryAt, result }, effects: [] };
  }
  if (!services.evaluate && !services.chat && !isSubstantive(turn.answer)) {
    return settle(auto, current, resultOf(now, 'not_substantive', 'gate'));
  }
  const judging = { ...current, services };
  if (goal === null || !services.chat) return plainJudges(auto, judging, turn, facts, env);
  if (elapsed(auto.goal.ranAt, now) < SUPERVISOR_PAUSE_MS) return postpone(auto, now, 'paused', SUPERVISOR_PAUSE_MS);
  const known = { ...auto, goal: { ...auto.goal, ranAt: now } };
  if (!services.evaluate) return askSupervisor(known, judging, { turn, goal }, null, env);
  const asking: Judging = { ...judging, stage: 'prior' };
  const state = typedState(turn);
  return {
    auto: { ...known, judging: asking },
    effects: [{ type: 'evaluate', id: current.id, turn, goal, state, questions: PRIOR_QUESTIONS, timeoutMs: TYPED_MS }],
  };
}

function askSupervisor(
  auto: Auto,
  current: Judging,
  { turn, goal }: Pick<Given<'evaluated'>, 'turn' | 'goal'>,
  prior: ReturnType<typeof priorOf>,
  { language }: Env,
): AutoStep {
  if (goal === null) return { auto: { ...auto, judging: null }, effects: [] };
  const judging: Judging = { ...current, stage: 'supervise' };
  const asked = supervisorAsk(language, goal, prior, turn.answer);
  return {
    auto: { ...auto, judging },
    effects: [{ type: 'chat', id: current.id, turn, goal, asked, timeoutMs: JUDGE_MS }],
  };
}

function plainJudges(auto: Auto, current: Judging, turn: JudgedTurn, facts: Facts, env: Env): AutoStep {
  if (!current.services.evaluate) return chatJudge(auto, current, turn, facts, env);
  const effects: AutoEffect[] = [
    {
      type: 'evaluate',
      id: current.id,
      turn,
      goal: null,
      state: typedState(turn),
      questions: REMAINS,
      timeoutMs: TYPED_MS,
    },
  ];
  return { auto: { ...auto, judging: { ...current, stage: 'jev' } }, effects };
}

/** The second chat question about an answer at most: the supervisor's, which said nothing usable, was the first. */
function chatJudge(auto: Auto, current: Judging, turn: JudgedTurn, facts: Facts, env: Env): AutoStep {
  if (!current.services.chat) return script(auto, current, turn, facts, env);
  const asked = judgeAsk(env.language, turn);
  return {
    auto: { ...auto, judging: { ...current, stage: 'llm' } },
    effects: [{ type: 'chat', id: current.id, turn, goal: null, asked, timeoutMs: JUDGE_MS }],
  };
}

function evaluated(auto: Auto, current: Judging, event: Given<'evaluated'>, facts: Facts, env: Env): AutoStep {
  if (current.stage === 'prior') return askSupervisor(auto, current, event, priorOf(event.answers), env);
  if (current.stage !== 'jev') return { auto, effects: [] };
  const verdict = typedVerdict(event.answers);
  if (verdict === 'not_sure') return chatJudge(auto, current, event.turn, facts, env);
  return verdict === 'done'
    ? settle(auto, current, resultOf(env.now, 'done', 'jev'))
    : send(auto, current, facts, env, 'jev');
}

function chatted(auto: Auto, current: Judging, event: Given<'chatted'>, facts: Facts, env: Env): AutoStep {
  if (current.stage === 'supervise') {
    const step = supervised(auto, current, event, facts, env);
    // The model said nothing that can be used: the plain judges are asked as if there were no goal.
    return step ?? plainJudges(auto, current, event.turn, facts, env);
  }
  if (current.stage !== 'llm') return { auto, effects: [] };
  const verdict = chatVerdict(event.content);
  if (verdict === 'not_sure') return script(auto, current, event.turn, facts, env);
  return verdict === 'done'
    ? settle(auto, current, resultOf(env.now, 'done', 'llm'))
    : send(auto, current, facts, env, 'llm');
}

/** No judge was sure, or there is none. Behind a message of a machine only an answer that says so itself goes on. */
function script(auto: Auto, current: Judging, { answer }: JudgedTurn, facts: Facts, env: Env): AutoStep {
  const { now } = env;
  // Their settle will wake the chat with facts; a blind word now would only stand in its way.
  if (facts.working) return settle(auto, current, resultOf(now, 'agents_working', 'script'));
  if (auto.scripted >= SCRIPTED_MAX) return settle(auto, current, resultOf(now, 'nudges_spent', 'script'));
  const goesOn = auto.speaker === 'person' ? !declaresFinished(answer) : declaresUnfinished(answer);
  return goesOn
    ? send(auto, current, facts, env, 'script')
    : settle(auto, current, resultOf(now, 'fallback_complete', 'script'));
}

function send(
  auto: Auto,
  current: Judging,
  facts: Facts,
  { now, language }: Env,
  by: 'jev' | 'llm' | 'script',
): AutoStep {
  const message = facts.continueMessage ?? say(language, 'wake', 'continueDefault');
  const text = `${message.slice(0, SCRIPT_CHARS_MAX)}\n\n${say(language, 'auto', 'loop')}`;
  const delivery = `judge:${current.id}`;
  return {
    auto: {
      ...auto,
      judging: null,
      sending: { delivery, answer: current.answer, print: printOf(text), by, doubtful: false },
      result: resultOf(now, 'continued', by),
    },
    effects: [{ type: 'send', delivery, text }],
  };
}

/** Decided for good: this answer is not judged again. */
function settle(auto: Auto, { answer }: Judging, result: Result): AutoStep {
  return { auto: { ...auto, judging: null, sealed: answer, retryAt: null, result }, effects: [] };
}

function postpone(auto: Auto, now: number, why: 'paused', pauseMs: number): AutoStep {
  return { auto: { ...auto, judging: null, retryAt: now + pauseMs, result: resultOf(now, why, 'goal') }, effects: [] };
}

function accepted(auto: Auto, { by, news }: Given<'accepted'>, now: number): AutoStep {
  const judging = auto.judging === null ? {} : { judging: null, result: resultOf(now, 'overtaken', 'gate') };
  const moved: Auto = { ...auto, ...judging, speaker: by, retryAt: null, retries: 0 };
  if (by === 'machine' && !news) return { auto: moved, effects: [] };
  const counted = { nudges: 0, scripted: 0 };
  if (by === 'machine') return { auto: { ...moved, ...counted }, effects: [] };
  const goal = { ...auto.goal, continued: 0, recovered: 0, decision: null };
  return { auto: { ...moved, ...counted, goal, spokeAt: now }, effects: [] };
}

/** Time has passed: an answer that nobody judged, because something stood in the way, is read again. */
function look(auto: Auto, facts: Facts, now: number): AutoStep {
  const stuck = auto.judging !== null && elapsed(auto.judging.at, now) > JUDGING_MS_MAX;
  const known = stuck ? { ...auto, judging: null, retries: auto.retries + 1 } : auto;
  if (known.judging !== null || standingGate(known, facts) !== null) return { auto: known, effects: [] };
  const retry = known.retryAt !== null && (now >= known.retryAt || known.retryAt - now > RETRY_MS.longest);
  // What is decided is looked at seldom: a turn that ends says so by itself.
  const over = known.seen !== null && isSameAnswer(known.sealed, known.seen.answer);
  const pace = over ? RETRY_MS.longest : facts.paceSec * 1_000;
  const paced = elapsed(known.lookedAt, now) >= pace && backOff(known) !== null;
  if (!retry && !paced) return { auto: known, effects: [] };
  return { auto: { ...known, retryAt: null, lookedAt: now }, effects: [{ type: 'read' }] };
}

function resultOf(at: number, why: Result['why'], by: Result['by'], note: string | null = null): Result {
  return { at, why, by, note };
}
