/** Handoff: one pure step a transfer, from its preparation to the proof that the new chat has it. */
export { DELIVER_MS, ENDING_MS, HANDED_KEPT } from './limits.ts';
export { isRequestOf, requestOf } from './packet.ts';
export type {
  Cutover,
  DeliverAnswer,
  Ended,
  Handed,
  HandoffEffect,
  HandoffEvent,
  HandoffFacts,
  HandoffStep,
  Prepared,
  Transfer,
  Trigger,
} from './state.ts';
export { asking, handoff, handoffIn } from './step.ts';
