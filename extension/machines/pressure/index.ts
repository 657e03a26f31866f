/** Context pressure: how long a conversation has grown, and when a handover is due. One pure step a conversation. */
export { estimateTokens } from './estimate.ts';
export { CONVERSATIONS_KEPT, REPORT_TURNS_MAX } from './limits.ts';
export type { Boundary, Level, Pressure, PressureEvent, RolloverReason, SeenTurn } from './state.ts';
export { isAtLeast, levelOf, messagesOf, newPressure, press } from './step.ts';
