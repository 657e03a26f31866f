import { describe, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { type Desk, openDesk } from '../continuity/desk.ts';

const P = { project_ref: 'herdr', repo_id: 'r', work_chain_id: 'w' };
const SESSION = { provider: 'chatgpt', session_ref: 's' };
const person = { principal: { kind: 'local', id: 'me' } } as const;
const RECLAIM = 'work_memory.reclaim';

/** A chain of 200 turns with a checkpoint through the 150th. */
async function grown(through = 149): Promise<Desk & { ids: string[] }> {
  const desk = openDesk();
  await desk.call('work_memory.bind', { ...P, ...SESSION });
  const ids: string[] = [];
  for (let i = 0; i < 200; i++) {
    const params = {
      ...P,
      ...SESSION,
      role: i % 2 ? 'assistant' : 'user',
      text: `needle turn ${i}`,
      provider_message_ref: `m${i}`,
    };
    ids.push(String((await desk.call('work_memory.append_turn', params)).message_id));
  }
  await desk.call('work_memory.append_evidence', { ...P, kind: 'note', content: 'needle evidence' });
  await desk.call('work_memory.checkpoint.put', {
    ...P,
    expected_checkpoint_revision: 0,
    summary: 'All that matters.',
    checkpoint_json: '{"goal":"keep","open":["x"]}',
    through_message_id: ids[through],
  });
  return Object.assign(desk, { ids });
}

const bodies = (desk: Desk) =>
  desk.journal.state.database.prepare('SELECT count(text) AS kept FROM continuity_turns').get() as { kept: number };

describe('reclaiming raw bodies', () => {
  it('is forbidden until a person says so, whoever asks', async () => {
    verifies('memory.checkpoints');
    const desk = await grown();
    const params = { ...P, expected_checkpoint_revision: 1, dry_run: false };
    expect((await desk.refusal(RECLAIM, params)).code).toBe('local_person_required');
    expect((await desk.refusal('work_memory.retention.set', { ...P, policy: 'reclaim_covered' })).code).toBe(
      'local_person_required',
    );
    expect((await desk.refusal(RECLAIM, params, person)).code).toBe('work_memory_retention_forbids');
    expect(bodies(desk).kept).toBe(200);
  });

  it('says what would go without letting anything go', async () => {
    const desk = await grown();
    const answer = await desk.call(RECLAIM, { ...P, expected_checkpoint_revision: 1 }, person);
    expect(answer).toMatchObject({
      dry_run: true,
      policy: 'retain_all',
      turns: 136,
      damaged_turns: 0,
      kept_newest_turns: 64,
    });
    expect(bodies(desk).kept).toBe(200);
    const record = desk.journal.state.database.prepare('SELECT * FROM continuity_reclaims').all();
    expect(record).toMatchObject([{ dry_run: 1, state: 'done', turns: 136, checkpoint_revision: 1 }]);
  });

  it('lets only covered bodies go, never the newest turns, and resume keeps what the checkpoint promises', async () => {
    verifies('memory.checkpoints');
    const desk = await grown();
    const before = await desk.call('work_memory.resume', { ...P, max_turns: 64 });
    await desk.call('work_memory.retention.set', { ...P, policy: 'reclaim_covered' }, person);
    const done = await desk.call(RECLAIM, { ...P, expected_checkpoint_revision: 1, dry_run: false }, person);
    expect(done).toMatchObject({ turns: 136, damaged_turns: 0 });
    expect(bodies(desk).kept).toBe(64);
    const after = await desk.call('work_memory.resume', { ...P, max_turns: 64 });
    for (const part of ['checkpoint', 'work_state', 'turns', 'evidence', 'portable_evidence_refs'] as const) {
      expect(after[part]).toEqual(before[part]);
    }
    expect(after.coverage).toMatchObject({ turns: { total: 200, reclaimed: 136 }, result_completeness: 'partial' });
    const older = await desk.call('work_memory.resume', { cursor: after.older_cursor });
    expect((older.turns as { text: null; reclaimed: boolean }[])[0]).toMatchObject({
      text: null,
      reclaimed: true,
      bytes: 15,
    });
    // A turn whose body is gone is still recorded once.
    const again = { ...P, ...SESSION, role: 'user', text: 'needle turn 0', provider_message_ref: 'm0' };
    expect(await desk.call('work_memory.append_turn', again)).toMatchObject({ inserted: false });
    // And is not found by words that are no longer there.
    const found = await desk.call('work_memory.search', { ...P, query: 'needle 0*', limit: 20 });
    expect(found.limitations).toEqual(['reclaimed_bodies_not_searched']);
    expect((await desk.call('work_memory.search', { ...P, query: 'turn 3' })).hits).toEqual([]);
    const twice = await desk.call(RECLAIM, { ...P, expected_checkpoint_revision: 1, dry_run: false }, person);
    expect(twice).toMatchObject({ turns: 0 });
  });

  it('goes no further than the checkpoint covers', async () => {
    const desk = await grown(9);
    await desk.call('work_memory.retention.set', { ...P, policy: 'reclaim_covered' }, person);
    expect(await desk.call(RECLAIM, { ...P, expected_checkpoint_revision: 1, dry_run: false }, person)).toMatchObject({
      turns: 10,
    });
    expect(bodies(desk).kept).toBe(190);
  });

  it('lets nothing go on the strength of a checkpoint that is damaged or not the current one', async () => {
    verifies('memory.checkpoints');
    const desk = await grown();
    await desk.call('work_memory.retention.set', { ...P, policy: 'reclaim_covered' }, person);
    const params = { ...P, expected_checkpoint_revision: 2, dry_run: false };
    expect((await desk.refusal(RECLAIM, params, person)).code).toBe('work_memory_checkpoint_revision_conflict');
    desk.journal.state.database.exec("UPDATE continuity_checkpoints SET summary = 'forged'");
    const damaged = await desk.refusal(RECLAIM, { ...params, expected_checkpoint_revision: 1 }, person);
    expect(damaged.code).toBe('work_memory_checkpoint_corrupt');
    expect(bodies(desk).kept).toBe(200);
  });

  it('keeps a body that no longer has its digest', async () => {
    const desk = await grown();
    desk.journal.state.database.exec("UPDATE continuity_turns SET text = 'altered' WHERE seq = 5");
    await desk.call('work_memory.retention.set', { ...P, policy: 'reclaim_covered' }, person);
    const answer = await desk.call(RECLAIM, { ...P, expected_checkpoint_revision: 1, dry_run: false }, person);
    expect(answer).toMatchObject({ turns: 135, damaged_turns: 1 });
    expect(desk.journal.state.database.prepare('SELECT text FROM continuity_turns WHERE seq = 5').get()).toEqual({
      text: 'altered',
    });
  });

  it('stops between two steps when the policy is taken back', async () => {
    const desk = await grown();
    await desk.call('work_memory.retention.set', { ...P, policy: 'reclaim_covered' }, person);
    const running = desk.refusal(RECLAIM, { ...P, expected_checkpoint_revision: 1, dry_run: false }, person);
    await desk.call('work_memory.retention.set', { ...P, policy: 'retain_all' }, person);
    expect((await running).code).toBe('work_memory_retention_forbids');
    expect(bodies(desk).kept).toBe(100);
    // What began stands in the record, and a later run goes on where it stopped.
    expect(desk.journal.state.database.prepare('SELECT state, turns FROM continuity_reclaims').all()).toEqual([
      { state: 'running', turns: 100 },
    ]);
    await desk.call('work_memory.retention.set', { ...P, policy: 'reclaim_covered' }, person);
    expect(await desk.call(RECLAIM, { ...P, expected_checkpoint_revision: 1, dry_run: false }, person)).toMatchObject({
      turns: 36,
    });
  });

  it('then asks every later checkpoint to cover what went', async () => {
    const desk = await grown();
    await desk.call('work_memory.retention.set', { ...P, policy: 'reclaim_covered' }, person);
    await desk.call(RECLAIM, { ...P, expected_checkpoint_revision: 1, dry_run: false }, person);
    const { evidence } = await desk.call('work_memory.resume', P);
    const next = { ...P, expected_checkpoint_revision: 1, summary: 's', checkpoint_json: '{}' };
    const uncovered = { ...next, through_evidence_id: (evidence as { evidence_id: string }[])[0]?.evidence_id };
    expect((await desk.refusal('work_memory.checkpoint.put', uncovered)).code).toBe('work_memory_checkpoint_invalid');
    expect(await desk.call('work_memory.checkpoint.put', { ...next, through_message_id: desk.ids[199] })).toMatchObject(
      { checkpoint_revision: 2 },
    );
  });
});
