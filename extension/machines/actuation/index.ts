/** What this browser does for the delivery service: one pure step an act. */

export { besideTab } from './beside.ts';
export { type LeftTab, leftTab } from './left-tab.ts';
export { ACTUATIONS_MAX, ANSWER_AGAIN_PART, ANSWER_MS, ANSWERS_MAX } from './limits.ts';
export type { Actuation, ActuationEffect, ActuationEvent, Awaited, Facts } from './state.ts';
export { actuate, begin } from './step.ts';
