/** Work Memory over an open journal: the tables that it adds, and finding the chain of a partition. */
import { and, asc, desc, eq, gte, ne, sql } from 'drizzle-orm/sql';
import { OutcomeError } from '../../contract/outcome.ts';
import type { Chain, Journal, Partition } from '../journal/index.ts';
import { checkpoints, reclaims, sessions } from './schema.ts';

export type CheckpointRow = typeof checkpoints.$inferSelect;
export type ReclaimRow = typeof reclaims.$inferSelect;

/** A conversation at a provider as the browser registry names it. */
export interface Session {
  provider: string;
  accountRef: string;
  spaceRef: string;
  sessionRef: string;
}

export interface Memory {
  readonly journal: Journal;
  readonly sql: ReturnType<typeof prepare>;
}

export function openMemory(journal: Journal): Memory {
  return { journal, sql: prepare(journal) };
}

export interface PartitionParams {
  project_ref: string;
  repo_id: string;
  work_chain_id: string;
}

/** Blanks around a name are nobody's meaning; control characters in it are nobody's name. */
export function partitionOf(params: PartitionParams): Partition {
  const partition = {
    projectRef: params.project_ref.trim(),
    repoId: params.repo_id.trim(),
    workChainId: params.work_chain_id.trim(),
  };
  if (Object.values(partition).every(isName)) return partition;
  throw new OutcomeError(
    'invalid_params',
    'A name of the partition is empty or holds control characters. Nothing was done.',
    {
      next: 'Give the three names of the partition as plain text.',
    },
  );
}

/** Whether three names are those of a partition, as they are stored. */
export function isPartition({ project_ref, repo_id, work_chain_id }: PartitionParams): boolean {
  return [project_ref, repo_id, work_chain_id].every((name) => isName(name) && name === name.trim());
}

const isName = (text: string): boolean => text !== '' && !/[\u0000-\u001f\u007f]/.test(text) && isWellFormed(text);

/** Lone surrogates would be stored as something else than what was asked for. */
function isWellFormed(text: string): boolean {
  return Buffer.from(text, 'utf8').toString('utf8') === text;
}

/** The one chain of a partition; throws `work_memory_not_found`. Never another partition's, however similar. */
export function chainOf(memory: Memory, partition: Partition): Chain {
  const chain = memory.journal.chains.byPartition(partition);
  if (chain && chain.status !== 'importing') return chain;
  throw new OutcomeError('work_memory_not_found', 'No chain has this partition. Nothing was done.', {
    delivery: 'not_delivered',
    next: 'Check the three names; work_memory.bind gives a chain its partition, continuity.search finds chains.',
    details: { partition: partitionView(partition) },
  });
}

export function partitionView(partition: Partition): PartitionParams {
  return { project_ref: partition.projectRef, repo_id: partition.repoId, work_chain_id: partition.workChainId };
}

/** The partition that a chain has, or null. */
export function partitionOfChain(chain: Chain): Partition | null {
  const { projectRef, repoId, workChainId } = chain;
  return projectRef === null || repoId === null || workChainId === null ? null : { projectRef, repoId, workChainId };
}

const slot = sql.placeholder;
const put = (name: string) => sql`${slot(name)}`;

function prepare({ state: { orm } }: Journal) {
  return {
    checkpoint: orm
      .select()
      .from(checkpoints)
      .where(and(eq(checkpoints.chainNo, slot('no')), eq(checkpoints.revision, slot('revision'))))
      .prepare(),
    checkpointsUp: orm
      .select()
      .from(checkpoints)
      .where(and(eq(checkpoints.chainNo, slot('no')), gte(checkpoints.revision, slot('revision'))))
      .orderBy(asc(checkpoints.revision))
      .limit(slot('count'))
      .prepare(),
    insertCheckpoint: orm
      .insert(checkpoints)
      .values({
        chainNo: slot('chainNo'),
        revision: slot('revision'),
        throughMessageId: slot('throughMessageId'),
        throughEvidenceId: slot('throughEvidenceId'),
        throughTurnSeq: slot('throughTurnSeq'),
        throughEvidenceSeq: slot('throughEvidenceSeq'),
        sha256: slot('sha256'),
        createdAt: slot('createdAt'),
        recordedAt: slot('recordedAt'),
        summary: slot('summary'),
        checkpointJson: slot('checkpointJson'),
      })
      .prepare(),
    session: orm
      .select()
      .from(sessions)
      .where(
        and(
          eq(sessions.chainNo, slot('chainNo')),
          eq(sessions.provider, slot('provider')),
          eq(sessions.accountRef, slot('accountRef')),
          eq(sessions.spaceRef, slot('spaceRef')),
          eq(sessions.sessionRef, slot('sessionRef')),
        ),
      )
      .prepare(),
    sessions: orm
      .select()
      .from(sessions)
      .where(eq(sessions.chainNo, slot('no')))
      .orderBy(asc(sessions.boundAt), asc(sessions.sessionRef))
      .prepare(),
    insertSession: orm
      .insert(sessions)
      .values({
        chainNo: slot('chainNo'),
        provider: slot('provider'),
        accountRef: slot('accountRef'),
        spaceRef: slot('spaceRef'),
        sessionRef: slot('sessionRef'),
        boundAt: slot('boundAt'),
      })
      .onConflictDoNothing()
      .prepare(),
    insertReclaim: orm
      .insert(reclaims)
      .values({
        reclaimId: slot('reclaimId'),
        chainNo: slot('chainNo'),
        dryRun: slot('dryRun'),
        state: 'running',
        checkpointRevision: slot('checkpointRevision'),
        checkpointSha256: slot('checkpointSha256'),
        throughSeq: slot('throughSeq'),
        startedAt: slot('at'),
      })
      .onConflictDoNothing()
      .prepare(),
    reclaim: orm
      .select()
      .from(reclaims)
      .where(eq(reclaims.reclaimId, slot('id')))
      .prepare(),
    reclaimed: orm
      .select({ turns: sql<number>`coalesce(sum(${reclaims.turns}), 0)` })
      .from(reclaims)
      .where(and(eq(reclaims.chainNo, slot('no')), ne(reclaims.dryRun, true)))
      .prepare(),
    countReclaim: orm
      .update(reclaims)
      .set({
        turns: sql`${reclaims.turns} + ${slot('turns')}`,
        bytes: sql`${reclaims.bytes} + ${slot('bytes')}`,
        damaged: sql`${reclaims.damaged} + ${slot('damaged')}`,
      })
      .where(eq(reclaims.reclaimId, slot('id')))
      .prepare(),
    endReclaim: orm
      .update(reclaims)
      .set({ state: put('state'), endedAt: put('at') })
      .where(eq(reclaims.reclaimId, slot('id')))
      .prepare(),
    lastReclaims: orm
      .select()
      .from(reclaims)
      .where(eq(reclaims.chainNo, slot('no')))
      .orderBy(desc(reclaims.startedAt))
      .limit(slot('count'))
      .prepare(),
  };
}
