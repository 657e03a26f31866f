/**
 * Checkpoints: what a chain's past amounts to, written under compare-and-set, with anchors that exist, and verified each
 * time that they are read. The revision is the generation that a writer planned against: an older one is refused.
 */

import type { Static } from 'typebox';
import { canonicalJson } from '../../contract/canonical.ts';
import { objectOf } from '../../contract/json.ts';
import { OutcomeError } from '../../contract/outcome.ts';
import { type Chain, digest } from '../journal/index.ts';
import { assertWritable } from './bind.ts';
import { CHECKPOINT_BYTES_MAX, CHECKPOINT_DEPTH_MAX } from './limits.ts';
import { type CheckpointRow, chainOf, type Memory, partitionOf } from './memory.ts';
import type { CheckpointParams } from './params.ts';

/** A checkpoint whose revision, digest and shape were checked. */
export interface Checkpoint {
  row: CheckpointRow;
  content: Record<string, unknown>;
}

export type CheckpointReading =
  | { kind: 'none' }
  | { kind: 'verified'; checkpoint: Checkpoint }
  /** The chain counts a revision that is not stored. */
  | { kind: 'missing'; revision: number }
  /** What is stored is not what was written. */
  | { kind: 'corrupt'; revision: number };

/** The newest checkpoint of a chain, verified anew. */
export function latestCheckpoint(memory: Memory, chain: Chain): CheckpointReading {
  const revision = chain.checkpointRevision;
  if (revision === 0) return { kind: 'none' };
  const row = memory.sql.checkpoint.get({ no: chain.chainNo, revision });
  if (!row) return { kind: 'missing', revision };
  const content = shallowObjectOf(row.checkpointJson);
  if (content === undefined || !checkpointDigest(chain.continuityId, row).equals(row.sha256)) {
    return { kind: 'corrupt', revision };
  }
  return { kind: 'verified', checkpoint: { row, content } };
}

/** Throws for a checkpoint that is there and cannot be believed; null when there is none yet. */
export function believedCheckpoint(reading: CheckpointReading, chain: Chain): Checkpoint | null {
  if (reading.kind === 'none') return null;
  if (reading.kind === 'verified') return reading.checkpoint;
  const missing = reading.kind === 'missing';
  throw new OutcomeError(
    missing ? 'work_memory_checkpoint_missing' : 'work_memory_checkpoint_corrupt',
    `Checkpoint ${reading.revision} of ${chain.continuityId} ${missing ? 'is not stored' : 'is not what was written'}; it is not shown.`,
    {
      next: 'continuity.resume still gives the recorded turns; write a new checkpoint from them.',
      details: { continuity_id: chain.continuityId, checkpoint_revision: reading.revision },
    },
  );
}

/** Runs inside a transaction. */
export function putCheckpoint(
  memory: Memory,
  params: Static<typeof CheckpointParams>,
  nowMs: number,
): Record<string, unknown> {
  const chain = assertWritable(chainOf(memory, partitionOf(params)));
  const json = Buffer.from(params.checkpoint_json).toString();
  const summary = Buffer.from(params.summary).toString();
  const problem = checkpointProblem(json);
  if (problem !== null) throw invalid(problem);
  const from = params.expected_checkpoint_revision;
  const messageId = params.through_message_id ?? null;
  const evidenceId = params.through_evidence_id ?? null;
  if (chain.checkpointRevision !== from) {
    const made = memory.sql.checkpoint.get({ no: chain.chainNo, revision: from + 1 });
    const again =
      made !== undefined &&
      made.summary === summary &&
      made.checkpointJson === json &&
      made.throughMessageId === messageId &&
      made.throughEvidenceId === evidenceId &&
      (params.created_at === undefined || made.createdAt === params.created_at);
    if (again) return { ...view(made), already_recorded: true, current_checkpoint_revision: chain.checkpointRevision };
    throw revisionConflict(chain, from);
  }
  const anchors = anchorsOf(memory, chain, messageId, evidenceId);
  const fields = {
    chainNo: chain.chainNo,
    revision: from + 1,
    throughMessageId: messageId,
    throughEvidenceId: evidenceId,
    ...anchors,
    createdAt: params.created_at ?? nowMs,
    recordedAt: nowMs,
    summary,
    checkpointJson: json,
  };
  if (!memory.journal.chains.advanceRevision(chain.chainNo, from, nowMs)) throw revisionConflict(chain, from);
  memory.sql.insertCheckpoint.run({ ...fields, sha256: checkpointDigest(chain.continuityId, fields) });
  // Verified means: read back from the database, and the same.
  const moved = memory.journal.chains.byNo(chain.chainNo);
  const reading = moved && latestCheckpoint(memory, moved);
  if (reading?.kind !== 'verified') throw new Error(`checkpoint ${from + 1} cannot be read back as it was written`);
  return { ...view(reading.checkpoint.row), current_checkpoint_revision: from + 1 };
}

