/** `continuity.export`: writes one chain into one private file, in small steps, complete or not at all. */
import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, lstat, open, rename, rm } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { OutcomeError } from '../../contract/outcome.ts';
import { systemCode } from '../../local/error/index.ts';
import { assertPerson, type Chain, type Evidence, type MethodContext, type Turn } from '../journal/index.ts';
import { type Memory, partitionOfChain, partitionView } from '../memory/index.ts';
import { type BodyLine, type EndLine, FILE_FORMAT, FILE_VERSION, type HeadLine } from './chain-file.ts';
import { resolveById } from './identity.ts';
import { FILE_STEP } from './limits.ts';

export interface ExportGiven {
  continuity_id: string;
  path: string;
  overwrite?: boolean;
}

/**
 * The file holds what was recorded when it was begun. It is written beside its place and moved there when it is whole and
 * on disk; mode 0600. Throws `continuity_export_failed` and leaves the place as it was.
 */
export async function exportChain(
  memory: Memory,
  given: ExportGiven,
  context: MethodContext,
): Promise<Record<string, unknown>> {
  assertPerson(context, 'Files are written');
  const { chain } = resolveById(memory.journal, given.continuity_id);
  await assertPlace(given);
  const temporary = join(dirname(given.path), `.herdr-mcp-${context.dispatchId}.tmp`);
  let file: FileHandle | undefined;
  try {
    file = await open(temporary, 'wx', 0o600);
    const writer = new LineWriter(file);
    for await (const line of linesOf(memory, chain)) await writer.write(line);
    const sealed = await writer.end();
    await file.sync();
    await file.close();
    file = undefined;
    await rename(temporary, given.path);
    return { continuity_id: chain.continuityId, path: given.path, ...sealed };
  } catch (error) {
    await file?.close();
    await rm(temporary, { force: true });
    if (error instanceof OutcomeError || systemCode(error) === undefined) throw error;
    throw failed(`${given.path} could not be written (${systemCode(error)}).`, error);
  }
}

async function assertPlace({ path, overwrite }: ExportGiven): Promise<void> {
  if (!isAbsolute(path)) throw failed('path is not absolute.');
  const stats = await lstat(path).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return null;
    throw failed(`${path} cannot be looked at (${systemCode(error) ?? 'unknown reason'}).`, error);
  });
  if (stats === null) return;
  if (!stats.isFile()) throw failed(`${path} exists and is no plain file.`);
  if (overwrite !== true) throw failed(`${path} exists already.`);
}

function failed(what: string, cause?: unknown): OutcomeError {
  return new OutcomeError('continuity_export_failed', `${what} Nothing was exported.`, {
    delivery: 'not_delivered',
    next: 'Choose another path, or allow overwriting.',
    cause,
  });
}

/** Writes lines and digests what it wrote. */
class LineWriter {
  readonly #file: FileHandle;
  readonly #hash: Hash = createHash('sha256');
  #lines = 0;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  async write(lines: readonly (HeadLine | BodyLine)[]): Promise<void> {
    const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    this.#hash.update(bytes);
    this.#lines += lines.length;
    await this.#file.appendFile(bytes);
  }

  async end(): Promise<{ lines: number; sha256: string }> {
    const sealed = { lines: this.#lines, sha256: this.#hash.digest('hex') };
    await this.#file.appendFile(`${JSON.stringify({ t: 'end', ...sealed } satisfies EndLine)}\n`);
    return sealed;
  }
}

