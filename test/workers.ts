/**
 * Test files at once. Most wait for processes, timers and sockets, so it is twice the cores of the smallest machine. Each
 * configuration names it: without it a project on two cores gets one worker, and has its turn when all others have ended.
 */
export const WORKERS = 4;
