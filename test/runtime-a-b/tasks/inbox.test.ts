import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AttentionState, Lifecycle } from '../../../contract/extension/index.ts';
import { type HerdrClient, HerdrFailure, type HerdrView } from '../../../runtime-a-b/herdr/index.ts';
import { openState, type State } from '../../../runtime-a-b/state/index.ts';
import type { Adviser, AttentionChild } from '../../../runtime-a-b/tasks/index.ts';
import { openTasks, type Tasks } from '../../../runtime-a-b/tasks/index.ts';
import { ADVISED_MAX, WAKE_CHARS } from '../../../runtime-a-b/tasks/limits.ts';
import { nextStep } from '../../../runtime-a-b/tasks/next-step.ts';
import { wakeText } from '../../../runtime-a-b/tasks/wake-text.ts';
import { verifies } from '../../verifies.ts';
import { agent, newId, silent, tempFolder, until, view } from '../support/index.ts';

/** The tasks of one state folder over a picture that the test paints. */
const SESSION = `br_${'a'.repeat(64)}`;
let folder: ReturnType<typeof tempFolder>;
let state: State;
let tasks: Tasks;
let advise: Adviser['attention'];
let picture: HerdrView;
let listeners: Set<(view: HerdrView) => void>;
let reads: number;

beforeEach(() => {
  folder = tempFolder();
  state = openState(`${folder.path}/state`);
  reads = 0;
  listeners = new Set();
  picture = view({ observedAtMs: Date.now() });
  advise = async () => ({ used: false, reason: 'not_configured' });
  tasks = openTasks({
    state,
    bootId: 'boot_test',
    isAlive: () => true,
    live: {
      view: () => picture,
      refresh: async () => {
        paint(picture.agents);
        return picture;
      },
      onChange: (listener) => {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    herdr: screens,
    nowMs: Date.now,
    log: silent,
    sessionOf: () => null,
    send: () => Promise.reject(new Error('no local parent here')),
    adviser: { attention: (children, budget) => advise(children, budget) },
  });
  tasks.start(() => {});
});
afterEach(async () => {
  await tasks.stop();
  state.close();
  folder.remove();
});

/**
 * A Herdr that shows a screen for each pane and knows nothing else. It answers at once: a look at a screen has its time, and
 * five hundred of them over sockets would measure the machine.
 */
const callAny: HerdrClient['callAny'] = async (method, params) => {
  if (method !== 'pane.read') throw new HerdrFailure('invalid_request', 'unknown method', true);
  reads += 1;
  return { type: 'pane_read', read: { text: `rows of ${String(Reflect.get(params, 'pane_id'))}` } };
};
const screens: HerdrClient = { socketPath: '', callAny, call: callAny as HerdrClient['call'] };

function paint(agents: HerdrView['agents']): void {
  picture = view({ observedAtMs: Date.now(), agents, revision: picture.revision + 1 });
  for (const listener of listeners) listener(picture);
}

const child = (n: number, status: 'idle' | 'working', seq: number) =>
  agent(`w1:p${n}`, { name: `child${n}`, agent_status: status, state_change_seq: seq });

/** Tasks of one conversation for so many agents, all of them seen to work; written to the disk once. */
const dispatched = (count: number): string[] => state.database.transaction(() => dispatchEach(count))();

function dispatchEach(count: number): string[] {
  return Array.from({ length: count }, (_, i) => {
    const dispatchId = newId();
    const begun = tasks.begin({
      dispatchId,
      deviceId: 'local',
      principal: { kind: 'connector', id: 'conn_1' },
      callerSession: 'mark',
      target: `child${i + 1}`,
      serverKey: 'embedded',
      agent: child(i + 1, 'idle', 1),
      parent: { kind: 'session', sessionRef: SESSION },
    });
    begun.submitted({ status: 'working', seq: 2, started: true });
    return dispatchId;
  });
}

const read = (more: object = {}) =>
  tasks.inboxOf(SESSION, { limit: 512, includeAcknowledged: false, advisory: true, ...more });

describe('an inbox', () => {
  it('holds 500 tasks that end at once, each once, with its evidence, and is bounded', async () => {
    verifies('tasks.lifecycle', 'tasks.inbox');
    const ids = dispatched(500);
    paint(ids.map((_, i) => child(i + 1, 'working', 2)));
    expect((await read()).summary.running).toBe(500);
    paint(ids.map((_, i) => child(i + 1, 'idle', 3)));
    await until('all ends', async () => (await read({ advisory: false, limit: 1 })).summary.completed === 500);
    const all = await read({ advisory: false });
    expect(new Set(all.tasks.map(({ task_id }) => task_id))).toEqual(new Set(ids));
    expect(all.tasks.every(({ agent: { pane_id }, evidence }) => evidence?.rows[0] === `rows of ${pane_id}`)).toBe(
      true,
    );
    expect(reads).toBe(500);
    const page = await read({ advisory: false, limit: 64 });
    expect(page.tasks).toHaveLength(64);
    expect(page).toMatchObject({ truncated: true, summary: { completed: 500 } });
  });

  it('asks once about at most 16 frozen children and gives each its next step', async () => {
    verifies('tasks.inbox');
    const ids = dispatched(20);
    paint(ids.map((_, i) => child(i + 1, i < 3 ? 'idle' : 'working', 3)));
    await until('three ends', async () => (await read({ advisory: false })).summary.completed === 3);
    const asked: (readonly AttentionChild[])[] = [];
    const states: AttentionState[] = ['verify_completion', 'needs_human', 'investigate_drift', 'continue_unobserved'];
    advise = async (children) => {
      asked.push(children);
      return {
        used: true,
        assessments: children.map(({ id }, i) => ({ id, state: states[i] ?? 'unclear', confidence: 0.9 })),
        ranking: ['child_2', 'child_1', 'child_99'],
      };
    };
    const { tasks: told, attention, summary } = await read();
    expect(asked).toHaveLength(1);
    expect(asked[0]).toHaveLength(ADVISED_MAX);
    expect(asked[0]?.filter(({ terminal_state }) => terminal_state === 'completed')).toHaveLength(3);
    expect(asked[0]?.[0]?.recent_text).toMatch(/^rows of w1:p/);
    expect(attention).toMatchObject({ used: true, advisory_only: true, attention_ranking: ['child_2', 'child_1'] });
    expect(told.map(({ attention: state }) => state)).toEqual(states.slice(0, 3));
    expect(told[0]?.next).toContain('deterministic checks');
    expect(attention.assessments[3]?.next).toContain('Leave it running');
    // Advice has changed nothing.
    expect(summary).toMatchObject({ running: 17, completed: 3 });
    expect(told.every(({ lifecycle }) => lifecycle === 'completed')).toBe(true);
  });

  it.each<[string, Adviser['attention'], string]>([
    ['late', () => new Promise(() => {}), 'timeout'],
    ['broken', () => Promise.reject(new Error('rude')), 'error'],
    ['absent', async () => ({ used: false, reason: 'not_configured' }), 'not_configured'],
  ])('is complete without advice that is %s', async (_, adviser, reason) => {
    verifies('tasks.inbox', 'tasks.advice');
    const [id] = dispatched(1);
    paint([child(1, 'idle', 3)]);
    await until('the end', async () => (await read({ advisory: false })).tasks.length === 1);
    let signal: AbortSignal | undefined;
    advise = (children, budget) => {
      signal = budget.signal;
      return adviser(children, budget);
    };
    const answer = await read();
    expect(answer.attention).toMatchObject({ attempted: true, used: false, reason });
    expect(answer.tasks).toMatchObject([{ task_id: id, next: nextStep('completed') }]);
    expect(signal?.aborted).toBe(true);
  });

  it('asks nobody while nothing has ended', async () => {
    dispatched(2);
    let asked = 0;
    advise = async () => {
      asked += 1;
      return { used: false, reason: 'never' };
    };
    expect((await read()).attention).toMatchObject({ attempted: false, reason: 'nothing_terminal' });
    expect(asked).toBe(0);
  });

  it.each<[Lifecycle, AttentionState, RegExp]>([
    ['completed', 'verify_completion', /^Verify by deterministic checks/],
    ['running', 'continue_unobserved', /^Leave it running/],
    ['running', 'needs_human', /^Look at its screen/],
    ['failed', 'continue_unobserved', /^The agent left: (?!.*Leave it running)/],
    ['failed', 'verify_completion', /^The agent left: .*Verify by deterministic checks/],
    ['blocked', 'blocked_external', /^It asks for a decision: .*waits for outside/],
    ['delivery_uncertain', 'investigate_drift', /^What became of its turn is not known: .*Compare what it does/],
    ['completed', 'unclear', /no proof of success/],
  ])('tells of a %s child with advice %s what was seen before what is guessed', (lifecycle, attention, expected) => {
    verifies('tasks.inbox', 'tasks.advice');
    expect(nextStep(lifecycle, attention)).toMatch(expected);
  });

  it('becomes one wake of a bounded length that names what did not fit', async () => {
    verifies('tasks.inbox');
    const ids = dispatched(90);
    paint(ids.map((_, i) => child(i + 1, 'idle', 3)));
    const all = await until('all ends', async () => {
      const now = await read({ advisory: false });
      return now.tasks.length === 90 && now;
    });
    const text = wakeText(all);
    expect(text.length).toBeLessThanOrEqual(WAKE_CHARS);
    expect(text).toMatch(/- and \d+ more: herdr-mcp agent inbox/);
    expect(text).toContain('no proof of success');
  });
});
