/**
 * Giving old bodies back. Only a person at the workstation starts it, only under an explicit policy, only for turns that
 * the newest checkpoint covers, after checkpoint and body were checked against their digests again; the newest turns
 * always stay. Every run stands in a table, dry ones too. It goes in small steps, so that it may be killed at any moment
 * and run again, and so that calls are answered between two of them.
 */
import { setImmediate } from 'node:timers/promises';
import type { Static } from 'typebox';
import { OutcomeError } from '../../contract/outcome.ts';
import {
  assertPerson,
  type Chain,
  digest,
  inTransaction,
  type MethodContext,
  TAIL_TURNS_MAX,
} from '../journal/index.ts';
import { believedCheckpoint, latestCheckpoint } from './checkpoint.ts';
import { RECLAIM_STEP } from './limits.ts';
import { chainOf, type Memory, partitionOf } from './memory.ts';
import type { ReclaimParams, RetentionParams } from './params.ts';

/** Runs inside a transaction. */
export function setRetention(
  memory: Memory,
  params: Static<typeof RetentionParams>,
  context: MethodContext,
  nowMs: number,
): Record<string, unknown> {
  assertPerson(context, 'What is kept is decided');
  const chain = chainOf(memory, partitionOf(params));
  memory.journal.chains.setRetention(chain.chainNo, params.policy, nowMs);
  return { continuity_id: chain.continuityId, retention_policy: params.policy, was: chain.retentionPolicy };
}

export async function reclaim(
  memory: Memory,
  params: Static<typeof ReclaimParams>,
  context: MethodContext,
): Promise<Record<string, unknown>> {
  assertPerson(context, 'What is kept is decided');
  const dryRun = params.dry_run ?? true;
  const partition = partitionOf(params);
  const { sql, journal } = memory;
  const plan = inTransaction(journal, () => begin(memory, params, context, dryRun));
  let from = plan.fromSeq;
  while (from < plan.throughSeq) {
    from = inTransaction(journal, () =>
      step(memory, chainOf(memory, partition), context.dispatchId, from, plan, dryRun),
    );
    await setImmediate();
  }
  return inTransaction(journal, () => {
    sql.endReclaim.run({ id: context.dispatchId, state: 'done', at: context.nowMs() });
    const row = sql.reclaim.get({ id: context.dispatchId });
    return {
      reclaim_id: context.dispatchId,
      continuity_id: plan.continuityId,
      dry_run: dryRun,
      policy: plan.policy,
      checkpoint_revision: params.expected_checkpoint_revision,
      turns: row?.turns ?? 0,
      bytes: row?.bytes ?? 0,
      damaged_turns: row?.damaged ?? 0,
      kept_newest_turns: TAIL_TURNS_MAX,
    };
  });
}

interface Plan {
  continuityId: string;
  policy: string;
  fromSeq: number;
  throughSeq: number;
}

/** Checks everything once and writes the run down before anything goes. */
function begin(memory: Memory, params: Static<typeof ReclaimParams>, context: MethodContext, dryRun: boolean): Plan {
  const chain = chainOf(memory, partitionOf(params));
  if (!dryRun && chain.retentionPolicy !== 'reclaim_covered') throw forbidden(chain);
  if (chain.checkpointRevision !== params.expected_checkpoint_revision) {
    throw new OutcomeError(
      'work_memory_checkpoint_revision_conflict',
      `The current checkpoint is ${chain.checkpointRevision}, not ${params.expected_checkpoint_revision}. Nothing was reclaimed.`,
      {
        delivery: 'not_delivered',
        next: 'Look at the current checkpoint with work_memory.resume first.',
        details: { current_checkpoint_revision: chain.checkpointRevision },
      },
    );
  }
  const throughSeq = reclaimableThrough(memory, chain);
  const checkpoint = believedCheckpoint(latestCheckpoint(memory, chain), chain);
  memory.sql.insertReclaim.run({
    reclaimId: context.dispatchId,
    chainNo: chain.chainNo,
    dryRun: dryRun ? 1 : 0,
    checkpointRevision: chain.checkpointRevision,
    checkpointSha256: checkpoint?.row.sha256 ?? Buffer.alloc(0),
    throughSeq,
    at: context.nowMs(),
  });
  return {
    continuityId: chain.continuityId,
    policy: chain.retentionPolicy,
    fromSeq: chain.reclaimedThroughSeq,
    throughSeq,
  };
}

/** The last turn that may go now: covered by the verified newest checkpoint, and not among the newest turns. */
function reclaimableThrough(memory: Memory, chain: Chain): number {
  const checkpoint = believedCheckpoint(latestCheckpoint(memory, chain), chain);
  const covered = checkpoint?.row.throughTurnSeq ?? 0;
  const newest = memory.journal.entries.headsDown(chain.chainNo, Number.MAX_SAFE_INTEGER, TAIL_TURNS_MAX + 1);
  const below = newest.length > TAIL_TURNS_MAX ? (newest[TAIL_TURNS_MAX]?.seq ?? 0) : 0;
  return Math.min(covered, below);
}

/** One step, in a transaction of its own: policy and checkpoint are asked again, each body is digested again. */
function step(memory: Memory, chain: Chain, reclaimId: string, from: number, plan: Plan, dryRun: boolean): number {
  const { journal, sql } = memory;
  if (!dryRun && chain.retentionPolicy !== 'reclaim_covered') throw forbidden(chain);
  const limit = Math.min(plan.throughSeq, reclaimableThrough(memory, chain));
  const batch = journal.entries.turnsUp(chain.chainNo, from, RECLAIM_STEP).filter(({ seq }) => seq <= limit);
  const last = batch[batch.length - 1];
  if (last === undefined) return plan.throughSeq;
  const counts = { turns: 0, bytes: 0, damaged: 0 };
  for (const turn of batch) {
    if (turn.text === null) continue;
    if (!digest(turn.text).equals(turn.sha256)) {
      counts.damaged += 1;
      continue;
    }
    counts.turns += 1;
    counts.bytes += turn.bytes;
    if (!dryRun) journal.entries.dropText(turn.seq);
  }
  sql.countReclaim.run({ id: reclaimId, ...counts });
  if (!dryRun) journal.chains.setReclaimed(chain.chainNo, Math.max(chain.reclaimedThroughSeq, last.seq));
  return last.seq;
}

function forbidden(chain: Chain): OutcomeError {
  return new OutcomeError(
    'work_memory_retention_forbids',
    `The policy of ${chain.continuityId} is ${chain.retentionPolicy}: no body goes. Nothing was changed from here on.`,
    {
      delivery: 'not_delivered',
      next: 'A person sets it at the workstation: herdr-mcp memory retention … reclaim_covered. A dry run needs no policy.',
      details: { continuity_id: chain.continuityId, retention_policy: chain.retentionPolicy },
    },
  );
}
