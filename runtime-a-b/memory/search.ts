/**
 * `work_memory.search`: words in the turns and evidence of one partition, newest first, in pages that are frozen: what is
 * recorded after the first page never enters a later one, and a page is neither repeated nor skipped.
 */
import type { Static } from 'typebox';
import { OutcomeError } from '../../contract/outcome.ts';
import {
  type Chain,
  type Condition,
  excerptAround,
  matchExpression,
  openCursor,
  readQuery,
  sealCursor,
} from '../journal/index.ts';
import { HITS_DEFAULT } from './limits.ts';
import { chainOf, type Memory, partitionOf, partitionOfChain, partitionView } from './memory.ts';
import type { SearchParams } from './params.ts';
import { HISTORY_NOTICE } from './resume.ts';

/** What a cursor carries; sealed, so it is what we wrote. Short names: it travels in a URL-like text. */
interface Place {
  /** continuity_id. */
  c: string;
  q: string;
  /** Boundary: nothing above this number is in any page. */
  m: number;
  /** The last number given; the next page lies below. */
  a: number;
  /** Page size. */
  n: number;
  /** Checkpoint revision and newest evidence when the first page was given. */
  r: number;
  e: string | null;
}

export function search(memory: Memory, params: Static<typeof SearchParams>): Record<string, unknown> {
  const { chain, place } = params.cursor === undefined ? begin(memory, params) : goOn(memory, params, params.cursor);
  const conditions = readQuery(place.q);
  if (conditions.length === 0) {
    throw new OutcomeError('invalid_params', 'The query holds no word, character or emoji. Nothing was searched.', {
      next: 'Search for a word that stands in the text.',
    });
  }
  const found = memory.journal.index.find(matchExpression(conditions, chain.chainNo), place.a, place.n + 1);
  const shown = found.slice(0, place.n);
  const last = shown[shown.length - 1];
  const partition = partitionOfChain(chain);
  return {
    continuity_id: chain.continuityId,
    partition: partition && partitionView(partition),
    query: place.q,
    order: 'newest_first',
    hits: shown.map((seq) => hit(memory, seq, wordsOf(conditions))),
    next_cursor:
      found.length > place.n && last !== undefined
        ? sealCursor(memory.journal.cursorKey, 'wmc', { ...place, a: last } satisfies Place)
        : null,
    boundary: { checkpoint_revision: place.r, last_evidence_id: place.e, last_entry: place.m },
    limitations: chain.reclaimedThroughSeq > 0 ? ['reclaimed_bodies_not_searched'] : [],
    history: true,
    notice: HISTORY_NOTICE,
  };
}

function begin(memory: Memory, params: Static<typeof SearchParams>): { chain: Chain; place: Place } {
  const { project_ref, repo_id, work_chain_id, query } = params;
  if (project_ref === undefined || repo_id === undefined || work_chain_id === undefined || query === undefined) {
    throw new OutcomeError(
      'invalid_params',
      'A search needs project_ref, repo_id, work_chain_id and query, or a cursor. Nothing was searched.',
      { next: 'Name the partition and the words, or give next_cursor of an answer alone.' },
    );
  }
  const chain = chainOf(memory, partitionOf({ project_ref, repo_id, work_chain_id }));
  const newest = memory.journal.entries.newestSeq();
  const place: Place = {
    c: chain.continuityId,
    q: query.replace(/[\s\u0000-\u001f\u007f]+/gu, ' ').trim(),
    m: newest,
    a: newest + 1,
    n: params.limit ?? HITS_DEFAULT,
    r: chain.checkpointRevision,
    e: memory.journal.entries.newestOf(chain.chainNo, 1)[0]?.evidenceId ?? null,
  };
  return { chain, place };
}

/** The search that a cursor goes on with. Parameters beside it may only repeat what it was made for. */
function goOn(memory: Memory, params: Static<typeof SearchParams>, cursor: string): { chain: Chain; place: Place } {
  const opened = openCursor(memory.journal.cursorKey, 'wmc', cursor);
  if (!opened.ok) {
    throw opened.reason === 'version_unsupported'
      ? refuse('work_memory_cursor_version_unsupported', 'The cursor is of another version.')
      : refuse('work_memory_cursor_invalid', 'The cursor was not made by this workstation or was changed.');
  }
  const place = opened.inside as Place;
  const chain = memory.journal.chains.byId(place.c);
  const { project_ref, repo_id, work_chain_id } = params;
  const given = [project_ref, repo_id, work_chain_id];
  if (!chain || (given.some((name) => name !== undefined) && !namesChain(given, chain))) {
    throw refuse('work_memory_cursor_partition_mismatch', 'The cursor belongs to another partition.');
  }
  const otherQuery = params.query !== undefined && params.query.replace(/\s+/gu, ' ').trim() !== place.q;
  if (otherQuery || (params.limit !== undefined && params.limit !== place.n)) {
    throw refuse('work_memory_cursor_conflict', 'The cursor belongs to another query or page size.');
  }
  if (memory.journal.entries.newestSeq() < place.m) {
    throw refuse(
      'work_memory_cursor_boundary_unavailable',
      'The journal is older than the cursor: it was replaced by an earlier copy.',
    );
  }
  return { chain, place };
}

function namesChain(given: readonly (string | undefined)[], chain: Chain): boolean {
  const names = [chain.projectRef, chain.repoId, chain.workChainId];
  return given.every((name, i) => name === undefined || name.trim() === names[i]);
}

function hit(memory: Memory, seq: number, words: readonly string[]): Record<string, unknown> {
  const turn = memory.journal.entries.turn(seq);
  if (turn) {
    return {
      source_kind: 'turn',
      source_id: turn.messageId,
      role: turn.role,
      observed_at: turn.observedAt,
      excerpt: excerptAround(turn.text ?? '', words),
    };
  }
  const proof = memory.journal.entries.evidence(seq);
  return {
    source_kind: 'evidence',
    source_id: proof?.evidenceId ?? null,
    kind: proof?.kind ?? null,
    observed_at: proof?.createdAt ?? null,
    excerpt: excerptAround(proof?.content ?? '', words),
  };
}

/** What an excerpt is put around, longest first. */
function wordsOf(conditions: readonly Condition[]): string[] {
  return conditions
    .flatMap((condition) => ('char' in condition ? [condition.char] : condition.words))
    .sort((one, other) => other.length - one.length);
}

function refuse(
  code:
    | 'work_memory_cursor_invalid'
    | 'work_memory_cursor_version_unsupported'
    | 'work_memory_cursor_partition_mismatch'
    | 'work_memory_cursor_conflict'
    | 'work_memory_cursor_boundary_unavailable',
  what: string,
): OutcomeError {
  return new OutcomeError(code, `${what} Nothing was searched.`, {
    delivery: 'not_delivered',
    next: 'Begin the search again with the partition and the query.',
  });
}
