import { describe, expect, it } from 'vitest';
import { matchExpression, readQuery } from '../../../runtime-a-b/journal/index.ts';
import { openDesk } from '../continuity/desk.ts';

describe('the index while it is tidied', () => {
  it('finds everything in every step, and stays sound', () => {
    const { journal } = openDesk();
    const { database } = journal.state;
    const all = matchExpression(readQuery('every'), 1);
    for (let batch = 0; batch < 60; batch++) {
      // Many small transactions leave many small segments behind.
      for (let part = 0; part < 10; part++) {
        database.transaction(() => {
          for (let i = 0; i < 10; i++) {
            const seq = batch * 100 + part * 10 + i + 1;
            journal.index.add(seq, 1, `every entry ${seq} ${'検索 words '.repeat(20)}`);
          }
        })();
      }
      expect(journal.index.find(all, Number.MAX_SAFE_INTEGER, 100_000)).toHaveLength((batch + 1) * 100);
    }
    database.exec("INSERT INTO continuity_fts (continuity_fts) VALUES ('integrity-check')");
    expect(journal.index.find(matchExpression(readQuery('4321'), 1), Number.MAX_SAFE_INTEGER, 10)).toEqual([4321]);
  });
});
