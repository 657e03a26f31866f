/** Reading a chain file: line by line, bounded, and believed only when it is whole. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { OutcomeError } from '../../contract/outcome.ts';
import { systemCode } from '../../local/error/index.ts';
import { digest, ENTRY_BYTES_MAX, storable } from '../journal/index.ts';
import { checkpointDigest, checkpointProblem, isPartition, portableProblem } from '../memory/index.ts';
import { type BodyLine, type EndLine, type HeadLine, readHead, readLine } from './chain-file.ts';
import { FILE_LINE_CHARS_MAX } from './limits.ts';

export interface CheckedFile {
  head: HeadLine;
  sha256: string;
  counts: Record<BodyLine['t'], number>;
  reclaimed: number;
}

/** Throws `continuity_import_invalid` for what is no plain file. */
export async function assertFile(path: string): Promise<void> {
  if (!isAbsolute(path)) throw invalid('path is not absolute');
  const stats = await lstat(path).catch((error: unknown) => {
    throw invalid(`${path} cannot be read (${systemCode(error) ?? 'unknown reason'})`);
  });
  if (!stats.isFile()) throw invalid(`${path} is no plain file`);
}

/** Reads the whole file once: every line has its shape, the digests are right, and the seal fits. */
export async function checkFile(path: string): Promise<CheckedFile> {
  const hash = createHash('sha256');
  const counts = { binding: 0, session: 0, turn: 0, evidence: 0, checkpoint: 0 };
  const seen: Seen = { places: new Map(), lastBodiless: 0, turnAnchor: 0, evidenceAnchor: 0 };
  let head: HeadLine | null = null;
  let end: EndLine | null = null;
  let lines = 0;
  let reclaimed = 0;
  for await (const text of linesOf(path)) {
    if (end !== null) throw invalid('something follows its last line');
    if (head === null) {
      head = readHead(text);
      if (head === null) throw invalid('its first line is not that of a chain file of this version');
      if (head.partition !== null && !isPartition(head.partition)) throw invalid('its partition has no proper names');
    } else {
      const reading = readLine(text);
      if (!reading.ok) throw invalid(`line ${lines + 1} is damaged`);
      if (reading.line.t === 'end') {
        end = reading.line;
        continue;
      }
      assertLine(reading.line, head, seen, counts, lines + 1);
      counts[reading.line.t] += 1;
      if (reading.line.t === 'turn' && reading.line.text === null) reclaimed += 1;
    }
    hash.update(`${text}\n`);
    lines += 1;
  }
  if (head === null || end === null || end.lines !== lines || end.sha256 !== hash.digest('hex')) {
    throw invalid('it is cut off or was changed');
  }
  if (counts.checkpoint !== head.checkpoint_revision) throw invalid('a checkpoint is missing');
  if (seen.lastBodiless > seen.turnAnchor) throw invalid('a turn has no text, and no checkpoint covers it');
  return { head, sha256: end.sha256, counts, reclaimed };
}

/** What stood in the file so far, by line. */
interface Seen {
  places: Map<string, number>;
  lastBodiless: number;
  /** Where the anchors of the newest checkpoint stand; 0 for none. */
  turnAnchor: number;
  evidenceAnchor: number;
}

/** Holds a line to everything that the door for such an entry would have asked of it. */
function assertLine(line: BodyLine, head: HeadLine, seen: Seen, counts: CheckedFile['counts'], at: number): void {
  const problem =
    line.t === 'turn' || line.t === 'evidence'
      ? entryProblem(line, seen, at)
      : line.t === 'checkpoint'
        ? checkpointLineProblem(line, head, seen, counts.checkpoint + 1)
        : null;
  if (problem !== null) throw invalid(`line ${at}: ${problem}`);
}

