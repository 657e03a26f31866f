/** The JSON bridge's decisions: what in a reply is a call, what may run now, what is told of it, and when nothing is. */

export { isStillWanted } from './calls.ts';
export type { Catalogue, Schema, Tool } from './catalogue.ts';
export type { BridgeCall, BridgeEvent, CallOutcome } from './events.ts';
export { shownCalls } from './grammar.ts';
export { ROUNDS_MORE } from './limits.ts';
export { addressed, atOnce, posted, postObjection, postOf, provenBy, standsAfter } from './posts.ts';
export { body, intro, LOOP_ID, markLine, markOf, saidIn } from './protocol.ts';
export { isBehind, lookForReply, NO_REPLY, overtaken, type ReplyWatch } from './reply.ts';
export { type BridgeState, bridgeBusy, NO_BRIDGE, repliedIn } from './state.ts';
export { bridgeStep } from './step.ts';
export { bridgeView } from './view.ts';
