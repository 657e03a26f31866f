import { describe, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { openDesk } from '../continuity/desk.ts';

const P = { project_ref: 'herdr', repo_id: 'github.com/o/r', work_chain_id: 'lane-1' };
const SESSION = { provider: 'claude', session_ref: 's' };

type Proof = { evidence_id: string; content: string; content_cut?: boolean };

describe('work_memory.resume', () => {
  it('is complete, and says so, for a chain that fits', async () => {
    const desk = openDesk();
    await desk.call('work_memory.bind', { ...P, ...SESSION });
    await desk.call('work_memory.append_turn', {
      ...P,
      ...SESSION,
      role: 'user',
      text: 'hi',
      provider_message_ref: 'm',
    });
    await desk.call('work_memory.append_evidence', { ...P, kind: 'note', content: 'proof' });
    expect(await desk.call('work_memory.resume', P)).toMatchObject({
      ...P,
      checkpoint: null,
      older_cursor: null,
      turns: [{ text: 'hi' }],
      evidence: [{ kind: 'note', content: 'proof' }],
      coverage: {
        result_completeness: 'complete',
        display_truncated: false,
        turns: { total: 1, shown: 1, reclaimed: 0 },
        evidence: { total: 1, shown: 1 },
        limitations: ['no_checkpoint'],
      },
    });
  });

  it('stays bounded whatever was recorded, and names everything that it leaves out', async () => {
    verifies('memory.resume');
    const desk = openDesk();
    await desk.call('work_memory.bind', { ...P, ...SESSION });
    const escaped = '"\\\u0001\n'.repeat(20_000); // four characters that take twelve bytes in JSON
    for (let i = 0; i < 6; i++) {
      const turn = { ...P, ...SESSION, role: 'user', text: `${i}${escaped}`, provider_message_ref: `m${i}` };
      await desk.call('work_memory.append_turn', turn);
    }
    const small: string[] = [];
    for (let i = 0; i < 30; i++) {
      const { evidence_id } = await desk.call('work_memory.append_evidence', {
        ...P,
        kind: 'note',
        content: `small ${i}`,
      });
      small.unshift(String(evidence_id));
    }
    const answer = await desk.call('work_memory.resume', { ...P, max_turns: 64 });
    expect(JSON.stringify(answer).length).toBeLessThan(100_000);
    expect((answer.evidence as Proof[]).map((proof) => proof.evidence_id)).toEqual(small.slice(0, 24));
    expect(answer.coverage).toMatchObject({
      turns: { total: 6, shown: 1 },
      evidence: { total: 30, shown: 24 },
      result_completeness: 'partial',
      limitations: ['display_page_truncated', 'display_excerpt_truncated', 'evidence_page_truncated', 'no_checkpoint'],
    });
    await desk.call('work_memory.append_evidence', { ...P, kind: 'log', content: escaped });
    const large = await desk.call('work_memory.resume', P);
    expect(JSON.stringify(large).length).toBeLessThan(100_000);
    const [first] = large.evidence as Proof[];
    expect(first?.content_cut).toBe(true);
    expect(escaped.startsWith(first?.content ?? '-')).toBe(true);
    expect(large.turns).toHaveLength(1);
  });
});
