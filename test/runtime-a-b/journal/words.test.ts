import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  excerptAround,
  indexWords,
  type Journal,
  matchExpression,
  readQuery,
} from '../../../runtime-a-b/journal/index.ts';
import { makeDesk, openDesk } from '../continuity/desk.ts';

function find({ index }: Journal, query: string, chainNo = 1): number[] {
  return index.find(matchExpression(readQuery(query), chainNo), Number.MAX_SAFE_INTEGER, 100);
}

describe('words of the index', () => {
  const texts: Record<number, string> = {
    1: '検索の続きから始めてください。Herdrの継続性を第3章で説明します',
    2: 'The continuity journal survives a restart; see runtime-a-b/continuity/index.ts 🚀',
    3: 'ＦＵＬＬ　ＷＩＤＴＨ and half ｶﾞｷﾞｸﾞ, ﬁne',
    4: 'やった 👍🏽 👩‍💻 🇯🇵 done',
    5: '继续之前的工作，然后检查 Git 状态',
    6: 'ครั้งแรก ที่เราเปิดบัญชี',
    7: '한국어 검색도 됩니다',
    8: 'commit c1f55c2a9d0b4e6f8a7b3c2d1e0f9a8b7c6d5e4f touched 12 files',
    9: 'か',
    10: 'が',
  };
  const desk = makeDesk();
  beforeAll(() => {
    for (const [seq, text] of Object.entries(texts)) desk.journal.index.add(Number(seq), 1, text);
  });
  afterAll(() => desk.close());

  it.each<[string, number[]]>([
    ['検索', [1]],
    ['継続性', [1]],
    ['続性を第', [1]],
    ['第3章', [1]],
    ['3章で説明', [1]],
    ['Herdrの継続', [1]],
    ['始めて 検索', [1]],
    ['検', [1]],
    ['検査', []],
    ['索検', []],
    ['CONTINUITY', [2]],
    ['continuity/index.ts', [2]],
    ['index continuity', [2]],
    ['contin', []],
    ['contin*', [2]],
    ['con*', []],
    ['🚀', [2]],
    ['full width', [3]],
    ['ガギグ', [3]],
    ['fine', [3]],
    ['👍', [4]],
    ['👩‍💻', [4]],
    ['👩‍🚒', []],
    ['🇯🇵', [4]],
    ['🇯🇲', []],
    ['继续', [5]],
    ['检查 git', [5]],
    ['บัญชี', [6]],
    ['검색', [7]],
    ['c1f55c2*', [8]],
    ['12 files', [8]],
    ['か', [9, 1]],
    ['が', [10]],
    ['"restart"', [2]],
    ['words : "x" OR chain', []],
    ['NEAR(continuity restart)', []],
  ])('%s → %j', (query, expected) => {
    expect(find(desk.journal, query)).toEqual(expected);
  });

  it('finds only inside the chain', () => {
    const { journal } = openDesk();
    journal.index.add(1, 1, 'same words');
    journal.index.add(2, 2, 'same words');
    journal.index.add(3, 12, 'same words c1¦same c1');
    expect(find(journal, 'same words', 1)).toEqual([1]);
    expect(find(journal, 'same words', 12)).toEqual([3]);
  });

  it('has nothing to ask for when a query holds no word', () => {
    expect(readQuery('  …、。!? * "" ')).toEqual([]);
  });

  it('finds every text by any stretch of it that does not cut a word', () => {
    const alphabet = fc.constantFrom('検', '索', 'か', 'ー', '🚀', 'ab', '9', ' ', '、', 'Ｘ', '中', 'の');
    const { journal } = openDesk();
    journal.state.database.exec('BEGIN');
    let seq = 0;
    fc.assert(
      fc.property(fc.array(alphabet, { minLength: 1, maxLength: 12 }), fc.nat(11), fc.nat(11), (parts, a, b) => {
        const [from, to] = [Math.min(a, b) % parts.length, (Math.max(a, b) % parts.length) + 1];
        fc.pre(from < to);
        // A stretch that begins or ends inside a word of letters asks for another word.
        const letter = (part: string | undefined) => part !== undefined && /^[ab9Ｘ]/.test(part);
        fc.pre(!(letter(parts[from - 1]) && letter(parts[from])) && !(letter(parts[to - 1]) && letter(parts[to])));
        const query = parts.slice(from, to).join('');
        fc.pre(readQuery(query).length > 0);
        journal.index.add(++seq, 1, parts.join(''));
        expect(find(journal, query)).toContain(seq);
        journal.index.remove(seq);
        expect(find(journal, query)).not.toContain(seq);
      }),
      { numRuns: 500 },
    );
  });

  it('never builds an expression that FTS5 refuses', () => {
    const { journal } = openDesk();
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (query) => {
        const conditions = readQuery(query);
        if (conditions.length > 0) journal.index.find(matchExpression(conditions, 1), 10, 10);
      }),
      { numRuns: 500 },
    );
    expect(indexWords('\u0000 a', 7).words).toBe('c7¦a');
  });
});

describe('excerpts', () => {
  it('shows the surroundings of the word, without tearing a character', () => {
    const text = `${'🚀'.repeat(300)} the needle stands here ${'あ'.repeat(400)}`;
    const excerpt = excerptAround(text, ['Needle']);
    expect(excerpt).toContain('the needle stands here');
    expect(excerpt.startsWith('…') && excerpt.endsWith('…')).toBe(true);
    expect(Buffer.from(excerpt).toString()).toBe(excerpt);
  });
});