/** Why this is no text of a checkpoint’s content, or null when it is. Every door asks this, also that of a file. */
export function checkpointProblem(json: string): string | null {
  if (Buffer.byteLength(json) > CHECKPOINT_BYTES_MAX) {
    return `checkpoint_json has more than ${CHECKPOINT_BYTES_MAX} bytes`;
  }
  return shallowObjectOf(json) === undefined
    ? `checkpoint_json is not the text of one JSON object, or it is nested deeper than ${CHECKPOINT_DEPTH_MAX}`
    : null;
}

function view(row: CheckpointRow): Record<string, unknown> {
  return {
    checkpoint_revision: row.revision,
    checkpoint_id: checkpointId(row.revision),
    checkpoint_sha256: row.sha256.toString('hex'),
    through_message_id: row.throughMessageId,
    through_evidence_id: row.throughEvidenceId,
    verified: true,
  };
}

export const checkpointId = (revision: number): string => `wmcp:${revision}`;

/** The anchors as numbers. They exist in this chain, and never stand before those of the checkpoint that is replaced. */
function anchorsOf(memory: Memory, chain: Chain, messageId: string | null, evidenceId: string | null) {
  if (messageId === null && evidenceId === null) {
    throw invalid('a checkpoint needs through_message_id or through_evidence_id');
  }
  const { entries } = memory.journal;
  const turn = messageId === null ? null : entries.turnByMessage(chain.chainNo, messageId);
  if (turn === undefined) throw anchorMissing('work_memory_checkpoint_turn_not_found', 'through_message_id', chain);
  const proof = evidenceId === null ? null : entries.evidenceById(chain.chainNo, evidenceId);
  if (proof === undefined) {
    throw anchorMissing('work_memory_checkpoint_evidence_not_found', 'through_evidence_id', chain);
  }
  const throughTurnSeq = turn?.seq ?? null;
  const throughEvidenceSeq = proof?.seq ?? null;
  const before = memory.sql.checkpoint.get({ no: chain.chainNo, revision: chain.checkpointRevision });
  const behind =
    (throughTurnSeq !== null && throughTurnSeq < (before?.throughTurnSeq ?? 0)) ||
    (throughEvidenceSeq !== null && throughEvidenceSeq < (before?.throughEvidenceSeq ?? 0));
  if (behind) {
    throw invalid(`an anchor stands before that of checkpoint ${chain.checkpointRevision}, which this one replaces`);
  }
  if (chain.reclaimedThroughSeq > 0 && (throughTurnSeq ?? 0) < chain.reclaimedThroughSeq) {
    throw invalid(
      'turns were reclaimed, so a checkpoint has to cover them: through_message_id must not stand before them',
    );
  }
  return { throughTurnSeq, throughEvidenceSeq };
}

/** What makes a checkpoint this one and no other. */
export function checkpointDigest(
  continuityId: string,
  row: Pick<
    CheckpointRow,
    'revision' | 'summary' | 'checkpointJson' | 'throughMessageId' | 'throughEvidenceId' | 'createdAt'
  >,
): Buffer {
  return digest(
    canonicalJson([
      'herdr-mcp/checkpoint/1',
      continuityId,
      row.revision,
      row.summary,
      row.checkpointJson,
      row.throughMessageId,
      row.throughEvidenceId,
      row.createdAt,
    ]),
  );
}

/** The object that the text holds; undefined also for one that is nested so deep that no answer could carry it. */
function shallowObjectOf(text: string): Record<string, unknown> | undefined {
  return depthOf(text) > CHECKPOINT_DEPTH_MAX ? undefined : objectOf(text);
}

/** How deep brackets stand in each other, strings left out. Right for every text that is JSON, and never recursive. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const mark = text[i];
    if (mark === '"') inString = !inString;
    else if (inString) i += mark === '\\' ? 1 : 0;
    else if (mark === '[' || mark === '{') deepest = Math.max(deepest, ++depth);
    else if (mark === ']' || mark === '}') depth--;
  }
  return deepest;
}

function invalid(what: string): OutcomeError {
  return new OutcomeError('work_memory_checkpoint_invalid', `${what}. Nothing was written.`, {
    next: 'Correct the checkpoint; the current one is still valid.',
  });
}

function anchorMissing(
  code: 'work_memory_checkpoint_turn_not_found' | 'work_memory_checkpoint_evidence_not_found',
  name: string,
  chain: Chain,
): OutcomeError {
  return new OutcomeError(code, `${name} names nothing in the chain ${chain.continuityId}. Nothing was written.`, {
    delivery: 'not_delivered',
    next: 'Use an id that work_memory.resume lists for this partition.',
    details: { continuity_id: chain.continuityId },
  });
}

function revisionConflict(chain: Chain, expected: number): OutcomeError {
  return new OutcomeError(
    'work_memory_checkpoint_revision_conflict',
    `The checkpoint was made from revision ${expected}; the current one is ${chain.checkpointRevision}. Nothing was written.`,
    {
      delivery: 'not_delivered',
      next: 'Read the current checkpoint with work_memory.resume, work it in, and send it with that revision.',
      details: { expected_checkpoint_revision: expected, current_checkpoint_revision: chain.checkpointRevision },
    },
  );
}
