import type { DrizzleSqliteDODatabase } from 'drizzle-orm/durable-sqlite';
import type { OutcomeCode } from '../../contract/outcome.ts';

/** The `Fleet` object's storage, and what control has to know of the registry beside it. */
export interface ControlStore {
  db: DrizzleSqliteDODatabase;
  atomically<T>(work: () => T): T;
  /** Whether a device is paired and not revoked. */
  isLiveDevice(deviceId: string): boolean;
}

/** Who asks, from authentication and never from params. */
export interface ControlPrincipal {
  id: string;
  kind: 'connector' | 'automation';
  /** The only device of the approval, when it names one. */
  deviceId?: string | undefined;
}

export interface ControlRefusal {
  ok: false;
  code: OutcomeCode;
  message: string;
  next: string;
  details?: Record<string, unknown>;
}

export type ControlAnswer = { ok: true; body: Record<string, unknown> } | ControlRefusal;

export const refuse = (
  code: OutcomeCode,
  message: string,
  next: string,
  details?: Record<string, unknown>,
): ControlRefusal => ({ ok: false, code, message, next, ...(details === undefined ? {} : { details }) });
