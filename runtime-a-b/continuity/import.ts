/**
 * `continuity.import`: reads a chain from its file. The whole file is checked first; then it is read into a chain that
 * nobody sees, in small steps, and shown in the last one. Killed in between, the same file goes on where it stopped.
 */
import { setImmediate } from 'node:timers/promises';
import { OutcomeError } from '../../contract/outcome.ts';
import { assertPerson, type Chain, inTransaction, type MethodContext } from '../journal/index.ts';
import type { Memory } from '../memory/index.ts';
import type { BodyLine, HeadLine } from './chain-file.ts';
import { assertFile, bodyLines, type CheckedFile, checkFile } from './chain-file-read.ts';
import { FILE_STEP } from './limits.ts';

export interface ImportGiven {
  path: string;
  dry_run?: boolean;
}

/**
 * Throws `continuity_import_invalid` for a file that is not whole, and `continuity_import_conflict` when its chain or its
 * partition is here already with something else in it; in both cases nothing is shown. A chain that already holds
 * everything in the file is left as it is.
 */
export async function importChain(
  memory: Memory,
  given: ImportGiven,
  context: MethodContext,
): Promise<Record<string, unknown>> {
  assertPerson(context, 'Files are read');
  await assertFile(given.path);
  const checked = await checkFile(given.path);
  const { head } = checked;
  const answer = { continuity_id: head.continuity_id, title: head.title, ...checked.counts, sha256: checked.sha256 };
  const present = memory.journal.chains.byId(head.continuity_id);
  if (present) {
    if (await holdsAll(memory, present, given.path, checked.sha256))
      return { ...answer, imported: false, already_present: true };
    throw conflict('The chain is here already, and the file holds something else than it does.', head);
  }
  assertPartitionFree(memory, head);
  if (given.dry_run === true) return { ...answer, imported: false, dry_run: true };
  const staging = inTransaction(memory.journal, () => stage(memory, checked, context.nowMs()));
  let batch: BodyLine[] = [];
  const write = () => {
    const lines = batch;
    batch = [];
    inTransaction(memory.journal, () => {
      for (const line of lines) put(memory, staging, line, context.nowMs());
    });
  };
  for await (const line of bodyLines(given.path, checked.sha256)) {
    batch.push(line);
    if (batch.length === FILE_STEP) {
      write();
      await setImmediate();
    }
  }
  write();
  inTransaction(memory.journal, () => show(memory, staging, checked, context));
  return { ...answer, imported: true };
}

/** Whether a chain holds every entry and checkpoint of the file; it may hold more. */
async function holdsAll({ journal, sql }: Memory, chain: Chain, path: string, sha256: string): Promise<boolean> {
  for await (const line of bodyLines(path, sha256)) {
    const held =
      line.t === 'turn'
        ? journal.entries.turnByMessage(chain.chainNo, line.message_id)?.sha256.toString('hex') === line.sha256
        : line.t === 'evidence'
          ? journal.entries.evidenceById(chain.chainNo, line.evidence_id) !== undefined
          : line.t === 'checkpoint'
            ? sql.checkpoint.get({ no: chain.chainNo, revision: line.revision })?.sha256.toString('hex') === line.sha256
            : true;
    if (!held) return false;
  }
  return true;
}

function assertPartitionFree({ journal }: Memory, head: HeadLine): void {
  if (head.partition === null) return;
  const { project_ref: projectRef, repo_id: repoId, work_chain_id: workChainId } = head.partition;
  const owner = journal.chains.byPartition({ projectRef, repoId, workChainId });
  if (owner) throw conflict(`Its partition belongs to the chain ${owner.continuityId}.`, head);
}

/** The unseen chain of this very file: made now, or left by an import that was killed. */
function stage({ journal }: Memory, { sha256 }: CheckedFile, nowMs: number): Chain {
  const continuityId = `importing:${sha256}`;
  return (
    journal.chains.byId(continuityId) ??
    journal.chains.insert({
      continuityId,
      title: '',
      provider: '',
      projectId: '',
      status: 'importing',
      partition: null,
      createdAt: nowMs,
      updatedAt: nowMs,
    })
  );
}

