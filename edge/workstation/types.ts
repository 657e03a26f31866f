/** What the Worker and a device's object say to each other over RPC. */
import type { CallEnvelope } from '../../contract/call.ts';
import type { Delivery, Failure } from '../../contract/outcome.ts';
import type { DeviceStatus } from '../http/index.ts';

export interface CallInput {
  /** Epoch and time left are the object's to fill in: it knows the connected runtime and when it sends. */
  call: Omit<CallEnvelope, 'contract_epoch' | 'deadline_ms'>;
  /** One JSON object, refs already unwrapped, `device` already removed. */
  args: Uint8Array;
  /** When the caller stops waiting, in ms since 1970. */
  deadlineAtMs: number;
  /** Writes only: sha256 over the arguments. */
  argsDigest?: string;
  /** Writes only: digest of the caller's idempotency key. */
  keyDigest?: string;
}

export type CallReply =
  /** The runtime's own bytes, to be passed on unread. */
  | {
      kind: 'result';
      body: Uint8Array;
      ok: boolean;
      delivery: Delivery;
      runtimeMs?: number | undefined;
      /** Time from the frame's sending to its result, in ms. */
      linkMs: number;
      replayed?: boolean | undefined;
    }
  /** The call did not come back with a result; why, in the contract's words. */
  | { kind: 'failure'; failure: Failure }
  /** The principal was revoked: the caller gets a 401 with the challenge, not a tool result. */
  | { kind: 'revoked' };

export interface Receipt {
  dispatch_id: string;
  tool: string;
  /** `null` while nobody knows yet. */
  delivery: Delivery | null;
  ok: boolean | null;
  code: string | null;
  sent_at_ms: number;
  settled_at_ms: number | null;
  size: number | null;
  args_digest: string;
  result_digest: string | null;
}

export type ReceiptQuery = { dispatchId: string } | { keyDigest: string } | { last: number };

export type WorkstationStatus = DeviceStatus;
