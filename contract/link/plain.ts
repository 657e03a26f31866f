/**
 * A fast yes for the two envelopes that every call carries. Pure. True means: certainly fits its schema in
 * `contract/call.ts`; false means nothing, the schema then judges. A property test holds both together.
 */
import { DISPATCH_ID } from '../ids.ts';

type Members = Record<string, unknown>;

const isText = (value: unknown, longest: number): boolean => typeof value === 'string' && value.length <= longest;
const isCount = (value: unknown, least: number): boolean => Number.isSafeInteger(value) && (value as number) >= least;
const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null;

export function isPlainResult(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { dispatch_id, delivery, ok, code, size, runtime_ms, replayed } = value;
  return (
    isId(dispatch_id) &&
    (delivery === 'delivered' || delivery === 'not_delivered' || delivery === 'unknown') &&
    typeof ok === 'boolean' &&
    isCount(size, 0) &&
    (code === undefined || isText(code, 64)) &&
    (runtime_ms === undefined || (Number.isFinite(runtime_ms) && (runtime_ms as number) >= 0)) &&
    (replayed === undefined || typeof replayed === 'boolean')
  );
}

export function isPlainCall(value: unknown): boolean {
  if (!isObject(value)) return false;
  return (
    isId(value.dispatch_id) &&
    isText(value.tool, 64) &&
    (value.class === 'read' || value.class === 'write') &&
    isText(value.device_id, 64) &&
    isPlainPrincipal(value.principal) &&
    (value.caller_session === undefined || isText(value.caller_session, 128)) &&
    isCount(value.contract_epoch, 1) &&
    isCount(value.deadline_ms, 1) &&
    (value.traceparent === undefined || isText(value.traceparent, 128))
  );
}

function isPlainPrincipal(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { kind, id, label, read_only } = value;
  return (
    (kind === 'connector' || kind === 'automation' || kind === 'local') &&
    isText(id, 128) &&
    isText(label, 256) &&
    (read_only === undefined || typeof read_only === 'boolean')
  );
}

const isId = (value: unknown): boolean => typeof value === 'string' && DISPATCH_ID.test(value);
