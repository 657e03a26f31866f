/** Reading a chain file: line by line, bounded, and believed only when it is whole. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { OutcomeError } from '../../contract/outcome.ts';
import { systemCode } from '../../local/error/index.ts';
import { checkpointDigest, isPartition } from '../memory/index.ts';
import { type BodyLine, type EndLine, type HeadLine, readHead, readLine } from './chain-file.ts';
import { digest, storable } from './journal/index.ts';
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
  const ids = new Set<string>();
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
      assertLine(reading.line, head, ids, counts, lines + 1);
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
  return { head, sha256: end.sha256, counts, reclaimed };
}

function assertLine(line: BodyLine, head: HeadLine, ids: Set<string>, counts: CheckedFile['counts'], at: number): void {
  const wrong = (what: string) => invalid(`line ${at}: ${what}`);
  if (line.t === 'turn' || line.t === 'evidence') {
    const id = line.t === 'turn' ? `t${line.message_id}` : `e${line.evidence_id}`;
    if (ids.has(id)) throw wrong('an id stands twice');
    ids.add(id);
    const text = line.t === 'turn' ? line.text : line.content;
    if (text !== null && digest(storable(text, 'entry')).toString('hex') !== line.sha256) {
      throw wrong('a text does not have its digest');
    }
  }
  if (line.t !== 'checkpoint') return;
  const right = checkpointDigest(head.continuity_id, {
    revision: line.revision,
    summary: line.summary,
    checkpointJson: line.checkpoint_json,
    throughMessageId: line.through_message_id,
    throughEvidenceId: line.through_evidence_id,
    createdAt: line.created_at,
  });
  if (right.toString('hex') !== line.sha256 || line.revision !== counts.checkpoint + 1)
    throw wrong('a checkpoint is damaged');
  const anchored =
    (line.through_message_id === null || ids.has(`t${line.through_message_id}`)) &&
    (line.through_evidence_id === null || ids.has(`e${line.through_evidence_id}`));
  if (!anchored) throw wrong('a checkpoint points to nothing');
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
