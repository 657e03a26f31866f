/**
 * Whether the watchdog does something. A pure decision: it starts nothing that a person stopped, touches nothing that is
 * not ours, and leaves a machine alone on which nothing can be known.
 */
import { COOLDOWN_MS, STUCK_MS } from './limits.ts';
import type { ServiceState } from './manager.ts';

export interface WatchdogView {
  /** What is wanted: `undefined` while nothing was ever wanted here. */
  wanted: boolean | undefined;
  service: ServiceState;
  /** Whether a supervisor holds the lock, and who: `up` is the service's or a person's, `start` is a clone's. */
  supervisor: string | undefined;
  /** A change that is not dealt with since then, in ms since 1970; `undefined` when all is. */
  openSinceMs: number | undefined;
  /** When the watchdog last restarted it. */
  lastRestartMs: number | undefined;
  nowMs: number;
}

export type WatchdogStep = { do: 'nothing'; why: string } | { do: 'restart'; why: string };

export function watchdogStep(view: WatchdogView): WatchdogStep {
  const { wanted, service, supervisor, openSinceMs, lastRestartMs, nowMs } = view;
  if (wanted === undefined) return { do: 'nothing', why: 'nothing was ever started here' };
  if (!wanted) return { do: 'nothing', why: 'the user stopped it' };
  if (service === 'absent') return { do: 'nothing', why: 'no service of ours is installed' };
  if (service === 'stopped') return { do: 'nothing', why: 'the service was stopped with the service manager' };
  if (supervisor !== undefined && supervisor !== 'up')
    return { do: 'nothing', why: `${supervisor} runs it in a terminal` };
  const ill =
    service === 'failed' && supervisor === undefined
      ? 'the service failed and nothing runs'
      : service === 'running' && supervisor !== undefined && openSinceMs !== undefined && nowMs - openSinceMs > STUCK_MS
        ? 'the supervisor runs and deals with nothing'
        : undefined;
  if (ill === undefined) return { do: 'nothing', why: 'all is well' };
  if (lastRestartMs !== undefined && nowMs - lastRestartMs < COOLDOWN_MS) {
    return { do: 'nothing', why: `${ill}, and it was restarted a moment ago` };
  }
  return { do: 'restart', why: ill };
}
