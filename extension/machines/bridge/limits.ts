/** Numbers of the JSON bridge, each with its reason. Times are ms. */

/** Calls of one reply: more is a model that has lost its way, and their results would not fit into one message. */
export const CALLS_MAX = 24;
/** Longest tool name: what MCP hosts take. */
export const TOOL_NAME_CHARS_MAX = 128;
/** Reads at the same time: the runtime answers many, the one port to it is shared with everything else. */
export const READS_AT_ONCE_MAX = 4;

/** Rounds of tool calls for one message of a person, and how many more one press gives. A person can oversee as many. */
export const ROUNDS_DEFAULT = 24;
export const ROUNDS_MORE = 24;
/** Replies in a row that could not be read: then a person is asked, the model does not get it right by itself. */
export const REPAIRS_MAX = 3;

/** One message of results: what these sites take and a model still reads. */
export const RESULTS_CHARS_MAX = 60_000;
/** A result is an answer of a tool, not a document tree: deeper and longer parts are said to be left out. */
export const RESULT_DEPTH_MAX = 7;
export const RESULT_ITEMS_MAX = 200;
/** A field of bytes above this is named by its size. Below it is an icon or a key, which may be what was asked for. */
export const BYTES_CHARS_MAX = 4_096;
/** Text that is left of a string that had to be cut; less says nothing. */
export const CUT_CHARS_MIN = 200;

/** Of a call that is named again beside its result: enough to know it by. */
export const REPLACED_CALL_CHARS_MAX = 200;

/** Of a tool's description in the list that the model is given. */
export const DESCRIPTION_CHARS_MAX = 520;
/** Longest message of a person that is taken over: the sites' own composers take less. */
export const SAID_CHARS_MAX = 200_000;
/** Presses that are remembered, so that one which is told twice is one. */
export const ENTRIES_KEPT = 20;

/** A call of which nothing was heard: longer than its request may take. */
export const CALL_SILENT_MS = 75_000;
/** Pauses before a call without an answer is sent again under its key; the last one repeats. */
export const CALL_AGAIN_MS: readonly number[] = [500, 1_500, 4_000, 10_000, 20_000];
/** A read that is not answered is given up after this many tries; the model may ask again. */
export const READ_TRIES_MAX = 4;
/** A change whose outcome cannot be learnt in so many tries, some ten minutes, is told to be uncertain: the model can look. */
export const WRITE_TRIES_MAX = 30;
/** The runtime keeps a key for 24 h. After half of that a key is not trusted to find its call any more. */
export const KEY_TRUST_MS = 12 * 60 * 60_000;

/** After the page refused a message of ours for a passing reason. A page that becomes quiet ends the pause. */
export const POST_PAUSE_MS = 2_000;
/**
 * Messages in a row that were typed and not taken, so that they had to be taken out again. Each doubles the pause; then a
 * person is asked: a composer that fills and empties by itself is of no use to anybody.
 */
export const REFUSALS_MAX = 4;
/** A model that has not answered for this long is not waited for any more: other messages may go out. */
export const REPLY_MS = 10 * 60_000;

/** A reply that is read later than this runs nothing by itself: whoever opens an old chat did not ask for that now. */
export const REPLY_LATE_MS = 60 * 60_000;

/** Loops and first messages that are remembered. What still runs is not among those that are dropped. */
export const LOOPS_KEPT = 60;
export const LAUNCHES_KEPT = 20;
/** A first message whose chat has not come up by then was not sent. */
export const LAUNCH_MS = 30 * 60_000;

/**
 * How long a reply must not change before it is taken for whole: longer than a model pauses between two words. One that
 * ends with whole calls, while nothing is being written, needs less: what follows a call is refused anyway.
 */
export const REPLY_STILL_MS = 2_000;
export const CALLS_STILL_MS = 900;
