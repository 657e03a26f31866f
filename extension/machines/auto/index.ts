/** Auto's decision at the end of a turn: one pure step for each conversation. Off unless a person switched it on. */
export { type GoalRead, ledgerOf } from './goal/index.ts';
export { chatVerdict, judgeAsk, type Verdict } from './judge.ts';
export { CONVERSATIONS_KEPT, DECIDE_MS } from './limits.ts';
export {
  type Auto,
  type AutoEffect,
  type AutoEvent,
  type Env,
  type Facts,
  type JudgedTurn,
  NEW_AUTO,
  type Result,
  type Services,
} from './state.ts';
export { judge } from './step.ts';
export { printOf } from './text.ts';
