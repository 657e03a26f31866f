/**
 * Which browser tells a conversation of what has settled. Two profiles may have bound the same chat; before anything is
 * typed for a settle its browser claims it here, by the conversation and the settle's own name. Operations of
 * `POST /extension/browser/registry`; a runtime that does not know them answers 400, and the browser goes on without.
 *
 * | operation | when | answer |
 * |---|---|---|
 * | {@link WakeClaim} | before the page is given the message | {@link WakeAnswer} |
 * | {@link WakeLeave} | the words stand in the composer, Send is pressed next | {@link WakeAnswer} |
 * | {@link WakeDone} | what became of it is known | {@link WakeAnswer} |
 *
 * A claim that went no further lapses: nothing was sent. After `wake.leave` it may have been sent, so it never lapses: it is
 * in doubt until its browser tells what became of it.
 */
import type { Static } from 'typebox';
import * as Type from 'typebox';
import { operation } from './operation.ts';

/** Settles in one message: more panes than a workspace has. */
const WAKE_KEYS_MAX = 256;
const EndpointRef = Type.String({ pattern: '^bep_[0-9a-f]{32}$' });
const Keys = Type.Array(Type.String({ minLength: 1, maxLength: 512 }), {
  minItems: 1,
  maxItems: WAKE_KEYS_MAX,
  uniqueItems: true,
});
const asked = {
  endpoint_ref: EndpointRef,
  /** The conversation's address, without anything that the site adds to it. */
  conversation: Type.String({ minLength: 1, maxLength: 2048 }),
  keys: Keys,
};

/** `panes`: whose settle it tells of in general words. A browser that has the tasks of those panes to tell goes before it. */
export const WakeClaim = operation('wake.claim', {
  ...asked,
  panes: Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { maxItems: WAKE_KEYS_MAX }),
});
export const WakeLeave = operation('wake.leave', asked);
export const WakeDone = operation('wake.done', {
  ...asked,
  outcome: Type.Unsafe<WakeOutcome>({ type: 'string', enum: ['sent', 'unsent', 'uncertain'] }),
});
export type WakeOutcome = 'sent' | 'unsent' | 'uncertain';
export type WakeClaim = Static<typeof WakeClaim>;
export type WakeLeave = Static<typeof WakeLeave>;
export type WakeDone = Static<typeof WakeDone>;

/**
 * `yours`: it may be told. `held`: another browser is about to; ask again. `sent`: it was told. `uncertain`: another browser
 * may have told it; only the chat, or a person, can say.
 */
export type WakeStanding = 'yours' | 'held' | 'sent' | 'uncertain';
export interface WakeAnswer {
  ok: true;
  wake: WakeStanding;
}
