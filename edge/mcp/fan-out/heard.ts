/** What came back of each workstation, and of which nothing did. */
import type { Failure } from '../../../contract/outcome.ts';

export interface NotAsked {
  device_id: string;
  name: string;
  /** A code: why there is no answer of it. */
  why: string;
}

export type Heard = { device_id: string; name: string } & (
  | { ok: true; body: Record<string, unknown> }
  | { ok: false; failure: Failure }
);
export type Found = Extract<Heard, { ok: true }>;

/** Present only when somebody was not asked. */
export const naming = (notAsked: readonly NotAsked[]): { not_asked?: readonly NotAsked[] } =>
  notAsked.length === 0 ? {} : { not_asked: notAsked };
