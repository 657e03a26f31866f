/** Numbers of the page script, each with its reason. Times are ms. */

/** Tries to reach the worker at the start, and the pause that grows by itself with each. A worker that is started answers within. */
export const HERE_TRIES = 6;
export const HERE_PAUSE_MS = 60;

/** A page that was not answered, or whose build is on standby, asks again this often: the person may have changed it. */
export const HERE_AGAIN_MS = 30_000;

/** How often the address is compared with what was told last; the sites change it without a load. */
export const PLACE_LOOK_MS = 800;

/** Between two tries to tell a worker what became of a message. */
export const OUTCOME_REPEAT_MS = 2_000;
/** Outcomes that are remembered, in case the worker asks again for one that it has lost. */
export const OUTCOMES_KEPT = 20;

/** How often the length of the conversation is looked at. Only what is new in it is counted and told. */
export const HISTORY_LOOK_MS = 5_000;

/** Changes of the page that come together are looked at once. */
export const MUTATIONS_TOGETHER_MS = 400;

/** A site that does not say who is signed in is asked again this often, after this pause: a page that loads answers late. */
export const ACCOUNT_LOOKS = 3;
export const ACCOUNT_LOOK_MS = 500;

/** An answer that nobody's server confirms is complete when it looks the same after this; models pause for less between two words. */
export const SETTLED_AGAIN_MS = 3_000;

/** A person who has typed this lately is still at it: longer than between two words, shorter than anybody waits for a wake. */
export const TYPING_MS = 5_000;

/** What a pressed control is given to have its effect, and the pause between two looks at it. */
export const PRESS_MS = 6_000;
export const PRESS_LOOK_MS = 200;
/** Whether a chat is archived only its server says, and that is asked seldom. */
export const ARCHIVED_LOOK_MS = 1_000;

/**
 * A page whose conversation has moved so lately is not behind what somebody wrote elsewhere, in ms of the wall clock: nobody
 * takes up a phone, finds the chat and writes in it sooner. It keeps most questions from a server that counts them.
 */
export const MOVED_LATELY_MS = 20_000;

/**
 * A page that was loaded anew shows what its server has. One that still seems behind is misread, and is not loaded anew
 * again within this, in ms: what waits to be sent comes after half a minute.
 */
export const RELOADED_LATELY_MS = 10 * 60_000;
