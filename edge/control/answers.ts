/** Answers kept by idempotency key: the same call again gets the same bytes, and nothing happens twice. */
import { and, count, eq, lte, ne } from 'drizzle-orm';
import type { ControlMethod } from '../../contract/fleet/index.ts';
import {
  ADMISSION_ANSWERS_MAX,
  ANSWER_KEPT_MS,
  CONTROL_ANSWERS_MAX,
  CRITICAL_ANSWERS_MAX,
  ROUTINE_ANSWERS_MAX,
} from './limits.ts';
import { controlAnswers } from './schema.ts';
import { type ControlAnswer, type ControlPrincipal, type ControlRefusal, type ControlStore, refuse } from './store.ts';

export interface Key {
  keyDigest: string;
  payloadDigest: string;
}

type Kind = 'admission' | 'routine' | 'critical';

/** Which allowance an answer counts against; renewing, releasing and looking are the same when repeated and need none. */
export function kindOf(method: ControlMethod): Kind | undefined {
  switch (method) {
    case 'herdr_mcp.work_chain.create':
    case 'herdr_mcp.execution_lane.create':
      return 'admission';
    case 'herdr_mcp.work_chain.checkpoint.update':
    case 'herdr_mcp.planner_lease.acquire':
    case 'herdr_mcp.execution_lane.update':
      return 'routine';
    case 'herdr_mcp.planner_lease.takeover':
      return 'critical';
    default:
      return undefined;
  }
}

/** Runs `work` unless its key was seen. Only what changed something is kept: a refusal may go differently next time. */
export function once(
  store: ControlStore,
  asked: { method: ControlMethod; principal: ControlPrincipal; key?: Key | undefined },
  nowMs: number,
  work: () => ControlAnswer,
): ControlAnswer {
  const kind = kindOf(asked.method);
  const { key, principal } = asked;
  if (!key || kind === undefined) return work();
  const { db } = store;
  db.delete(controlAnswers).where(lte(controlAnswers.expiresAtMs, nowMs)).run();
  const known = db.select().from(controlAnswers).where(eq(controlAnswers.keyDigest, key.keyDigest)).get();
  if (known) {
    if (known.payloadDigest !== key.payloadDigest) return conflict();
    return { ok: true, body: { ...(JSON.parse(known.answer) as Record<string, unknown>), replayed: true } };
  }
  if (!fits(store, kind, principal.id)) return full();
  const answer = work();
  if (!answer.ok) return answer;
  db.insert(controlAnswers)
    .values({
      ...key,
      principalId: principal.id,
      kind,
      answer: JSON.stringify(answer.body),
      expiresAtMs: nowMs + ANSWER_KEPT_MS,
    })
    .run();
  return answer;
}

function fits(store: ControlStore, kind: Kind, principalId: string): boolean {
  const held = (where: ReturnType<typeof eq> | undefined) =>
    store.db.select({ n: count() }).from(controlAnswers).where(where).get()?.n ?? 0;
  if (kind === 'admission') return held(eq(controlAnswers.kind, 'admission')) < ADMISSION_ANSWERS_MAX;
  const own = held(and(eq(controlAnswers.kind, kind), eq(controlAnswers.principalId, principalId)));
  if (own >= (kind === 'critical' ? CRITICAL_ANSWERS_MAX : ROUTINE_ANSWERS_MAX)) return false;
  return held(ne(controlAnswers.kind, 'admission')) < CONTROL_ANSWERS_MAX;
}

const conflict = (): ControlRefusal =>
  refuse(
    'idempotency_key_conflict',
    'This idempotency_key was used for another call. Nothing was changed.',
    'Use a new key for a new call; repeat a call with exactly the same params.',
  );

const full = (): ControlRefusal =>
  refuse(
    'control_capacity',
    'Too many keys are remembered, each for a day. Nothing was changed.',
    'Send the call without idempotency_key: revision and generation already keep it from acting twice.',
  );
