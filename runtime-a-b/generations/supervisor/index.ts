/**
 * The supervisor: it alone starts, gates and ends runtimes, link and embedded Herdr, and follows `desired.json`.
 *
 * One loop: look (who ended, who is ready, what is wanted), decide the one next step (plan.ts, pure), do it, again, until
 * there is nothing to do; then wait for a change. Every decision is made from files and living processes, so a supervisor
 * that was killed at any moment is replaced by one that goes on. It holds `start.lock` while it lives.
 */
export { type FoundHerdr, herdrAt } from './herdr.ts';
export type { Supervisor, SupervisorOptions } from './options.ts';
export { startSupervisor } from './supervisor.ts';
