/** `work_memory.*` as methods of `herdr_call`. */

import type { Static, TObject } from 'typebox';
import { OutcomeError } from '../../contract/outcome.ts';
import {
  atomicMethod,
  type Journal,
  type LocalMethods,
  type MethodContext,
  method,
  openCursor,
  sealCursor,
  TAIL_TURNS,
  type TailPlace,
} from '../journal/index.ts';
import { bind } from './bind.ts';
import { believedCheckpoint, latestCheckpoint, putCheckpoint } from './checkpoint.ts';
import { appendEvidence, appendTurn } from './evidence.ts';
import { chainOf, type Memory, partitionOf, partitionOfChain, partitionView } from './memory.ts';
import {
  AppendEvidenceParams,
  AppendTurnParams,
  BindParams,
  CheckpointParams,
  ReclaimParams,
  ResumeParams,
  RetentionParams,
  SearchParams,
} from './params.ts';
import { reclaim, setRetention } from './reclaim.ts';
import { recall } from './resume.ts';
import { search } from './search.ts';

/** Every method of Work Memory over one open journal. */
export function memoryMethods(memory: Memory): LocalMethods {
  const { journal } = memory;
  const write = <const Params extends TObject>(
    name: string,
    params: Params,
    act: (params: Static<Params>, nowMs: number, context: MethodContext) => Record<string, unknown>,
  ) => atomicMethod(journal, `work_memory.${name}`, params, act);
  return {
    'work_memory.bind': write('bind', BindParams, (params, at) => bind(memory, params, at)),
    'work_memory.append_turn': write('append_turn', AppendTurnParams, (params, at) => appendTurn(memory, params, at)),
    'work_memory.append_evidence': write('append_evidence', AppendEvidenceParams, (params, at) =>
      appendEvidence(memory, params, at),
    ),
    'work_memory.checkpoint.put': write('checkpoint.put', CheckpointParams, (params, at) =>
      putCheckpoint(memory, params, at),
    ),
    'work_memory.retention.set': write('retention.set', RetentionParams, (params, at, context) =>
      setRetention(memory, params, context, at),
    ),
    'work_memory.reclaim': method('write', ReclaimParams, (params, context) => reclaim(memory, params, context)),
    'work_memory.resume': method('read', ResumeParams, (params, context) => {
      const { chain, place } = chainToResume(memory, params);
      const checkpoint = place === null ? believedCheckpoint(latestCheckpoint(memory, chain), chain) : null;
      const recalled = recall(memory, chain, checkpoint, {
        turns: params.max_turns ?? TAIL_TURNS,
        place,
        workspaces: [],
        evidence: true,
      });
      const partition = partitionOfChain(chain);
      return {
        continuity_id: chain.continuityId,
        ...(partition ? partitionView(partition) : {}),
        device_id: context.deviceId,
        title: chain.title,
        status: chain.status,
        retention_policy: chain.retentionPolicy,
        updated_at: chain.updatedAt,
        ...recalled.body,
        older_cursor: olderCursor(journal, chain.continuityId, recalled.older),
      };
    }),
    'work_memory.search': method('read', SearchParams, (params) => search(memory, params)),
  };
}

type ResumeGiven = { project_ref?: string; repo_id?: string; work_chain_id?: string; cursor?: string };

function chainToResume(memory: Memory, params: ResumeGiven) {
  const { project_ref, repo_id, work_chain_id, cursor } = params;
  if (cursor !== undefined) {
    const { continuityId, place } = openOlderCursor(memory.journal, cursor);
    const chain = memory.journal.chains.byId(continuityId);
    const names = [chain?.projectRef, chain?.repoId, chain?.workChainId];
    const fits = [project_ref, repo_id, work_chain_id].every(
      (name, i) => name === undefined || name.trim() === names[i],
    );
    if (chain && fits) return { chain, place };
    throw new OutcomeError(
      'work_memory_cursor_partition_mismatch',
      'The cursor belongs to another partition. Nothing was read.',
      { next: 'Give the cursor alone, or resume the partition without one.' },
    );
  }
  if (project_ref === undefined || repo_id === undefined || work_chain_id === undefined) {
    throw new OutcomeError(
      'invalid_params',
      'work_memory.resume needs project_ref, repo_id and work_chain_id, or a cursor. Nothing was read.',
      { next: 'Name the partition exactly; continuity.search finds chains and their partitions.' },
    );
  }
  return { chain: chainOf(memory, partitionOf({ project_ref, repo_id, work_chain_id })), place: null };
}

/** The cursor to older turns of a chain, or null when there are none. */
export function olderCursor(journal: Journal, continuityId: string, older: TailPlace | null): string | null {
  return older && sealCursor(journal.cursorKey, 'hct', { c: continuityId, s: older.seq, f: older.from });
}

/** What such a cursor names; throws `continuity_cursor_invalid` or `continuity_cursor_version_unsupported`. */
export function openOlderCursor(journal: Journal, cursor: string): { continuityId: string; place: TailPlace } {
  const opened = openCursor(journal.cursorKey, 'hct', cursor);
  if (!opened.ok) {
    const version = opened.reason === 'version_unsupported';
    throw new OutcomeError(
      version ? 'continuity_cursor_version_unsupported' : 'continuity_cursor_invalid',
      `The cursor ${version ? 'is of another version' : 'was not made by this workstation or was changed'}. Nothing was read.`,
      { next: 'Resume again without a cursor.' },
    );
  }
  const { c, s, f } = opened.inside as { c: string; s: number; f: number };
  return { continuityId: c, place: { seq: s, from: f } };
}
