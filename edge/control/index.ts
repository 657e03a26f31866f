/**
 * Fleet control's door: fences for several conversations that work on the same thing. A work chain is an id with a
 * revision, the planner lease says who plans it, an execution lane says who owns a branch.
 *
 * Decided here: who holds what, by compare-and-set and fencing numbers. Deliberately not here: what the work is, its
 * steps, its state, when anything happens. A checkpoint's words are in a device's Work Memory; here is its reference.
 */
export { type ControlCall, type ControlInput, runControl } from './run.ts';
export type { ControlAnswer, ControlPrincipal, ControlStore } from './store.ts';
