/** What closes a todo of a goal, and what of a ledger is shown and counted. */
import { describe, expect, it } from 'vitest';
import { goalOf, partitionOf } from '../../../extension/background/advice.ts';
import { ledgerOf } from '../../../extension/machines/auto/index.ts';
import { verifies } from '../../verifies.ts';
import { ruling, why } from './ruling.ts';
import { driver, goal, OPEN_ANSWER, said, turn } from './support.ts';

describe('evidence', () => {
  const closes = (todo: string, evidence_refs: readonly string[]) =>
    said({ decision: 'COMPLETE', closes: [{ todo_id: todo, evidence_refs }], todo_ids: [] });
  const one = goal({ content: { goal_supervisor: { objective: 'o', todos: [{ id: 't1', text: 'test it' }] } } });
  const persons = goal({
    content: { goal_supervisor: { objective: 'o', todos: [{ id: 't1', text: 'test it', owner: 'human' }] } },
  });

  it.each([
    ['that nobody here has seen', one, ['herdr_evidence:ev_9'], 'denied'],
    ['that is a model’s own', one, ['turn:a1'], 'denied'],
    ['that is none', one, [], 'denied'],
    ['of a person alone', one, ['human:u1'], 'denied'],
    ['of Herdr', one, ['herdr_task:task_1'], 'goal_complete'],
    ['of Herdr alone, for a person’s todo', persons, ['herdr_task:task_1'], 'denied'],
    ['of Herdr and the person, for a person’s todo', persons, ['herdr_task:task_1', 'human:u1'], 'goal_complete'],
  ])('%s', (_, given, refs, expected) => {
    verifies('extension.auto');
    expect(why(ruling(closes('t1', refs), given))).toBe(expected);
  });

  it('closes no todo twice and none that is not there', () => {
    const twice = said({
      decision: 'COMPLETE',
      todo_ids: [],
      closes: [
        { todo_id: 't1', evidence_refs: ['herdr_task:task_1'] },
        { todo_id: 't1', evidence_refs: ['herdr_task:task_1'] },
      ],
    });
    expect(why(ruling(twice, one))).toBe('denied');
    expect(why(ruling(closes('t7', ['herdr_task:task_1']), one))).toBe('denied');
  });

  it('what is closed is written back behind the answer, under the revision that was read', () => {
    verifies('extension.auto');
    const it = ruling(closes('t1', ['herdr_task:task_1']), one);
    const written = it.last('checkpoint');
    expect(written.anchor).toBe('a1');
    expect(written.goal.revision).toBe(3);
    expect(written.section).toMatchObject({
      todos: [{ id: 't1', status: 'closed', evidence: ['herdr_task:task_1'] }],
      last: { decision: 'COMPLETE', message_id: 'a1' },
    });
    expect(ledgerOf({ goal_supervisor: written.section })?.todos).toMatchObject([{ id: 't1', open: false }]);
  });

  it('an answer without an id is no anchor: nothing is written', () => {
    const nameless = turn(OPEN_ANSWER, null);
    const it = driver().give({ type: 'turn', turn: nameless, confirmed: true });
    it.give({ type: 'prepared', id: it.id(), turn: nameless, services: { evaluate: false, chat: true }, goal: one });
    it.give({ type: 'chatted', id: it.id(), turn: nameless, goal: one, content: closes('t1', ['herdr_task:task_1']) });
    expect([why(it), it.effects]).toEqual(['goal_complete', []]);
  });
});

describe('goal-aware', () => {
  it.each([
    [{}, null],
    [{ goal: '' }, null],
    [{ goal: 7 }, null],
    [{ goal: 'a parser' }, 'a parser'],
    [{ objective: ['a parser'] }, 'a parser'],
    [{ goal_supervisor: { todos: [] } }, null],
    [{ goal_supervisor: { objective: 'o' }, goal: 'g' }, 'o'],
    [{ goal_supervisor: 'x', goal: 'g' }, 'g'],
  ])('is a checkpoint with a goal: %j', (content, objective) => {
    verifies('extension.auto');
    expect(ledgerOf(content)?.objective ?? null).toBe(objective);
  });

  it('a ledger is bounded, in lines, and names what has no name always alike', () => {
    const content = {
      goal: `a\nparser\u202e${'x'.repeat(900)}`,
      open: Array.from({ length: 40 }, (_, index) => `todo ${index} ${'y'.repeat(400)}`),
      constraints: Array.from({ length: 20 }, () => 'z'.repeat(500)),
      decisions: { not: 'a list' },
    };
    const ledger = ledgerOf(content);
    expect(ledger).toMatchObject({ decisions: [], blockers: [] });
    expect(ledger?.objective).toHaveLength(400);
    expect(ledger?.objective).toMatch(/^a parser /);
    expect(ledger?.todos).toHaveLength(12);
    expect(ledger?.constraints).toHaveLength(8);
    expect(ledgerOf(content)).toEqual(ledger);
  });

  const exact = {
    resolution: 'unique_exact',
    candidates: [{ continuity_id: 'hc:1', work_memory: { project_ref: 'p', repo_id: 'r', work_chain_id: 'w' } }],
  };
  it.each([
    ['exactly the binding’s own chain', exact, 'p'],
    ['another chain', { ...exact, candidates: [{ ...exact.candidates[0], continuity_id: 'hc:2' }] }, null],
    ['a candidate to confirm', { ...exact, resolution: 'confirmation_required' }, null],
    ['two', { ...exact, candidates: [exact.candidates[0], exact.candidates[0]] }, null],
    ['a chain without Work Memory', { ...exact, candidates: [{ continuity_id: 'hc:1', work_memory: null }] }, null],
    [
      'half a partition',
      {
        ...exact,
        candidates: [{ continuity_id: 'hc:1', work_memory: { project_ref: 'p', repo_id: '', work_chain_id: 'w' } }],
      },
      null,
    ],
    ['nothing', null, null],
  ])('the chain is %s', (_, found, project) => {
    verifies('extension.auto');
    expect(partitionOf(found, 'hc:1')?.project_ref ?? null).toBe(project);
  });

  it('only a verified checkpoint counts, and only what this workstation saw is evidence', () => {
    verifies('extension.auto');
    const partition = { project_ref: 'p', repo_id: 'r', work_chain_id: 'w' };
    const checkpoint = { verified: true, checkpoint_revision: 4, summary: 's', content: { goal: 'g' } };
    const memory = {
      checkpoint,
      evidence: [{ evidence_id: 'ev_1' }],
      turns: [
        { message_id: 'u1', role: 'user', text: 'hello' },
        { message_id: 'a1', role: 'assistant', text: null },
      ],
    };
    const tasks = [
      { task_id: 'k1', lifecycle: 'completed' },
      { task_id: 'k2', lifecycle: 'failed' },
    ];
    expect(goalOf(partition, memory, tasks, 2)).toMatchObject({
      revision: 4,
      observed: ['herdr_evidence:ev_1', 'herdr_task:k1', 'human:u1'],
      running: 2,
      uncertain: false,
    });
    expect(goalOf(partition, memory, [{ task_id: 'k', lifecycle: 'delivery_uncertain' }], 0)?.uncertain).toBe(true);
    for (const broken of [{ ...checkpoint, verified: false }, { ...checkpoint, content: 'x' }, null])
      expect(goalOf(partition, { ...memory, checkpoint: broken }, tasks, 0)).toBeNull();
  });
});
