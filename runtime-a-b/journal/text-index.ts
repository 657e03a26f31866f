/**
 * The full-text index over turns and evidence: an index, not a second truth. It holds no text, only where words stand,
 * and newest entries are found first.
 *
 * Hits come newest first and not by rank: a rank depends on everything in the index, also on what is added later, so a
 * page by rank cannot be frozen; and it has to look at every match, where this stops as soon as a page is full.
 */
import type { Database, Statement } from 'better-sqlite3';
import { TIDY_EVERY, TIDY_GROWTH, TIDY_PAGES } from './limits.ts';
import { indexWords } from './words.ts';

export class TextIndex {
  readonly #insert: Statement<[number, string, string]>;
  readonly #remove: Statement<[number]>;
  readonly #find: Statement<[string, number, number], { rowid: number }>;
  readonly #merge: Statement<[number]>;
  readonly #changes: Statement<[], { n: number }>;
  #added = 0;
  #tidying = false;

  constructor(database: Database) {
    this.#insert = database.prepare('INSERT INTO continuity_fts (rowid, words, chars) VALUES (?, ?, ?)');
    this.#remove = database.prepare('DELETE FROM continuity_fts WHERE rowid = ?');
    this.#find = database.prepare(
      'SELECT rowid FROM continuity_fts WHERE continuity_fts MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?',
    );
    this.#merge = database.prepare("INSERT INTO continuity_fts (continuity_fts, rank) VALUES ('merge', ?)");
    this.#changes = database.prepare('SELECT total_changes() AS n');
  }

  /** Indexes one entry, inside the transaction that writes it. */
  add(seq: number, chainNo: number, text: string): void {
    const { words, chars } = indexWords(text, chainNo);
    this.#insert.run(seq, words, chars);
    this.#tidy(seq);
  }

  /** Forgets the words of an entry whose body goes. */
  remove(seq: number): void {
    this.#remove.run(seq);
  }

  /** Numbers of matching entries below `below`, newest first, at most `count`. */
  find(expression: string, below: number, count: number): number[] {
    return this.#find.all(expression, below, count).map(({ rowid }) => rowid);
  }

  /**
   * FTS5 keeps a large index in a dozen segments and asks each of them for every word. Once it has grown by a tenth, its
   * segments are merged into one, a few pages with each entry, so that no append waits for it. A process that dies in
   * between leaves a sound index; the next round begins anew.
   */
  #tidy(entries: number): void {
    this.#added += 1;
    if (!this.#tidying && this.#added < Math.max(TIDY_EVERY, entries * TIDY_GROWTH)) return;
    const before = this.#changes.get()?.n ?? 0;
    this.#merge.run(this.#tidying ? TIDY_PAGES : -TIDY_PAGES);
    // FTS5 says that nothing is left to merge by changing fewer than two rows.
    const done = this.#tidying && (this.#changes.get()?.n ?? 0) - before < 2;
    this.#tidying = !done;
    if (done) this.#added = 0;
  }
}
