/** What the dispatcher gets from the rest of the runtime, and what it gives to the tools. */
import type { CallEnvelope } from '../../contract/call.ts';
import type { CallClass } from '../../contract/outcome.ts';
import type { Log } from '../../local/log/index.ts';
import type { Answer, IntendedChange } from './answer.ts';
import type { AuditTrail } from './audit-trail.ts';
import type { Boots } from './boots.ts';
import type { StartedCommand } from './interrupted.ts';
import type { Ledger } from './ledger.ts';
import type { Written } from './recorded.ts';
import type { Revocations } from './revocations.ts';

/** One call as the tools get it. */
export interface Call {
  envelope: CallEnvelope;
  /** Where it came in: what a call says of itself proves nothing about that. */
  door: Door;
  args: Record<string, unknown>;
  callClass: CallClass;
  deadlineAtMs: number;
  signal: AbortSignal;
  intend(changes: readonly IntendedChange[]): void;
}

/**
 * Which door a call came in at: results for the link are kept until it confirms them. `socket` is the private socket of the
 * state folder, past the paths that the native host forwards: the person, or what the person started.
 */
export type Door = 'link' | 'loopback' | 'socket';

export interface DispatcherParts {
  ledger: Ledger;
  boots: Boots;
  trail: AuditTrail;
  revocations: Revocations;
  log: Log;
  nowMs: () => number;
  /** Checks the arguments without touching anything; throws an {@link OutcomeError}. */
  check: (envelope: CallEnvelope, args: Record<string, unknown>) => void;
  /** Runs the tool; throws an {@link OutcomeError}. */
  perform: (call: Call) => Promise<Answer>;
  /** Whether that exec session still runs. */
  isSessionRunning: (sessionId: string) => boolean;
  /** The command that a dispatch started: it outlives the runtime, so an interrupted call is judged by it. */
  startedCommand: (dispatchId: string) => StartedCommand | undefined;
  /**
   * Finishes or undoes what an interrupted call has half done to files: it is judged by the bytes that are there, and
   * they must not change afterwards.
   */
  settleFiles: (dispatchId: string) => void;
  /**
   * What an interrupted call has written into the database itself: its answer, `nothing`, or undefined when it is not
   * that kind of call.
   */
  written: Written;
}
