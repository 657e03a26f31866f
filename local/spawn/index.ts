/** Running internal programs on pipes, and knowing whether a process is still the one that was meant. */
export { isAlive, processStartTime } from './process.ts';
export { type RunOptions, type RunResult, run } from './run.ts';
