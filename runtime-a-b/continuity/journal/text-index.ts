/**
 * The full-text index over turns and evidence: an index, not a second truth. It holds no text, only where words stand,
 * and newest entries are found first.
 *
 * Hits come newest first and not by rank: a rank depends on everything in the index, also on what is added later, so a
 * page by rank cannot be frozen; and it has to look at every match, where this stops as soon as a page is full.
 */
import type { Database, Statement } from 'better-sqlite3';
import { chainWord, indexWords } from './words.ts';

export class TextIndex {
  readonly #insert: Statement<[number, string, string, string]>;
  readonly #remove: Statement<[number]>;
  readonly #find: Statement<[string, number, number], { rowid: number }>;

  constructor(database: Database) {
    this.#insert = database.prepare('INSERT INTO continuity_fts (rowid, words, chars, chain) VALUES (?, ?, ?, ?)');
    this.#remove = database.prepare('DELETE FROM continuity_fts WHERE rowid = ?');
    this.#find = database.prepare(
      'SELECT rowid FROM continuity_fts WHERE continuity_fts MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?',
    );
  }

  /** Indexes one entry, inside the transaction that writes it. */
  add(seq: number, chainNo: number, text: string): void {
    const { words, chars } = indexWords(text);
    this.#insert.run(seq, words, chars, chainWord(chainNo));
  }

  /** Forgets the words of an entry whose body goes. */
  remove(seq: number): void {
    this.#remove.run(seq);
  }

  /** Numbers of matching entries below `below`, newest first, at most `count`. */
  find(expression: string, below: number, count: number): number[] {
    return this.#find.all(expression, below, count).map(({ rowid }) => rowid);
  }
}
