/** Does what Auto wants to know, and gives the answers back as events. Nothing is sent from here. */

import type { Language } from '../../look/words/index.ts';
import { chatVerdict, DECIDE_MS, type JudgedTurn, judgeAsk, type Verdict } from '../machines/auto/index.ts';
import type { Effect, Event } from '../machines/worker/index.ts';
import type { Turn, WorkerAsks } from '../messages.ts';
import type { AdviceDoor } from './advice.ts';

type Judge = Extract<Effect, { type: 'judge' }>;

export interface JudgingParts {
  advice: AdviceDoor;
  take(event: Event): Promise<unknown>;
  /** The last turn as a page shows it; null: nobody is there, or it cannot be told. */
  turns(tab: number, conversation: string): Promise<WorkerAsks['turns']['answer'] | null>;
}

export async function performJudge(parts: JudgingParts, effect: Judge): Promise<void> {
  const { advice } = parts;
  const { conversation, wants } = effect;
  const tell = (event: Extract<Event, { type: 'judged' }>['event']) =>
    parts.take({ type: 'judged', conversation, event });
  switch (wants.type) {
    case 'read': {
      const turn = effect.tab === null ? null : await latest(parts, effect.tab, conversation);
      if (turn !== null) await tell({ type: 'turn', turn, confirmed: false });
      return;
    }
    case 'prepare': {
      const { id, turn } = wants;
      const services = await advice.services();
      if (services !== null) await parts.take({ type: 'services', services });
      // Only the supervisor reads the goal, and without a chat model there is none.
      const goal = services?.chat === true ? await advice.goal(effect) : null;
      await tell({ type: 'prepared', id, turn, services, goal });
      return;
    }
    case 'evaluate': {
      const { id, turn, goal, state, questions, timeoutMs } = wants;
      const answers = await advice.evaluate(state, questions, timeoutMs);
      await tell({ type: 'evaluated', id, turn, goal, answers });
      return;
    }
    case 'chat': {
      const { id, turn, goal, asked, timeoutMs } = wants;
      const content = await advice.chat(asked, timeoutMs);
      await tell({ type: 'chatted', id, turn, goal, content });
      return;
    }
    case 'checkpoint':
      // Whatever came of it: the next judgement reads the goal anew.
      await advice.putGoal(wants.goal, wants.section, wants.anchor);
  }
}

/** A person asks the judge about the last turn. Null: there is none, or nobody answered. */
export async function decide(
  parts: Pick<JudgingParts, 'advice' | 'turns'>,
  place: { tab: number; conversation: string | null },
  language: Language,
): Promise<Verdict | null> {
  if (place.conversation === null) return null;
  const turn = await latest(parts, place.tab, place.conversation);
  if (turn === null) return null;
  const content = await parts.advice.chat(judgeAsk(language, turn), DECIDE_MS);
  return content === null ? null : chatVerdict(content);
}

async function latest(
  parts: Pick<JudgingParts, 'turns'>,
  tab: number,
  conversation: string,
): Promise<JudgedTurn | null> {
  const answer = await parts.turns(tab, conversation);
  return answer?.ok ? judgedTurn(answer.value.user, answer.value.assistant) : null;
}

/** A turn that can be judged: it has an answer. */
export function judgedTurn(user: Turn | null, assistant: Turn | null): JudgedTurn | null {
  return assistant === null ? null : { user: user?.text ?? '', answer: assistant.text, answerId: assistant.id };
}