function entryProblem(line: Extract<BodyLine, { t: 'turn' | 'evidence' }>, seen: Seen, at: number): string | null {
  const id = line.t === 'turn' ? `t${line.message_id}` : `e${line.evidence_id}`;
  if (seen.places.has(id)) return 'an id stands twice';
  seen.places.set(id, at);
  const text = line.t === 'turn' ? line.text : line.content;
  if (text === null) seen.lastBodiless = at;
  else if (text === '' || Buffer.byteLength(text) > ENTRY_BYTES_MAX) return 'a text is empty or too long';
  else if (digest(storable(text, 'entry')).toString('hex') !== line.sha256) return 'a text does not have its digest';
  return line.t === 'evidence' ? placeProblem(line) : null;
}

/** A place in Git is whole and portable, or there is none. */
function placeProblem(line: Extract<BodyLine, { t: 'evidence' }>): string | null {
  const { portable_repo_id: repo_id, portable_commit_sha: commit_sha, portable_path: repo_relative_path } = line;
  const { portable_line_start: line_start, portable_line_end: line_end } = line;
  const named = [repo_id, commit_sha, repo_relative_path].filter((part) => part !== null);
  if (named.length === 0) return line_start === null && line_end === null ? null : 'lines of no place';
  if (repo_id === null || commit_sha === null || repo_relative_path === null) return 'half a place in Git';
  return portableProblem({
    repo_id,
    commit_sha,
    repo_relative_path,
    ...(line_start === null ? {} : { line_start }),
    ...(line_end === null ? {} : { line_end }),
  });
}

function checkpointLineProblem(
  line: Extract<BodyLine, { t: 'checkpoint' }>,
  head: HeadLine,
  seen: Seen,
  revision: number,
): string | null {
  const right = checkpointDigest(head.continuity_id, {
    revision: line.revision,
    summary: line.summary,
    checkpointJson: line.checkpoint_json,
    throughMessageId: line.through_message_id,
    throughEvidenceId: line.through_evidence_id,
    createdAt: line.created_at,
  });
  if (right.toString('hex') !== line.sha256 || line.revision !== revision) return 'a checkpoint is damaged';
  const turn = line.through_message_id === null ? 0 : seen.places.get(`t${line.through_message_id}`);
  const proof = line.through_evidence_id === null ? 0 : seen.places.get(`e${line.through_evidence_id}`);
  if (turn === undefined || proof === undefined) return 'a checkpoint points to nothing';
  if (turn === 0 && proof === 0) return 'a checkpoint has no anchor';
  if ((turn > 0 && turn < seen.turnAnchor) || (proof > 0 && proof < seen.evidenceAnchor)) {
    return 'an anchor goes back behind the checkpoint before';
  }
  seen.turnAnchor = turn;
  seen.evidenceAnchor = proof;
  return checkpointProblem(line.checkpoint_json);
}

/** The lines between the first and the last of a file that was checked; throws at its end when it is another one now. */
export async function* bodyLines(path: string, sha256: string): AsyncGenerator<BodyLine> {
  const hash = createHash('sha256');
  for await (const text of linesOf(path)) {
    const reading = readLine(text);
    if (reading.ok && reading.line.t === 'end') break;
    hash.update(`${text}\n`);
    if (reading.ok) yield reading.line as BodyLine;
  }
  if (hash.digest('hex') !== sha256) throw invalid('it was changed while it was read');
}

/** Lines of bounded length; a file without an end of line is no chain file. */
async function* linesOf(path: string): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of createReadStream(path, { encoding: 'utf8', highWaterMark: 64 * 1024 })) {
    rest += chunk;
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
      yield rest.slice(0, end);
      rest = rest.slice(end + 1);
    }
    if (rest.length > FILE_LINE_CHARS_MAX) throw invalid('a line is too long');
  }
  if (rest !== '') throw invalid('it is cut off');
}

function invalid(what: string): OutcomeError {
  return new OutcomeError(
    'continuity_import_invalid',
    `The file is no whole chain file: ${what}. Nothing was imported.`,
    {
      delivery: 'not_delivered',
      next: 'Export the chain again with herdr-mcp continuity export.',
    },
  );
}
