/** Turns and evidence that come through `work_memory.*`: from sessions that are bound, with portable Git references. */
import { createHash } from 'node:crypto';
import type { Static } from 'typebox';
import { canonicalJson } from '../../contract/canonical.ts';
import { OutcomeError } from '../../contract/outcome.ts';
import { type Chain, digest, type EvidenceHead, storable } from '../journal/index.ts';
import { assertWritable, sessionOf } from './bind.ts';
import { chainOf, type Memory, partitionOf, type Session } from './memory.ts';
import type { AppendEvidenceParams, AppendTurnParams, PortableSource } from './params.ts';

/** Runs inside a transaction. */
export function appendTurn(
  memory: Memory,
  params: Static<typeof AppendTurnParams>,
  nowMs: number,
): Record<string, unknown> {
  const chain = assertWritable(chainOf(memory, partitionOf(params)));
  const session = boundSession(memory, chain, params);
  if (session === null) throw new Error('the schema of append_turn requires a session');
  const messageId = `wm:${shortDigest([...Object.values(ordered(session)), params.provider_message_ref])}`;
  const appended = memory.journal.entries.appendTurn({
    ...session,
    chainNo: chain.chainNo,
    messageId,
    messageRef: params.provider_message_ref,
    role: params.role,
    text: storable(params.text, 'turn'),
    observedAt: params.observed_at ?? nowMs,
    recordedAt: nowMs,
  });
  if (appended.kind === 'conflict') throw messageConflict(params.provider_message_ref);
  return { continuity_id: chain.continuityId, message_id: messageId, inserted: appended.kind === 'inserted' };
}

/** Runs inside a transaction. */
export function appendEvidence(
  memory: Memory,
  params: Static<typeof AppendEvidenceParams>,
  nowMs: number,
): Record<string, unknown> {
  const chain = assertWritable(chainOf(memory, partitionOf(params)));
  const session = boundSession(memory, chain, params) ?? NO_SESSION;
  const place = params.portable_source === undefined ? null : portable(params.portable_source);
  const content = storable(params.content, 'evidence');
  const sha256 = digest(content);
  const evidenceId = `ev_${shortDigest([params.kind, sha256.toString('hex'), ...Object.values(ordered(session)), place])}`;
  const appended = memory.journal.entries.appendEvidence({
    ...session,
    chainNo: chain.chainNo,
    evidenceId,
    kind: params.kind,
    portableRepoId: place?.repo_id ?? null,
    portableCommitSha: place?.commit_sha ?? null,
    portablePath: place?.repo_relative_path ?? null,
    portableLineStart: place?.line_start ?? null,
    portableLineEnd: place?.line_end ?? null,
    content,
    createdAt: params.created_at ?? nowMs,
    recordedAt: nowMs,
  });
  return {
    continuity_id: chain.continuityId,
    evidence_id: evidenceId,
    inserted: appended.kind === 'inserted',
    sha256: `sha256:${sha256.toString('hex')}`,
    ...(place === null
      ? {}
      : { portable_ref: { kind: 'git_source', ...place, evidence_sha256: sha256.toString('hex') } }),
  };
}

const NO_SESSION: Session = { provider: '', accountRef: '', spaceRef: '', sessionRef: '' };

/** Fixed order, whatever order the object was made in: ids are digests over it. */
const ordered = ({ provider, accountRef, spaceRef, sessionRef }: Session): Session => ({
  provider,
  accountRef,
  spaceRef,
  sessionRef,
});

function boundSession(memory: Memory, chain: Chain, params: Parameters<typeof sessionOf>[0]): Session | null {
  const session = sessionOf(params);
  if (session === null) return null;
  if (memory.sql.session.get({ ...session, chainNo: chain.chainNo })) return session;
  throw new OutcomeError(
    'work_memory_session_not_bound',
    'This session is not bound to the chain. Nothing was recorded.',
    {
      delivery: 'not_delivered',
      next: 'Bind it first: work_memory.bind with the same partition, provider and session_ref.',
      details: { continuity_id: chain.continuityId },
    },
  );
}

function messageConflict(ref: string): OutcomeError {
  return new OutcomeError(
    'continuity_message_conflict',
    `The message ${JSON.stringify(ref)} is recorded already with another text or role. The first record stays.`,
    { delivery: 'not_delivered', next: 'A message that was changed has a new id; record it under that.' },
  );
}

/**
 * Why a place in Git does not mean the same on every machine (an absolute path, an address, a short commit id), or null
 * when it does. Everything that records evidence asks this, also what comes from a file.
 */
export function portableProblem(source: PortableSource): string | null {
  const { commit_sha: commit, repo_id: repo, repo_relative_path: path, line_start: start, line_end: end } = source;
  if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(commit)) {
    return 'commit_sha is not a full commit id of 40 or 64 hex digits';
  }
  if (!isPortableName(repo)) return 'repo_id is a path, an address or holds blanks';
  if (!isInsidePath(path)) return 'repo_relative_path is absolute, leaves the repository or is an address';
  return (start === undefined) !== (end === undefined) || (start ?? 1) > (end ?? 1)
    ? 'line_start and line_end belong together, the first not after the last'
    : null;
}

/** The place as it is stored, or `work_memory_evidence_invalid`. */
function portable(source: PortableSource): PortableSource {
  const refusal = portableProblem(source);
  if (refusal !== null) {
    throw new OutcomeError('work_memory_evidence_invalid', `portable_source: ${refusal}. Nothing was recorded.`, {
      next: 'Name the place by repository, full commit id and path inside the repository, or leave it out.',
    });
  }
  return { ...source, commit_sha: source.commit_sha.toLowerCase() };
}

function isPortableName(name: string): boolean {
  return !/^[/~\\]|^[A-Za-z]:|:\/\/|[\s\u0000-\u001f\u007f]/.test(name);
}

function isInsidePath(path: string): boolean {
  if (!isPathText(path)) return false;
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

const isPathText = (path: string): boolean => !/^[/~]|^[A-Za-z]:[\\/]|:\/\/|[\u0000-\u001f\u007f\\]/.test(path);

function shortDigest(parts: readonly unknown[]): string {
  return createHash('sha256').update(canonicalJson(parts)).digest('hex').slice(0, 32);
}

/** The portable reference of a piece of evidence, or null when it names no place in Git. */
export function portableRef(row: EvidenceHead): Record<string, unknown> | null {
  if (row.portableCommitSha === null) return null;
  return {
    kind: 'git_source',
    repo_id: row.portableRepoId,
    commit_sha: row.portableCommitSha,
    repo_relative_path: row.portablePath,
    ...(row.portableLineStart === null ? {} : { line_start: row.portableLineStart, line_end: row.portableLineEnd }),
    evidence_sha256: row.sha256.toString('hex'),
  };
}
