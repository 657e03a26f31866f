/** Numbers of what a browser does for the delivery service, each with its reason. Times are ms. */

/** A tab that was opened shows a page of ours, with a composer, within this; a slow network needs most of it. */
export const LOADING_MS = 25_000;
/** A worker that died while it opened a tab has pressed nothing: it opens one once more. */
export const OPENINGS_MAX = 2;
/** A message that no page could be given by then was not sent. */
export const SENDING_MS = 60_000;
/** What would end a chat waits this long for it to be quiet: the turn that asked for it is over by then, or somebody stays at it. */
export const DEFER_MS = 9 * 60_000;
/** A control that was pressed has its effect within this, also on a machine that is busy; after it the runtime is told of the doubt. */
export const PROVING_MS = 90_000;
/** Between two rounds of looks for it; one round takes less. */
export const PROVE_AGAIN_MS = 20_000;
/** The tab of an archived chat has been put away by then, or nobody will say so any more: the browser looks for 8 s. */
export const CLOSING_MS = 30_000;
/** A tab that was brought to the front says that it can be seen within this (reference: extension 8.4, 8 s), or it is not. */
export const SHOWING_MS = 8_000;
/** Asked again when nobody answered: the runtime was away, or the worker died. */
export const ASK_AGAIN_MS = 10_000;
/** What the runtime never gave us is given up: it has told whoever asked by then. */
export const CLAIMING_MS = 10 * 60_000;
/** What was seen is told for as long as an answer is waited for; a machine may sleep in between, or the runtime be away. */
export const KEPT_MS = 24 * 60 * 60_000;
/** Acts at once, and answers of chats that are waited for; more is a caller gone wrong. */
export const ACTUATIONS_MAX = 16;
export const ANSWERS_MAX = 64;
/** An answer that has not come by then is not waited for any more. */
export const ANSWER_MS = 24 * 60 * 60_000;
/** Its page is asked again after this part of the time that it has been waited for: most answers come soon, some never. */
export const ANSWER_AGAIN_PART = 1 / 8;
