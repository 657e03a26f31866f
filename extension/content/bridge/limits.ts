/** Numbers of the bridge in a page, each with its reason. Times are ms. */

/** How often a reply is looked at. */
export const REPLY_LOOK_MS = 500;
/** Before the worker is told again what it could not take. */
export const TELL_AGAIN_MS = 3_000;
/** Tries to reach the worker for a person who has pressed Send, and the pause between two. */
export const SAY_TRIES = 4;
export const SAY_PAUSE_MS = 250;
/** How long a first message may wait for an idle moment: a person watches. */
export const LAUNCH_WAIT_MS = 1_200;
/** After a message was not taken over, the same words go out without tools at the next press within this long. */
export const PASS_MS = 60_000;
/** Between two looks for what is to be folded, while a page changes all the time. */
export const FOLD_PAUSE_MS = 80;
