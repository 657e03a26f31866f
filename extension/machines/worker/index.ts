/** The service worker's decisions: one pure step from an event to a state, to effects, and to an answer. */

export { fnv1a } from '../../fnv.ts';
export { deliveryIdOf } from './acting.ts';
export { bindingsOf, conversationRows } from './binding.ts';
export type { Claim, Told } from './claims.ts';
export { claimOf, ended } from './elsewhere.ts';
export type { Effect, Event, Fresh, From, Reply } from './events.ts';
export { endedHandoffs, handoffClaimOf } from './handoff-elsewhere.ts';
export { handoffView } from './handoff-view.ts';
export { hudOf } from './hud.ts';
export { MESSAGE_CHARS_MAX, TICK_SECONDS_MIN } from './limits.ts';
export { progressText, settledText } from './render.ts';
export { type Binding, type Config, EMPTY, SESSION_KEYS, type State } from './state.ts';
export { step } from './step.ts';
export { defaultTemplate, PLACEHOLDERS, TEMPLATES, type TemplateName } from './template.ts';
