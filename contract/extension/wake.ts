/**
 * Which browser does something to a conversation. Two profiles may have bound the same chat; before one of them types a
 * message into it, or begins its successor, it claims here what that is about, by the conversation and by names that every
 * browser gives alike. The operations are called after what was claimed first, the wake of a settle. They belong to
 * `POST /extension/browser/registry`; a runtime that does not know them answers 400, and the browser goes on without.
 *
 * | operation | when | answer |
 * |---|---|---|
 * | {@link WakeClaim} | before the page is given the message | {@link WakeAnswer} |
 * | {@link WakeLeave} | the words stand in the composer, Send is pressed next; a new chat is asked for next | {@link WakeAnswer} |
 * | {@link WakeDone} | what became of it is known | {@link WakeAnswer} |
 *
 * | what | its keys |
 * |---|---|
 * | a settle, told by itself or by a person's press | Herdr's server, the workspace, the terminal and its sequence |
 * | agents' tasks | the same, and `task:<task id>` |
 * | Auto's continuation | `turn:<id of the answer that it continues>` |
 * | progress | `progress:<server>/<workspace>/<what began the round>` |
 * | a handoff | `handoff:<chain>` |
 *
 * A claim that went no further lapses: nothing was sent. After `wake.leave` it may have been sent, so it never lapses: it is
 * in doubt until its browser tells what became of it.
 */
import type { Static } from 'typebox';
import * as Type from 'typebox';
import { operation } from './operation.ts';

/** Names in one claim: more panes than a workspace has. */
const WAKE_KEYS_MAX = 256;
const EndpointRef = Type.String({ pattern: '^bep_[0-9a-f]{32}$' });
const Keys = Type.Array(Type.String({ minLength: 1, maxLength: 512 }), {
  minItems: 1,
  maxItems: WAKE_KEYS_MAX,
  uniqueItems: true,
});
const named = {
  endpoint_ref: EndpointRef,
  /** The conversation's address, without anything that the site adds to it. */
  conversation: Type.String({ minLength: 1, maxLength: 2048 }),
  keys: Keys,
};
const asked = {
  ...named,
  /**
   * Of what is done more than once: the browser that did it last keeps its own pace, another one may do it so long after
   * that. Absent: it is done once.
   */
  again_ms: Type.Optional(Type.Integer({ minimum: 0 })),
  /** A person has decided it: that another browser may have done it is no reason against it any more. */
  by_person: Type.Optional(Type.Literal(true)),
};

/** `panes`: whose settle it tells of in general words. A browser that has the tasks of those panes to tell goes before it. */
export const WakeClaim = operation('wake.claim', {
  ...asked,
  panes: Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { maxItems: WAKE_KEYS_MAX }),
});
export const WakeLeave = operation('wake.leave', asked);
export const WakeDone = operation('wake.done', {
  ...named,
  outcome: Type.Unsafe<WakeOutcome>({ type: 'string', enum: ['sent', 'unsent', 'uncertain'] }),
});
export type WakeOutcome = 'sent' | 'unsent' | 'uncertain';
export type WakeClaim = Static<typeof WakeClaim>;
export type WakeLeave = Static<typeof WakeLeave>;
export type WakeDone = Static<typeof WakeDone>;

/**
 * `yours`: do it. `held`: another browser is about to; ask again. `sent`: it was done. `uncertain`: another browser may have
 * done it; only the chat, or a person, can say.
 */
export type WakeStanding = 'yours' | 'held' | 'sent' | 'uncertain';
export interface WakeAnswer {
  ok: true;
  wake: WakeStanding;
}