/** One line; a line that an earlier try has put already is known. */
function put(memory: Memory, chain: Chain, line: BodyLine, nowMs: number): void {
  const { journal, sql } = memory;
  const { chainNo } = chain;
  switch (line.t) {
    case 'binding':
      if (line.retired_at !== null) return;
      journal.bindings.bind(
        { provider: line.provider, conversationId: line.conversation_id },
        chainNo,
        '',
        line.bound_at,
      );
      return;
    case 'session':
      sql.insertSession.run({ chainNo, ...sourceOf(line), boundAt: line.bound_at });
      return;
    case 'turn': {
      const turn = {
        chainNo,
        messageId: line.message_id,
        ...sourceOf(line),
        conversationId: line.conversation_id,
        messageRef: line.message_ref,
        role: line.role,
        observedAt: line.observed_at,
        recordedAt: nowMs,
      };
      if (line.text !== null) journal.entries.appendTurn({ ...turn, text: line.text });
      else journal.entries.appendBodiless({ ...turn, sha256: Buffer.from(line.sha256, 'hex'), bytes: line.bytes });
      return;
    }
    case 'evidence':
      journal.entries.appendEvidence({
        chainNo,
        evidenceId: line.evidence_id,
        kind: line.kind,
        ...sourceOf(line),
        portableRepoId: line.portable_repo_id,
        portableCommitSha: line.portable_commit_sha,
        portablePath: line.portable_path,
        portableLineStart: line.portable_line_start,
        portableLineEnd: line.portable_line_end,
        content: line.content,
        createdAt: line.created_at,
        recordedAt: nowMs,
      });
      return;
    case 'checkpoint': {
      if (sql.checkpoint.get({ no: chainNo, revision: line.revision })) return;
      const turn =
        line.through_message_id === null ? null : journal.entries.turnByMessage(chainNo, line.through_message_id);
      const proof =
        line.through_evidence_id === null ? null : journal.entries.evidenceById(chainNo, line.through_evidence_id);
      sql.insertCheckpoint.run({
        chainNo,
        revision: line.revision,
        throughMessageId: line.through_message_id,
        throughEvidenceId: line.through_evidence_id,
        throughTurnSeq: turn?.seq ?? null,
        throughEvidenceSeq: proof?.seq ?? null,
        sha256: Buffer.from(line.sha256, 'hex'),
        createdAt: line.created_at,
        recordedAt: nowMs,
        summary: line.summary,
        checkpointJson: line.checkpoint_json,
      });
    }
  }
}

const sourceOf = (line: { provider: string; account_ref: string; space_ref: string; session_ref: string }) => ({
  provider: line.provider,
  accountRef: line.account_ref,
  spaceRef: line.space_ref,
  sessionRef: line.session_ref,
});

/** The last step: the chain gets its own id and is there. Bodies never go on another machine's word: retain_all. */
function show(memory: Memory, staging: Chain, { head, sha256, reclaimed }: CheckedFile, context: MethodContext): void {
  const { journal, sql } = memory;
  if (journal.chains.byId(head.continuity_id)) throw conflict('The chain was made here meanwhile.', head);
  assertPartitionFree(memory, head);
  const partition = head.partition && {
    projectRef: head.partition.project_ref,
    repoId: head.partition.repo_id,
    workChainId: head.partition.work_chain_id,
  };
  journal.chains.reveal(staging.chainNo, {
    continuityId: head.continuity_id,
    title: head.title,
    provider: head.provider,
    projectId: head.project_id,
    status: head.status,
    partition,
    createdAt: head.created_at,
    updatedAt: head.updated_at,
  });
  journal.chains.setRevision(staging.chainNo, head.checkpoint_revision);
  if (reclaimed === 0) return;
  const last = journal.entries.lastBodiless(staging.chainNo);
  journal.chains.setReclaimed(staging.chainNo, last);
  sql.insertReclaim.run({
    reclaimId: `import:${sha256}`,
    chainNo: staging.chainNo,
    dryRun: 0,
    checkpointRevision: head.checkpoint_revision,
    checkpointSha256: Buffer.from(sha256, 'hex'),
    throughSeq: last,
    at: context.nowMs(),
  });
  sql.countReclaim.run({ id: `import:${sha256}`, turns: reclaimed, bytes: 0, damaged: 0 });
  sql.endReclaim.run({ id: `import:${sha256}`, state: 'imported', at: context.nowMs() });
}

function conflict(what: string, head: HeadLine): OutcomeError {
  return new OutcomeError('continuity_import_conflict', `${what} Nothing was imported.`, {
    delivery: 'not_delivered',
    next: 'Go on with the chain that is here, or import the file on a workstation without it.',
    details: { continuity_id: head.continuity_id, partition: head.partition },
  });
}
