/**
 * Test files at once. A whole run works about 800 s of a processor and waits, for processes, timers and sockets, about twice
 * as long: with four files at once the two cores of the smallest machine had nothing to do for almost half of the time. Each
 * configuration names it: without it a project on two cores gets one worker, and has its turn when all others have ended.
 */
export const WORKERS = 6;
