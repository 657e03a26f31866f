import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database } from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openContinuity } from '../../../runtime-a-b/continuity/index.ts';
import { checkpointDigest } from '../../../runtime-a-b/memory/index.ts';
import { openState } from '../../../runtime-a-b/state/index.ts';
import { played } from '../../played.ts';
import { startWriter } from './writers.ts';

/** `npm test` kills a few times, the whole matrix two hundred (quality: stores). */
const KILLS = process.env['HERDR_MCP_MATRIX'] === '1' ? 200 : 4;

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'hm-killed-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Numbers that look random and are the same in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
}

/** The file is sound, counts and index fit the rows, and every acknowledged line is there. Returns how many were. */
function examine(stateDir: string, acknowledged: readonly string[]): number {
  const state = openState(stateDir);
  try {
    const { database } = state;
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
    database.exec("INSERT INTO continuity_fts (continuity_fts) VALUES ('integrity-check')");
    const one = <T>(sql: string, ...values: unknown[]) => database.prepare<unknown[], T>(sql).get(...values);
    const words = one<{ n: number }>('SELECT count(*) AS n FROM continuity_fts_docsize')?.n;
    const rows = one<{ n: number }>(
      'SELECT (SELECT count(*) FROM continuity_turns) + (SELECT count(*) FROM continuity_evidence) AS n',
    )?.n;
    expect(words).toBe(rows);
    expect(countsThatDiffer(database)).toEqual([]);
    for (const line of acknowledged) {
      const [kind, id, sha] = line.split(' ');
      if (kind === 'turn' || kind === 'journal') {
        expect(one('SELECT 1 FROM continuity_turns WHERE message_id = ?', id)).toBeDefined();
      } else if (kind === 'evidence') {
        expect(one('SELECT 1 FROM continuity_evidence WHERE evidence_id = ?', id)).toBeDefined();
      } else if (kind === 'checkpoint') {
        const row = one<{ sha256: Buffer }>('SELECT sha256 FROM continuity_checkpoints WHERE revision = ?', Number(id));
        expect(row?.sha256.toString('hex')).toBe(sha);
      }
    }
    checkpointsAreWhole(database);
    // And it goes on being used.
    openContinuity(state);
    return acknowledged.length;
  } finally {
    state.close();
  }
}

function countsThatDiffer(database: Database): unknown[] {
  return database
    .prepare(
      `SELECT c.continuity_id, c.turn_count, c.evidence_count FROM continuity_chains c
       WHERE c.turn_count <> (SELECT count(*) FROM continuity_turns t WHERE t.chain_no = c.chain_no)
          OR c.evidence_count <> (SELECT count(*) FROM continuity_evidence e WHERE e.chain_no = c.chain_no)
          OR c.checkpoint_revision <> (SELECT count(*) FROM continuity_checkpoints p WHERE p.chain_no = c.chain_no)
          OR c.turn_bytes <> (SELECT coalesce(sum(t.bytes), 0) FROM continuity_turns t WHERE t.chain_no = c.chain_no)`,
    )
    .all();
}

/** Revisions have no gap, and each has its digest. */
function checkpointsAreWhole(database: Database): void {
  const rows = database
    .prepare<
      [],
      {
        continuity_id: string;
        revision: number;
        summary: string;
        checkpoint_json: string;
        through_message_id: string | null;
        through_evidence_id: string | null;
        created_at: number;
        sha256: Buffer;
      }
    >(
      'SELECT c.continuity_id, p.* FROM continuity_checkpoints p JOIN continuity_chains c USING (chain_no) ORDER BY revision',
    )
    .all();
  rows.forEach((row, i) => {
    expect(row.revision).toBe(i + 1);
    const right = checkpointDigest(row.continuity_id, {
      revision: row.revision,
      summary: row.summary,
      checkpointJson: row.checkpoint_json,
      throughMessageId: row.through_message_id,
      throughEvidenceId: row.through_evidence_id,
      createdAt: row.created_at,
    });
    expect(right.equals(row.sha256)).toBe(true);
  });
}

describe('the journal on disk', () => {
  it(
    `survives ${KILLS} kills in the middle of writing, with everything that was acknowledged`,
    async () => {
      const random = seeded(20_260_112);
      const acknowledged: string[] = [];
      for (let kill = 0; kill < KILLS; kill++) {
        const writer = startWriter(dir, `k${kill}`);
        await writer.reached(2 + Math.floor(random() * 40));
        await new Promise((resolve) => setTimeout(resolve, random() * 5)); // somewhere inside the next write
        writer.child.kill('SIGKILL');
        await writer.ended;
        played('kills');
        expect(writer.child.signalCode).toBe('SIGKILL');
        acknowledged.push(...writer.lines);
        expect(examine(dir, acknowledged)).toBeGreaterThan(0);
      }
    },
    KILLS * 20_000,
  );

  it('loses nothing while two generations write at once, and both numberings stay one', async () => {
    const writers = [startWriter(dir, 'a', 20), startWriter(dir, 'b', 20)];
    await Promise.all(writers.map((writer) => writer.ended));
    for (const writer of writers) {
      expect(writer.child.exitCode).toBe(0);
      expect(writer.lines.at(-1)).toBe('done');
    }
    const lines = writers.flatMap((writer) => writer.lines);
    examine(dir, lines);
    const state = openState(dir);
    const { journal, methods } = openContinuity(state);
    const count = (table: string) =>
      (state.database.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n;
    expect(count('continuity_turns')).toBe(80);
    expect(count('continuity_evidence')).toBe(40);
    expect(journal.entries.newestSeq()).toBe(120);
    // One partition for both, though both began it at once; and two revisions were never one.
    expect(count('continuity_chains')).toBe(3);
    const revisions = lines.filter((line) => line.startsWith('checkpoint')).map((line) => line.split(' ')[1]);
    expect(new Set(revisions).size).toBe(revisions.length);
    const found = await methods['work_memory.search']?.run(
      { project_ref: 'p', repo_id: 'r', work_chain_id: 'w', query: 'uniqueax19' },
      {
        dispatchId: 'd',
        principal: { kind: 'local', id: 'me' },
        deviceId: 'dev_1',
        nowMs: () => 0,
        live: { view: () => ({ server: undefined }) },
      },
    );
    expect(found?.hits).toHaveLength(1);
    state.close();
  }, 120_000);
});
