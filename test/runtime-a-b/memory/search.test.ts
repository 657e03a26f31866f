import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Desk, openDesk } from '../continuity/desk.ts';

const P = { project_ref: 'herdr', repo_id: 'github.com/o/r', work_chain_id: 'lane-1' };
const OTHER = { ...P, work_chain_id: 'lane-2' };
const SESSION = { provider: 'claude', session_ref: 's1' };

async function partitions(): Promise<Desk & { add(text: string, partition?: typeof P): Promise<string> }> {
  const desk = openDesk();
  for (const partition of [P, OTHER]) await desk.call('work_memory.bind', { ...partition, ...SESSION });
  let refs = 0;
  return Object.assign(desk, {
    add: async (text: string, partition = P) => {
      const params = { ...partition, ...SESSION, role: 'user', text, provider_message_ref: `r${refs++}` };
      return String((await desk.call('work_memory.append_turn', params)).message_id);
    },
  });
}

type Hit = { source_kind: string; source_id: string; excerpt: string };
const hits = (answer: Record<string, unknown>) => answer.hits as Hit[];

describe('work_memory.search', () => {
  it('finds Japanese, emoji and words, in turns and evidence, only in its partition', async () => {
    const desk = await partitions();
    const ja = await desk.add('検索の続きから始めてください');
    const en = await desk.add('The parser is done 🚀');
    await desk.add('検索 parser 🚀', OTHER);
    const { evidence_id } = await desk.call('work_memory.append_evidence', {
      ...P,
      kind: 'test_run',
      content: 'parser: 12 passed',
    });
    const find = async (query: string) =>
      hits(await desk.call('work_memory.search', { ...P, query })).map((hit) => hit.source_id);
    expect(await find('検索')).toEqual([ja]);
    expect(await find('続きから')).toEqual([ja]);
    expect(await find('🚀')).toEqual([en]);
    expect(await find('PARSER')).toEqual([evidence_id, en]);
    expect(await find('parser passed')).toEqual([evidence_id]);
    expect(await find('nothing of it')).toEqual([]);
  });

  it('freezes its pages: what is added later never enters, nothing is repeated or skipped', async () => {
    const desk = await partitions();
    const all: string[] = [];
    for (let i = 0; i < 17; i++) all.unshift(await desk.add(`needle ${i}`));
    const first = await desk.call('work_memory.search', { ...P, query: 'needle', limit: 5 });
    const seen = hits(first).map((hit) => hit.source_id);
    let cursor = first.next_cursor;
    for (let pages = 0; cursor; pages++) {
      expect(pages).toBeLessThan(10);
      await desk.add('needle added later');
      const page = await desk.call('work_memory.search', { cursor });
      expect(page.boundary).toEqual(first.boundary);
      seen.push(...hits(page).map((hit) => hit.source_id));
      cursor = page.next_cursor;
    }
    expect(seen).toEqual(all);
  });

  it('pages through any journal exactly, whatever is appended between two pages', async () => {
    const desk = await partitions();
    let lane = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.boolean(), { maxLength: 25 }),
        fc.integer({ min: 1, max: 20 }),
        fc.array(fc.nat(2), { minLength: 26, maxLength: 26 }),
        async (matching, limit, added) => {
          const partition = { ...P, work_chain_id: `property-${lane++}` };
          await desk.call('work_memory.bind', { ...partition, ...SESSION });
          const expected: string[] = [];
          for (const match of matching) {
            const id = await desk.add(match ? 'hit here' : 'miss', partition);
            if (match) expected.unshift(id);
          }
          const seen: string[] = [];
          let params: Record<string, unknown> = { ...partition, query: 'hit', limit };
          for (let page = 0; ; page++) {
            expect(page).toBeLessThan(30);
            const answer = await desk.call('work_memory.search', params);
            seen.push(...hits(answer).map((hit) => hit.source_id));
            for (let i = 0; i < (added[page] ?? 0); i++) await desk.add('hit later', partition);
            if (answer.next_cursor === null) break;
            expect(hits(answer)).toHaveLength(limit);
            params = { cursor: answer.next_cursor };
          }
          expect(seen).toEqual(expected);
        },
      ),
      { numRuns: 15 },
    );
  });

  it('refuses a cursor in another partition, with another query, changed, of another kind, or from another journal', async () => {
    const desk = await partitions();
    for (let i = 0; i < 3; i++) await desk.add(`needle ${i}`);
    const { next_cursor } = await desk.call('work_memory.search', { ...P, query: 'needle', limit: 1 });
    const cursor = String(next_cursor);
    const code = async (params: Record<string, unknown>) => (await desk.refusal('work_memory.search', params)).code;
    expect(await code({ ...OTHER, cursor })).toBe('work_memory_cursor_partition_mismatch');
    expect(await code({ cursor, work_chain_id: 'lane-2' })).toBe('work_memory_cursor_partition_mismatch');
    expect(await code({ cursor, query: 'other' })).toBe('work_memory_cursor_conflict');
    expect(await code({ cursor, limit: 2 })).toBe('work_memory_cursor_conflict');
    expect(hits(await desk.call('work_memory.search', { ...P, cursor, query: 'needle', limit: 1 }))).toHaveLength(1);

    const [head, body = '', seal] = cursor.split('.');
    const inside = JSON.parse(Buffer.from(body, 'base64url').toString());
    const forged = `${head}.${Buffer.from(JSON.stringify({ ...inside, m: 999 })).toString('base64url')}.${seal}`;
    expect(await code({ cursor: forged })).toBe('work_memory_cursor_invalid');
    expect(await code({ cursor: 'wmc1.e30.x' })).toBe('work_memory_cursor_invalid');
    expect(await code({ cursor: cursor.replace('wmc1', 'wmc2') })).toBe('work_memory_cursor_version_unsupported');
    const older = await desk.call('work_memory.resume', { ...P, max_turns: 1 });
    expect(await code({ cursor: older.older_cursor as string })).toBe('work_memory_cursor_invalid');
    const back = await desk.refusal('work_memory.resume', { ...OTHER, cursor: older.older_cursor });
    expect(back.code).toBe('work_memory_cursor_partition_mismatch');
    expect((await desk.refusal('work_memory.resume', { cursor })).code).toBe('continuity_cursor_invalid');

    desk.journal.state.database.exec('DELETE FROM continuity_turns; DELETE FROM continuity_evidence');
    expect(await code({ cursor })).toBe('work_memory_cursor_boundary_unavailable');
  });

  it('needs a whole partition and something to search for', async () => {
    const desk = await partitions();
    const code = async (params: Record<string, unknown>) => (await desk.refusal('work_memory.search', params)).code;
    expect(await code({ ...P })).toBe('invalid_params');
    expect(await code({ query: 'x' })).toBe('invalid_params');
    expect(await code({ ...P, query: '…' })).toBe('invalid_params');
    expect(await code({ ...P, query: 'x', limit: 21 })).toBe('invalid_params');
    expect(await code({ ...P, query: 'x'.repeat(513) })).toBe('invalid_params');
    expect(await code({ ...P, work_chain_id: 'lane', query: 'x' })).toBe('work_memory_not_found');
  });

  it('gives a cursor within its limit for the longest query', async () => {
    const desk = await partitions();
    const query = '漢'.repeat(512);
    for (let i = 0; i < 2; i++) await desk.add(query);
    const { next_cursor } = await desk.call('work_memory.search', { ...P, query, limit: 1 });
    expect(String(next_cursor).length).toBeLessThanOrEqual(4_096);
    expect(hits(await desk.call('work_memory.search', { cursor: next_cursor }))).toHaveLength(1);
  });
});
