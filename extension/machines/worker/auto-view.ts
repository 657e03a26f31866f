/** What the bar shows of Auto's decisions and of the length of a chat. Pure. */
import type { HudState, JudgeView, Reason } from '../../messages.ts';
import type { Result } from '../auto/index.ts';
import { levelOf, messagesOf } from '../pressure/index.ts';
import type { State } from './state.ts';

/** Gates that only say that there is nothing to decide now. */
const UNTOLD: ReadonlySet<Result['why']> = new Set(['auto_off', 'judge_in_flight', 'already_judged', 'own_words']);

const MARKS: Readonly<Partial<Record<Result['why'], JudgeView['mark']>>> = {
  continued: 'sent',
  continued_elsewhere: 'sent',
  done: 'done',
  goal_complete: 'done',
  fallback_complete: 'unsure',
  not_substantive: 'unsure',
  denied: 'unsure',
  asks_person: 'person',
  for_a_person: 'person',
  budget_spent: 'person',
  nudges_spent: 'person',
  delivery_uncertain: 'person',
  handover_advised: 'person',
  recovery_advised: 'person',
  send_uncertain: 'person',
  send_failed: 'failed',
};

export function judgeView(state: State, conversation: string | null): JudgeView | null {
  const judge = conversation === null ? undefined : state.judges[conversation];
  if (judge === undefined) return null;
  if (judge.judging !== null) return { mark: 'deciding', why: 'judge_in_flight', note: null, at: judge.judging.at };
  const { result } = judge;
  if (result === null || UNTOLD.has(result.why)) return null;
  return { mark: MARKS[result.why] ?? 'held', why: result.why, note: result.note, at: result.at };
}

/** Only its age makes a chat long by time alone, and that shows at the next change of anything. */
export function pressureView(state: State, conversation: string | null): HudState['pressure'] {
  const known = conversation === null ? undefined : state.pressures[conversation];
  if (known === undefined) return null;
  const level = levelOf(known, known.updatedAt);
  return level === 'healthy' ? null : { level, tokens: known.tokens, messages: messagesOf(known) };
}

/** Why the judge cannot be asked by a person; null: he can. */
export function decideObjection(state: State, conversation: string | null): Reason | null {
  if (state.services?.chat !== true) return 'judge_unavailable';
  const tabs = Object.values(state.tabs).filter(({ page }) => page.conversation === conversation);
  return tabs.some((tab) => tab.state.busy !== false) ? 'turn_in_progress' : null;
}