/** The lines of a chain in steps, as it was when the first one is taken. */
async function* linesOf(memory: Memory, chain: Chain): AsyncGenerator<(HeadLine | BodyLine)[]> {
  const { journal, sql } = memory;
  const boundary = journal.entries.newestSeq();
  yield [headOf(chain), ...bindingsOf(memory, chain), ...sessionsOf(memory, chain)];
  let after = 0;
  for (;;) {
    const turns = journal.entries.turnsUp(chain.chainNo, after, FILE_STEP);
    const proofs = journal.entries.evidenceUp(chain.chainNo, after, FILE_STEP);
    // Each list was cut on its own; only up to the smaller of their ends are both complete.
    const ends = [turns, proofs].map((list) =>
      list.length < FILE_STEP ? boundary : (list[list.length - 1]?.seq ?? boundary),
    );
    const end = Math.min(boundary, ...ends);
    const lines = [...turns.map(turnLine), ...proofs.map(evidenceLine)]
      .filter(({ seq }) => seq <= end)
      .sort((one, other) => one.seq - other.seq);
    if (lines.length > 0) yield lines.map(({ line }) => line);
    if (end >= boundary) break;
    after = end;
    await setImmediate();
  }
  for (let revision = 1; revision <= chain.checkpointRevision; revision += FILE_STEP) {
    const rows = sql.checkpointsUp.all({ no: chain.chainNo, revision, count: FILE_STEP });
    yield rows
      .filter((row) => row.revision <= chain.checkpointRevision)
      .map((row) => ({
        t: 'checkpoint' as const,
        revision: row.revision,
        summary: row.summary,
        checkpoint_json: row.checkpointJson,
        through_message_id: row.throughMessageId,
        through_evidence_id: row.throughEvidenceId,
        created_at: row.createdAt,
        sha256: row.sha256.toString('hex'),
      }));
    await setImmediate();
  }
}

function headOf(chain: Chain): HeadLine {
  const partition = partitionOfChain(chain);
  return {
    format: FILE_FORMAT,
    version: FILE_VERSION,
    continuity_id: chain.continuityId,
    title: chain.title,
    provider: chain.provider,
    project_id: chain.projectId,
    status: chain.status === 'closed' ? 'closed' : 'active',
    partition: partition && partitionView(partition),
    retention_policy: chain.retentionPolicy,
    checkpoint_revision: chain.checkpointRevision,
    created_at: chain.createdAt,
    updated_at: chain.updatedAt,
  };
}

/** Conversations, without the workspaces of this machine: the other one has its own. */
function bindingsOf({ journal }: Memory, chain: Chain): BodyLine[] {
  const rows = journal.bindings.ofChain(chain.chainNo, ALL_BINDINGS);
  const lines = new Map<string, BodyLine & { t: 'binding' }>();
  for (const row of rows) {
    const key = JSON.stringify([row.provider, row.conversationId]);
    const known = lines.get(key);
    const bound = Math.min(known?.bound_at ?? row.boundAt, row.boundAt);
    const retired = known !== undefined && known.retired_at === null ? null : row.retiredAt;
    lines.set(key, {
      t: 'binding',
      provider: row.provider,
      conversation_id: row.conversationId,
      bound_at: bound,
      retired_at: retired,
    });
  }
  return [...lines.values()].sort((one, other) => one.bound_at - other.bound_at);
}

/** Far above what one line of work is ever talked about in. */
const ALL_BINDINGS = 100_000;

function sessionsOf({ sql }: Memory, chain: Chain): BodyLine[] {
  return sql.sessions.all({ no: chain.chainNo }).map((row) => ({
    t: 'session',
    provider: row.provider,
    account_ref: row.accountRef,
    space_ref: row.spaceRef,
    session_ref: row.sessionRef,
    bound_at: row.boundAt,
  }));
}

function turnLine(turn: Turn): { seq: number; line: BodyLine } {
  return {
    seq: turn.seq,
    line: {
      t: 'turn',
      message_id: turn.messageId,
      provider: turn.provider,
      account_ref: turn.accountRef,
      space_ref: turn.spaceRef,
      session_ref: turn.sessionRef,
      conversation_id: turn.conversationId,
      message_ref: turn.messageRef,
      role: turn.role === 'user' ? 'user' : 'assistant',
      observed_at: turn.observedAt,
      sha256: turn.sha256.toString('hex'),
      bytes: turn.bytes,
      text: turn.text,
    },
  };
}

function evidenceLine(row: Evidence): { seq: number; line: BodyLine } {
  return {
    seq: row.seq,
    line: {
      t: 'evidence',
      evidence_id: row.evidenceId,
      kind: row.kind,
      provider: row.provider,
      account_ref: row.accountRef,
      space_ref: row.spaceRef,
      session_ref: row.sessionRef,
      portable_repo_id: row.portableRepoId,
      portable_commit_sha: row.portableCommitSha,
      portable_path: row.portablePath,
      portable_line_start: row.portableLineStart,
      portable_line_end: row.portableLineEnd,
      created_at: row.createdAt,
      sha256: row.sha256.toString('hex'),
      content: row.content,
    },
  };
}
