import { describe, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { conversation, type Desk, openDesk } from '../continuity/desk.ts';

const P = { project_ref: 'herdr', repo_id: 'github.com/o/r', work_chain_id: 'lane-1' };
const SESSION = { provider: 'chatgpt', session_ref: 'br_1' };

/** A partition with one session, two turns and one piece of evidence. */
async function filled(): Promise<Desk & { turns: string[]; proof: string }> {
  const desk = openDesk();
  await desk.call('work_memory.bind', { ...P, ...SESSION });
  const turns: string[] = [];
  for (const [i, text] of ['make a parser', 'parser made'].entries()) {
    const role = i === 0 ? 'user' : 'assistant';
    const answer = await desk.call('work_memory.append_turn', {
      ...P,
      ...SESSION,
      role,
      text,
      provider_message_ref: `m${i}`,
    });
    turns.push(String(answer.message_id));
  }
  const { evidence_id } = await desk.call('work_memory.append_evidence', {
    ...P,
    kind: 'test_run',
    content: '12 passed',
  });
  return Object.assign(desk, { turns, proof: String(evidence_id) });
}

describe('work_memory.bind', () => {
  it('gives a partition its chain once, and finds it again', async () => {
    const desk = openDesk();
    const first = await desk.call('work_memory.bind', P);
    expect(first).toMatchObject({
      created: true,
      partition: P,
      checkpoint_revision: 0,
      retention_policy: 'retain_all',
    });
    expect(first.continuity_id).toMatch(/^hc:[0-9a-z]+:[0-9a-z]{16}$/);
    expect(await desk.call('work_memory.bind', P)).toMatchObject({
      created: false,
      continuity_id: first.continuity_id,
    });
  });

  it('never moves a partition, nor gives one to two chains', async () => {
    const desk = openDesk();
    desk.say('a', { continuityId: 'hc:1:a' });
    desk.say('b', { continuityId: 'hc:2:b', conversation: conversation('d') });
    await desk.call('work_memory.bind', { ...P, continuity_id: 'hc:1:a' });
    const code = async (params: Record<string, unknown>) => (await desk.refusal('work_memory.bind', params)).code;
    expect(await code({ ...P, work_chain_id: 'lane-2', continuity_id: 'hc:1:a' })).toBe(
      'work_memory_partition_mismatch',
    );
    expect(await code({ ...P, continuity_id: 'hc:2:b' })).toBe('work_memory_partition_already_bound');
    expect(await code({ ...P, continuity_id: 'hc:9:z' })).toBe('continuity_not_found');
    expect(await code({ ...P, provider: 'chatgpt' })).toBe('invalid_params');
    expect(await code({ ...P, repo_id: ' \n' })).toBe('invalid_params');
    expect(await code({ ...P, newest: true })).toBe('invalid_params');
    expect(await desk.call('work_memory.resume', P)).toMatchObject({ continuity_id: 'hc:1:a' });
  });

  it('knows partitions exactly', async () => {
    verifies('memory.checkpoints');
    const desk = await filled();
    for (const near of [
      { ...P, work_chain_id: 'Lane-1' },
      { ...P, repo_id: 'github.com/o/R' },
      { ...P, project_ref: 'herd' },
    ]) {
      expect((await desk.refusal('work_memory.resume', near)).code).toBe('work_memory_not_found');
    }
  });
});

describe('turns and evidence', () => {
  it('records each once, from sessions that are bound', async () => {
    const desk = await filled();
    const turn = { ...P, ...SESSION, role: 'user', text: 'make a parser', provider_message_ref: 'm0' };
    expect(await desk.call('work_memory.append_turn', turn)).toMatchObject({
      inserted: false,
      message_id: desk.turns[0],
    });
    const other = await desk.refusal('work_memory.append_turn', { ...turn, text: 'something else' });
    expect(other).toMatchObject({ code: 'continuity_message_conflict', delivery: 'not_delivered' });
    const stranger = await desk.refusal('work_memory.append_turn', { ...turn, session_ref: 'br_2' });
    expect(stranger.code).toBe('work_memory_session_not_bound');
    const proof = { ...P, kind: 'test_run', content: '12 passed' };
    expect(await desk.call('work_memory.append_evidence', proof)).toMatchObject({
      inserted: false,
      evidence_id: desk.proof,
    });
    expect(await desk.call('work_memory.append_evidence', { ...proof, kind: 'note' })).toMatchObject({
      inserted: true,
    });
  });

  it('carries a portable Git reference, and refuses places that mean something on one machine only', async () => {
    const desk = await filled();
    const place = {
      repo_id: 'github.com/o/r',
      commit_sha: 'A'.repeat(40),
      repo_relative_path: 'src/a.ts',
      line_start: 1,
      line_end: 9,
    };
    const evidence = { ...P, kind: 'diff', content: 'x' };
    const answer = await desk.call('work_memory.append_evidence', { ...evidence, portable_source: place });
    expect(answer.portable_ref).toMatchObject({ kind: 'git_source', ...place, commit_sha: 'a'.repeat(40) });
    const resumed = await desk.call('work_memory.resume', P);
    expect(resumed.portable_evidence_refs).toEqual([answer.portable_ref]);
    expect(resumed.coverage).toMatchObject({ source_verification: 'unverified' });
    for (const wrong of [
      { commit_sha: 'abc1234' },
      { commit_sha: 'g'.repeat(40) },
      { repo_id: '/home/me/r' },
      { repo_id: 'https://github.com/o/r' },
      { repo_id: 'C:r' },
      { repo_relative_path: '/etc/passwd' },
      { repo_relative_path: '../x' },
      { repo_relative_path: 'a/./b' },
      { repo_relative_path: 'a//b' },
      { repo_relative_path: 'a\\b' },
      { repo_relative_path: 'file://x' },
      { line_start: 9, line_end: 1 },
    ]) {
      const refusal = await desk.refusal('work_memory.append_evidence', {
        ...evidence,
        portable_source: { ...place, ...wrong },
      });
      expect([wrong, refusal.code]).toEqual([wrong, 'work_memory_evidence_invalid']);
    }
  });
});

describe('work_memory.checkpoint.put', () => {
  const state = (desk: { turns: string[] }, over: Record<string, unknown> = {}) => ({
    ...P,
    expected_checkpoint_revision: 0,
    summary: 'The parser exists.',
    checkpoint_json: JSON.stringify({ goal: 'a parser', open: ['tests'] }),
    through_message_id: desk.turns[1],
    ...over,
  });

  it('writes under compare-and-set and verifies what it wrote', async () => {
    verifies('memory.checkpoints');
    const desk = await filled();
    const first = await desk.call('work_memory.checkpoint.put', state(desk));
    expect(first).toMatchObject({ checkpoint_revision: 1, checkpoint_id: 'wmcp:1', verified: true });
    const late = await desk.refusal(
      'work_memory.checkpoint.put',
      state(desk, { summary: 'planned against an older one' }),
    );
    expect(late).toMatchObject({
      code: 'work_memory_checkpoint_revision_conflict',
      delivery: 'not_delivered',
      details: { current_checkpoint_revision: 1 },
    });
    expect(late.message).toContain('current one is 1');
    const early = await desk.refusal('work_memory.checkpoint.put', state(desk, { expected_checkpoint_revision: 5 }));
    expect(early.code).toBe('work_memory_checkpoint_revision_conflict');
    const second = await desk.call(
      'work_memory.checkpoint.put',
      state(desk, { expected_checkpoint_revision: 1, summary: 'Better.' }),
    );
    expect(second).toMatchObject({ checkpoint_revision: 2 });
    expect((await desk.call('work_memory.resume', P)).checkpoint).toMatchObject({
      checkpoint_revision: 2,
      summary: 'Better.',
      content: { goal: 'a parser', open: ['tests'] },
    });
  });

  it('gives the revision that it made when the same checkpoint comes again after a lost answer', async () => {
    verifies('memory.checkpoints');
    const desk = await filled();
    const first = await desk.call('work_memory.checkpoint.put', state(desk));
    const again = await desk.call('work_memory.checkpoint.put', state(desk));
    expect(again).toMatchObject({
      checkpoint_revision: 1,
      checkpoint_sha256: first.checkpoint_sha256,
      already_recorded: true,
    });
    await desk.call('work_memory.checkpoint.put', state(desk, { expected_checkpoint_revision: 1, summary: 'two' }));
    expect(await desk.call('work_memory.checkpoint.put', state(desk))).toMatchObject({
      checkpoint_revision: 1,
      already_recorded: true,
      current_checkpoint_revision: 2,
    });
  });

  it('never writes twice for one dispatch, and tells what an interrupted one wrote', async () => {
    verifies('memory.checkpoints');
    const desk = await filled();
    const dispatchId = `d_${'a'.repeat(32)}`;
    const method = 'work_memory.checkpoint.put';
    expect(desk.written({ dispatchId, method })).toBe('nothing');
    const answer = await desk.call(method, state(desk), { dispatchId });
    expect(await desk.call(method, state(desk, { expected_checkpoint_revision: 1 }), { dispatchId })).toEqual(answer);
    expect(desk.written({ dispatchId, method })).toEqual(answer);
    const refused = `d_${'b'.repeat(32)}`;
    await desk.refusal(method, state(desk, { summary: 'x' }), { dispatchId: refused });
    expect(desk.written({ dispatchId: refused, method })).toBe('nothing');
    // What goes in several steps, and what is not ours, nobody can say.
    for (const other of ['work_memory.reclaim', 'continuity.import', 'continuity.export', 'workspace.create', null]) {
      expect(desk.written({ dispatchId: refused, method: other })).toBeUndefined();
    }
  });

  it('needs anchors that exist in this chain and do not go back', async () => {
    verifies('memory.checkpoints');
    const desk = await filled();
    const other = { ...P, work_chain_id: 'lane-2' };
    await desk.call('work_memory.bind', { ...other, ...SESSION });
    const foreign = await desk.call('work_memory.append_turn', {
      ...other,
      ...SESSION,
      role: 'user',
      text: 'other',
      provider_message_ref: 'o1',
    });
    const proof = await desk.call('work_memory.append_evidence', { ...other, kind: 'note', content: 'other' });
    const code = async (over: Record<string, unknown>) =>
      (await desk.refusal('work_memory.checkpoint.put', state(desk, over))).code;
    expect(await code({ through_message_id: foreign.message_id })).toBe('work_memory_checkpoint_turn_not_found');
    expect(await code({ through_evidence_id: proof.evidence_id })).toBe('work_memory_checkpoint_evidence_not_found');
    const { through_message_id: _, ...bare } = state(desk);
    expect((await desk.refusal('work_memory.checkpoint.put', bare)).code).toBe('work_memory_checkpoint_invalid');
    await desk.call('work_memory.checkpoint.put', {
      ...bare,
      through_evidence_id: desk.proof,
      through_message_id: desk.turns[1],
    });
    expect(await code({ expected_checkpoint_revision: 1, through_message_id: desk.turns[0] })).toBe(
      'work_memory_checkpoint_invalid',
    );
  });

  it('refuses what is no object or above its limit', async () => {
    const desk = await filled();
    const code = async (over: Record<string, unknown>) =>
      (await desk.refusal('work_memory.checkpoint.put', state(desk, over))).code;
    const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    for (const checkpoint_json of ['', '[]', 'null', '"x"', '{"a":', '{}x', nested(65), nested(30_000)]) {
      expect([checkpoint_json, await code({ checkpoint_json })]).toEqual([
        checkpoint_json,
        'work_memory_checkpoint_invalid',
      ]);
    }
    expect(await code({ checkpoint_json: `{"a":"${'あ'.repeat(22_000)}"}` })).toBe('work_memory_checkpoint_invalid');
    expect(await code({ checkpoint_json: `{"a":"${'x'.repeat(66_000)}"}` })).toBe('invalid_params');
    expect(await code({ summary: 'x'.repeat(8_193) })).toBe('invalid_params');
    // Brackets inside a text are no depth, and the deepest that is taken comes back whole.
    const deepest = { checkpoint_json: `{"goal":"${'[{'.repeat(100)}\\"[","a":${nested(63)}}` };
    const other = await filled();
    await other.call('work_memory.checkpoint.put', state(other, deepest));
    expect((await other.call('work_memory.resume', P)).checkpoint).toMatchObject({
      content: JSON.parse(deepest.checkpoint_json),
    });
    const largest = { checkpoint_json: `{"a":"${'x'.repeat(65_536 - 8)}"}`, summary: 'y'.repeat(8_192) };
    expect(await desk.call('work_memory.checkpoint.put', state(desk, largest))).toMatchObject({
      checkpoint_revision: 1,
    });
    const resumed = JSON.stringify(await desk.call('work_memory.resume', P));
    expect(resumed.length).toBeLessThan(100_000);
    expect(resumed).toContain('make a parser');
  });

  it.each([
    ['summary', "UPDATE continuity_checkpoints SET summary = 'forged'", 'corrupt'],
    ['content', `UPDATE continuity_checkpoints SET checkpoint_json = '{"goal":"forged"}'`, 'corrupt'],
    ['anchor', "UPDATE continuity_checkpoints SET through_message_id = 'forged'", 'corrupt'],
    ['row', 'DELETE FROM continuity_checkpoints', 'missing'],
  ])('does not show one whose %s is not what was written', async (_, statement, kind) => {
    verifies('memory.checkpoints');
    const desk = await filled();
    await desk.call('work_memory.checkpoint.put', state(desk));
    desk.journal.state.database.exec(statement);
    expect((await desk.refusal('work_memory.resume', P)).code).toBe(`work_memory_checkpoint_${kind}`);
    // The turns are still there for whoever asks for the chain itself.
    const { continuity_id } = await desk.call('work_memory.bind', P);
    expect(await desk.call('continuity.resume', { continuity_id })).toMatchObject({
      checkpoint: null,
      checkpoint_problem: { code: `work_memory_checkpoint_${kind}` },
      turns: [{ text: 'make a parser' }, { text: 'parser made' }],
    });
  });
});
