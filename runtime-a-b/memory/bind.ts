/** `work_memory.bind`: gives a chain its partition, once, and says which sessions write into it. */
import type { Static } from 'typebox';
import { timeOrdered } from '../../contract/ids.ts';
import { OutcomeError } from '../../contract/outcome.ts';
import type { Chain, Journal, Partition } from '../journal/index.ts';
import { type Memory, partitionOf, partitionOfChain, partitionView, type Session } from './memory.ts';
import type { BindParams } from './params.ts';

/** The session that the parameters name, or null. A half-named one is refused. */
export function sessionOf(params: {
  provider?: string;
  account_ref?: string;
  space_ref?: string;
  session_ref?: string;
}): Session | null {
  const { provider, account_ref, space_ref, session_ref } = params;
  if (provider === undefined && account_ref === undefined && space_ref === undefined && session_ref === undefined) {
    return null;
  }
  if (provider === undefined || session_ref === undefined) {
    throw new OutcomeError('invalid_params', 'A source needs both provider and session_ref. Nothing was recorded.', {
      next: 'Give both, or none of provider, account_ref, space_ref and session_ref.',
    });
  }
  return { provider, sessionRef: session_ref, accountRef: account_ref ?? '', spaceRef: space_ref ?? '' };
}

/** Runs inside a transaction. */
export function bind(memory: Memory, params: Static<typeof BindParams>, nowMs: number): Record<string, unknown> {
  const { journal, sql } = memory;
  const partition = partitionOf(params);
  const session = sessionOf(params);
  const { chain, created } = ownerOf(journal, partition, params, nowMs);
  if (session) {
    sql.insertSession.run({ ...session, chainNo: chain.chainNo, boundAt: params.bound_at ?? nowMs });
  }
  return {
    continuity_id: chain.continuityId,
    created,
    partition: partitionView(partition),
    session_bound: session !== null,
    checkpoint_revision: chain.checkpointRevision,
    retention_policy: chain.retentionPolicy,
  };
}

function ownerOf(
  journal: Journal,
  partition: Partition,
  params: Static<typeof BindParams>,
  nowMs: number,
): { chain: Chain; created: boolean } {
  const owner = journal.chains.byPartition(partition);
  if (params.continuity_id === undefined) {
    if (owner) return { chain: usable(owner), created: false };
    const chain = journal.chains.insert({
      continuityId: mintContinuityId(nowMs, journal.random),
      title: params.title ?? '',
      provider: '',
      projectId: '',
      status: 'active',
      partition,
      createdAt: nowMs,
      updatedAt: nowMs,
    });
    return { chain, created: true };
  }
  const given = journal.chains.byId(params.continuity_id);
  if (!given) {
    throw new OutcomeError('continuity_not_found', 'No chain has this continuity_id. Nothing was bound.', {
      delivery: 'not_delivered',
      next: 'Leave continuity_id out to begin a new chain for this partition, or find the chain with continuity.search.',
    });
  }
  usable(given);
  const own = partitionOfChain(given);
  if (own && !same(own, partition)) {
    throw new OutcomeError(
      'work_memory_partition_mismatch',
      'The chain already has another partition, and a partition is given once. Nothing was changed.',
      {
        delivery: 'not_delivered',
        next: 'Use the partition that it has, or another chain.',
        details: { continuity_id: given.continuityId, partition: partitionView(own) },
      },
    );
  }
  if (owner && owner.chainNo !== given.chainNo) {
    throw new OutcomeError(
      'work_memory_partition_already_bound',
      'Another chain has this partition. Nothing was changed.',
      {
        delivery: 'not_delivered',
        next: 'Go on with that chain, or choose another work_chain_id.',
        details: { continuity_id: owner.continuityId, partition: partitionView(partition) },
      },
    );
  }
  if (!own) journal.chains.setPartition(given.chainNo, partition, nowMs);
  return { chain: given, created: false };
}

function usable(chain: Chain): Chain {
  if (chain.status === 'active') return chain;
  throw new OutcomeError(
    'continuity_closed',
    `The chain ${chain.continuityId} is ${chain.status}. Nothing was written.`,
    {
      delivery: 'not_delivered',
      next: 'It can be read with continuity.resume; new work goes into a new chain.',
    },
  );
}

function same(one: Partition, other: Partition): boolean {
  return one.projectRef === other.projectRef && one.repoId === other.repoId && one.workChainId === other.workChainId;
}

/** `hc:`, the time in ms in base 36, and random characters: ids sort by age and nobody guesses one. */
function mintContinuityId(nowMs: number, random: (bytes: number) => Uint8Array): string {
  const value = BigInt(`0x${timeOrdered(0, random(10)).slice(12)}`);
  return `hc:${nowMs.toString(36)}:${value.toString(36).padStart(16, '0')}`;
}

/** Refuses writes into a chain that takes none. */
export const assertWritable = usable;
