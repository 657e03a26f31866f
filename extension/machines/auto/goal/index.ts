/**
 * The goal supervisor: a strict layer over Auto for conversations whose line of work has a goal in Work Memory. A small
 * model may point at what the ledger holds; what is sent are our words and the ledger's, never the model's.
 */
export { supervisorAsk } from './ask.ts';
export { type Ruling, rule, type Standing } from './guard.ts';
export { ledgerOf, sectionOf } from './ledger.ts';
export { noulOf, PRIOR_QUESTIONS, priorOf } from './prior.ts';
export { saidOf } from './said.ts';
export type { Asked, Decision, GoalRead, Ledger, TypedQuestion } from './types.ts';
