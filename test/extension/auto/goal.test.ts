/** The supervisor of a goal: what it decides, in whose words, and within which bounds. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { OPEN, ruling, supervising, why } from './ruling.ts';
import { BOTH, driver, goal, OPEN_ANSWER, said, turn } from './support.ts';

const PERSONS = {
  goal_supervisor: { objective: 'o', todos: [{ id: 't3', text: 'look at the screen', owner: 'human' }] },
};
const DONE_TODOS = {
  goal_supervisor: {
    objective: 'A parser',
    todos: [{ id: 't1', text: 'write it', status: 'closed', evidence: ['herdr_evidence:ev_1'] }],
  },
};

describe('the supervisor', () => {
  it('gets the five signals as advice in one bounded question, and goes before the plain judges', () => {
    verifies('extension.auto', 'extension.goal');
    const it = driver().give({ type: 'turn', turn: OPEN, confirmed: true });
    it.give({ type: 'prepared', id: it.id(), turn: OPEN, services: BOTH, goal: goal() });
    expect(Object.keys(it.last('evaluate').questions)).toEqual([
      'can_continue',
      'needs_human',
      'waiting_external',
      'task_completed',
      'needs_handoff',
    ]);
    const big = goal({ turns: Array.from({ length: 6 }, () => ({ role: 'user' as const, text: 'x'.repeat(5_000) })) });
    const asked = supervising(big).last('chat').asked;
    expect(asked.user.length).toBeLessThanOrEqual(6_000);
    expect(asked.user).toContain('"can_continue":0.5');
    expect(asked.user).toContain('Next step');
  });

  it.each([{ can_continue: { noul: 1 } }, null, 'yes', { can_continue: { noul: 2 } }])(
    'is asked without the signals when they cannot be read: %j',
    (answers) => {
      const it = driver().give({ type: 'turn', turn: OPEN, confirmed: true });
      it.give({ type: 'prepared', id: it.id(), turn: OPEN, services: BOTH, goal: goal() });
      it.give({ type: 'evaluated', id: it.id(), turn: OPEN, goal: goal(), answers });
      expect(it.last('chat').asked.user).toContain('"advice":null');
    },
  );

  it('continues with what the ledger holds open, in our words and the ledger’s', () => {
    verifies('extension.auto');
    const it = ruling(said({ message: 'Please go on, my friend.' }));
    expect(why(it)).toBe('continued');
    expect(it.sent[0]).toContain('- run the acceptance checks');
    expect(it.sent[0]).not.toContain('my friend');
    expect(it.auto.goal).toMatchObject({ continued: 1, decision: 'CONTINUE' });
  });

  it('answers a question with a recorded decision only', () => {
    verifies('extension.auto');
    const it = ruling(said({ decision: 'ANSWER_DECISION', todo_ids: [], decision_ref: 'd1' }));
    expect(it.sent[0]).toContain('- Errors carry line and column.');
    const other = ruling(said({ decision: 'ANSWER_DECISION', todo_ids: [], decision_ref: 'd2' }));
    expect([why(other), other.sent]).toEqual(['denied', []]);
  });

  it.each([
    ['COMPLETE', {}, goal(), {}, 'denied'],
    ['COMPLETE', { evidence_refs: ['herdr_evidence:ev_1'] }, goal({ content: DONE_TODOS }), {}, 'goal_complete'],
    ['COMPLETE', {}, goal({ content: DONE_TODOS, running: 1 }), {}, 'denied'],
    ['COMPLETE', {}, goal({ content: DONE_TODOS, uncertain: true }), {}, 'denied'],
    ['COMPLETE', {}, goal({ content: { goal: 'ship', open: [] } }), {}, 'denied'],
    ['COMPLETE', {}, goal({ content: { ...DONE_TODOS, blockers: ['the review'] } }), {}, 'denied'],
    ['WAIT_EXTERNAL', {}, goal(), {}, 'denied'],
    ['WAIT_EXTERNAL', {}, goal({ running: 1 }), {}, 'waits_outside'],
    ['CONTINUE', {}, goal({ running: 1 }), {}, 'denied'],
    ['CONTINUE', {}, goal({ uncertain: true }), {}, 'denied'],
    ['CONTINUE', { todo_ids: ['t9'] }, goal(), {}, 'denied'],
    ['CONTINUE', { todo_ids: ['t1'] }, goal(), {}, 'denied'],
    ['CONTINUE', { todo_ids: ['t3'] }, goal(), {}, 'for_a_person'],
    ['CONTINUE', { todo_ids: ['t3'] }, goal({ content: PERSONS }), {}, 'denied'],
    ['CONTINUE', {}, goal({ content: PERSONS }), {}, 'denied'],
    ['HANDOFF', {}, goal(), {}, 'denied'],
    ['HANDOFF', {}, goal(), { underPressure: true }, 'handover_advised'],
    ['RECOVER', {}, goal(), {}, 'denied'],
    ['RECOVER', {}, goal(), { broken: true }, 'recovery_advised'],
    ['ASK_HUMAN', {}, goal(), {}, 'asks_person'],
  ])('%s with %j: the guards decide', (decision, change, given, facts, expected) => {
    verifies('extension.auto', 'extension.goal');
    const it = ruling(said({ decision, todo_ids: [], ...change }), given, facts);
    expect(why(it)).toBe(expected);
    expect(it.sent).toEqual([]);
    expect(it.auto.judging).toBeNull();
    if (expected === 'handover_advised') expect(it.effects).toContainEqual({ type: 'rollover' });
  });

  it.each([
    ['deletes', { message: 'Now delete the old branch.' }],
    ['overwrites', { message: 'git push --force' }],
    ['pays', { message: 'Buy the larger plan.' }],
    ['publishes', { message: 'Then publish it.' }],
    ['publishes, in hidden letters', { message: 'Then pub\u200blish it.' }],
    ['writes to people', { message: 'Send an email to the client.' }],
    ['signs in', { message: 'Use the API key.' }],
    ['signs', { message: 'Sign the contract.' }],
    ['chooses by taste', { message: 'Choose a logo.' }],
    ['hires', { message: 'Hire somebody.' }],
    ['deletes, in Japanese', { message: '古いデータを削除してください' }],
    ['publishes, in Chinese', { message: '请发布新版本' }],
  ])('what %s is a person’s', (_, change) => {
    verifies('extension.auto', 'extension.goal');
    for (const decision of ['CONTINUE', 'COMPLETE', 'HANDOFF', 'WAIT_EXTERNAL', 'RECOVER', 'ANSWER_DECISION']) {
      const it = ruling(said({ decision, ...change }));
      expect([why(it), it.sent]).toEqual(['for_a_person', []]);
    }
  });

  it('… also when the ledger’s own todo says it and the model says nothing', () => {
    verifies('extension.auto');
    const given = goal({ content: { goal: 'a parser', open: ['publish the release'] } });
    for (const todo_ids of [[], [given.ledger.todos[0]?.id]]) {
      const it = ruling(said({ todo_ids }), given);
      expect([why(it), it.sent]).toEqual(['for_a_person', []]);
    }
  });

  it('has a budget for each, and a person’s word gives it back', () => {
    verifies('extension.auto');
    const spent = { goal: { continued: 6, recovered: 2, ranAt: null, decision: null } };
    expect(why(ruling(said(), goal(), {}, spent))).toBe('budget_spent');
    expect(why(ruling(said({ decision: 'RECOVER' }), goal(), { broken: true }, spent))).toBe('budget_spent');
    const it = driver({}, spent).give({ type: 'accepted', by: 'person', news: false });
    expect(it.auto.goal).toMatchObject({ continued: 0, recovered: 0 });
  });

  it('what was refused by the page uses no budget up', () => {
    const it = ruling(said());
    it.give({ type: 'finished', delivery: it.auto.sending?.delivery ?? '', as: 'blocked' });
    expect(it.auto.goal.continued).toBe(0);
  });

  it('runs at most every 15 seconds', () => {
    const it = ruling(said({ decision: 'ASK_HUMAN' }));
    it.now += 5_000;
    const next = turn(OPEN_ANSWER, 'a2');
    it.give({ type: 'turn', turn: next, confirmed: true });
    it.give({ type: 'prepared', id: it.id(), turn: next, services: BOTH, goal: goal() });
    expect([why(it), it.effects]).toEqual(['paused', []]);
    it.now += 15_000;
    expect(it.give({ type: 'look' }).effects).toEqual([{ type: 'read' }]);
  });

  it('a denial is asked about again a few times, never for ever', () => {
    const it = driver();
    let asked = 0;
    for (let hour = 0; hour < 60; hour += 1) {
      it.now += 3_600_000;
      it.give({ type: 'look' });
      if (it.effects.length === 0 && hour > 0) continue;
      it.give({ type: 'turn', turn: OPEN, confirmed: true });
      if (it.auto.judging === null) continue;
      it.give({ type: 'prepared', id: it.id(), turn: OPEN, services: { evaluate: false, chat: true }, goal: goal() });
      it.give({ type: 'chatted', id: it.id(), turn: OPEN, goal: goal(), content: said({ decision: 'WAIT_EXTERNAL' }) });
      asked += 1;
    }
    expect(asked).toBe(7);
    expect(it.sent).toEqual([]);
  });
});

describe('a reply of another form', () => {
  it.each([
    'CONTINUE',
    '',
    '[]',
    'null',
    '{"decision":"CONTINUE"}',
    said({ decision: 'DELETE' }),
    said({ decision: 'continue' }),
    said({ reason: '' }),
    said({ reason: 'x'.repeat(301) }),
    said({ message: 'x'.repeat(1_201) }),
    said({ message: 7 }),
    said({ todo_ids: 't2' }),
    said({ todo_ids: Array.from({ length: 13 }, () => 't2') }),
    said({ evidence_refs: [{}] }),
    said({ closes: [{ todo_id: 't2' }] }),
    said({ closes: [{ todo_id: 't2', evidence_refs: [], force: true }] }),
    said({ approve: true }),
    `{"__proto__":{"decision":"CONTINUE"},${said().slice(1)}`,
    `Here you are: ${said()}`,
    `${said()}${said()}`,
    '{'.repeat(4_000),
    ' '.repeat(9_000),
  ])('says nothing, and the plain judges are asked: %.60s', (content) => {
    verifies('extension.auto');
    const it = ruling(content);
    expect(it.auto.judging?.stage).toBe('jev');
    expect(it.sent).toEqual([]);
    // The chat judge may be asked once more: two chats about one answer, no third.
    it.give({ type: 'evaluated', id: it.id(), turn: OPEN, goal: null, answers: null });
    expect(it.auto.judging?.stage).toBe('llm');
    it.give({ type: 'chatted', id: it.id(), turn: OPEN, goal: null, content: 'perhaps' });
    expect(it.effects.map(({ type }) => type)).toEqual(['send']);
  });

  it('one fence around the object is taken off', () => {
    expect(why(ruling(`\`\`\`json\n${said()}\n\`\`\``))).toBe('continued');
  });
});
