/** Numbers of the first steps. Times are ms. */

/** Between two looks for a native host or a runtime that a person is just installing or starting. */
export const WATCH_MS = 2_000;
/** The same while the worker has not answered yet: it is only starting. */
export const AFTER_FAILURE_MS = 300;
