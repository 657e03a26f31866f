/**
 * What becomes of a task, look by look.
 * Long because it is one table: each row is a course of looks, told in time and state, and how it ends.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentStatus } from '../../../contract/herdr/index.ts';
import { afterSubmit, type Ending, type Sighting, step, type TaskState } from '../../../runtime-a-b/tasks/lifecycle.ts';
import {
  ACTIVITY_MS,
  GONE_MS,
  OTHER_SERVER_MS,
  PRIOR_SETTLE_MS,
  SETTLE_MS,
} from '../../../runtime-a-b/tasks/limits.ts';
import { verifies } from '../../verifies.ts';

/** Time, status, and the number of the last state change; or what else a look showed. */
type Look = readonly [at: number, what: AgentStatus | 'exit' | 'other', seq?: number, ahead?: boolean];

const sighting = ([at, what, seq]: Look): Sighting => {
  if (what === 'exit') return { kind: 'absent', absence: 'agent_exited', at };
  if (what === 'other') return { kind: 'other_server', at };
  return { kind: 'present', status: what, seq: seq ?? null, at };
};

/** A prompt at time 0, then the looks. Looks after the end must not happen, so the end is where it stops. */
function play(before: AgentStatus, started: boolean, looks: readonly Look[]): { state: TaskState; ending?: Ending } {
  const seq = 10;
  let state = afterSubmit({ status: before, seq }, { status: before, seq, started }, false, 0);
  for (const look of looks) {
    const next = step(state, sighting(look), look[3] ?? false);
    state = next.state;
    if (next.ending) return { state, ending: next.ending };
  }
  return { state };
}

const outcome = ({ state, ending }: ReturnType<typeof play>) =>
  ending ? `${ending.lifecycle} ${ending.reason}` : state.lifecycle;

const A = ACTIVITY_MS;
const S = SETTLE_MS;
const P = PRIOR_SETTLE_MS;

describe('what becomes of a task', () => {
  it.each<[string, AgentStatus, boolean, Look[], string]>([
    ['just sent', 'idle', false, [[1, 'idle', 10]], 'awaiting_activity'],
    ['seen to work', 'idle', false, [[1, 'working', 11]], 'running'],
    ['idle after work, not looked at again', 'idle', true, [[5, 'idle', 12]], 'running'],
    [
      'a turn',
      'idle',
      true,
      [
        [5, 'idle', 12],
        [5 + S, 'idle', 12],
      ],
      'completed settled_after_activity',
    ],
    [
      'done and then seen by a person',
      'idle',
      true,
      [
        [5, 'done', 12],
        [5 + S, 'idle', 12],
      ],
      'completed settled_after_activity',
    ],
    [
      'a turn that ended in a question',
      'idle',
      true,
      [
        [5, 'blocked', 12],
        [5 + S, 'blocked', 12],
      ],
      'blocked asks_for_a_decision',
    ],
    [
      'a pause between two tools',
      'idle',
      true,
      [
        [5, 'idle', 12],
        [S, 'working', 13],
        [S + 9, 'idle', 14],
      ],
      'running',
    ],
    [
      'a pause that no look saw end',
      'idle',
      true,
      [
        [5, 'idle', 12],
        [5 + S, 'idle', 14],
        [9 + S, 'idle', 14],
      ],
      'running',
    ],
    [
      'a question that was answered at once',
      'idle',
      true,
      [
        [5, 'blocked', 12],
        [300, 'working', 13],
      ],
      'running',
    ],
    [
      'a question that became an answer',
      'idle',
      true,
      [
        [5, 'blocked', 12],
        [5 + S, 'idle', 12],
      ],
      'running',
    ],
    [
      'a turn between two looks',
      'idle',
      false,
      [
        [700, 'idle', 12],
        [700 + S, 'idle', 12],
      ],
      'completed settled_after_activity',
    ],
    ['no activity', 'idle', false, [[A - 1, 'idle', 10]], 'awaiting_activity'],
    ['no activity for 10 s', 'idle', false, [[A, 'idle', 10]], 'delivery_uncertain activity_start_timeout'],
    ['unknown for 10 s', 'idle', false, [[A, 'unknown', 12]], 'delivery_uncertain activity_start_timeout'],
    [
      'activity before the 10 s are over',
      'idle',
      false,
      [
        [A - 1, 'working', 11],
        [A + 5, 'working', 11],
      ],
      'running',
    ],
    [
      'unknown is no settle',
      'idle',
      true,
      [
        [5, 'idle', 12],
        [900, 'unknown', 12],
        [5 + S, 'idle', 12],
      ],
      'running',
    ],
    ['an older number is no activity', 'idle', false, [[700, 'idle', 3]], 'awaiting_activity'],

    ['busy before', 'working', false, [[1, 'working', 10]], 'awaiting_prior_settle'],
    ['busy before, settling', 'working', false, [[5, 'idle', 11]], 'awaiting_prior_settle'],
    [
      'its old turn settled',
      'working',
      false,
      [
        [5, 'idle', 11],
        [5 + P, 'idle', 11],
      ],
      'awaiting_activity',
    ],
    [
      'the settle of the old turn alone',
      'working',
      false,
      [
        [5, 'idle', 11],
        [5 + P, 'idle', 11],
        [5 + P + A, 'idle', 11],
      ],
      'delivery_uncertain activity_start_timeout',
    ],
    [
      'its own turn after the old one',
      'working',
      false,
      [
        [5, 'idle', 11],
        [5 + P, 'idle', 11],
        [900, 'working', 12],
        [2000, 'idle', 13],
        [2000 + S, 'idle', 13],
      ],
      'completed settled_after_activity',
    ],
    [
      'a short own turn after the old one',
      'working',
      false,
      [
        [5, 'idle', 11],
        [5 + P, 'idle', 11],
        [900, 'idle', 13],
        [900 + S, 'idle', 13],
      ],
      'completed settled_after_activity',
    ],
    [
      'a flap of the old turn',
      'working',
      false,
      [
        [5, 'idle', 11],
        [100, 'working', 12],
        [9000, 'working', 12],
      ],
      'awaiting_prior_settle',
    ],
    [
      'a question of the old turn',
      'working',
      false,
      [
        [5, 'blocked', 11],
        [5 + S, 'blocked', 11],
        [9000, 'working', 12],
      ],
      'awaiting_prior_settle',
    ],
    [
      'an earlier task is open',
      'working',
      false,
      [
        [5, 'idle', 11, true],
        [5 + S, 'idle', 11, true],
      ],
      'awaiting_prior_settle',
    ],

    [
      'the settle that ended an earlier task',
      'working',
      false,
      [
        [5, 'idle', 11, true],
        [5 + S, 'idle', 11, true],
        [5 + S, 'idle', 11, false],
      ],
      'awaiting_activity',
    ],
    [
      'missing for a moment',
      'idle',
      true,
      [
        [5, 'exit'],
        [4 + GONE_MS, 'exit'],
      ],
      'running',
    ],
    [
      'missing, then there again',
      'idle',
      true,
      [
        [5, 'exit'],
        [90, 'working', 11],
        [5 + GONE_MS, 'exit'],
      ],
      'running',
    ],
    [
      'lost from sight while it worked',
      'idle',
      true,
      [
        [5, 'exit'],
        [90, 'working', 11],
        [500, 'idle', 12],
        [500 + S, 'idle', 12],
      ],
      'completed settled_after_activity',
    ],
    [
      'crashed at work and started anew by a loop',
      'idle',
      true,
      [
        [5, 'exit'],
        [90, 'idle', 13],
        [90 + S, 'idle', 13],
      ],
      'delivery_uncertain agent_came_back',
    ],
    [
      'crashed on the prompt and started anew by a loop',
      'idle',
      false,
      [
        [5, 'exit'],
        [90, 'idle', 13],
        [90 + S, 'idle', 13],
      ],
      'delivery_uncertain agent_came_back',
    ],
    [
      'started anew, and asking',
      'idle',
      true,
      [
        [5, 'exit'],
        [90, 'blocked', 13],
        [90 + S, 'blocked', 13],
      ],
      'blocked asks_for_a_decision',
    ],
    [
      'gone',
      'idle',
      true,
      [
        [5, 'exit'],
        [5 + GONE_MS, 'exit'],
      ],
      'failed agent_exited',
    ],
    [
      'gone before it began',
      'idle',
      false,
      [
        [5, 'exit'],
        [5 + GONE_MS, 'exit'],
      ],
      'failed agent_exited',
    ],
    [
      'gone right after it settled',
      'idle',
      true,
      [
        [5, 'idle', 12],
        [50, 'exit'],
        [50 + GONE_MS, 'exit'],
      ],
      'failed agent_exited',
    ],
    [
      'another Herdr for a while',
      'idle',
      true,
      [
        [5, 'other'],
        [OTHER_SERVER_MS, 'other'],
      ],
      'running',
    ],
    [
      'another Herdr for good',
      'idle',
      true,
      [
        [5, 'other'],
        [5 + OTHER_SERVER_MS, 'other'],
      ],
      'delivery_uncertain herdr_server_changed',
    ],
    [
      'a clock that was put back',
      'idle',
      true,
      [
        [9000, 'idle', 12],
        [5, 'idle', 12],
        [5 + S, 'idle', 12],
      ],
      'completed settled_after_activity',
    ],
  ])('%s', (_, before, started, looks, expected) => {
    verifies('tasks.lifecycle');
    expect(outcome(play(before, started, looks))).toBe(expected);
  });

  it('never completes a task without activity, whatever is seen, and says when to look again at the latest', () => {
    verifies('tasks.lifecycle');
    const look = fc.record({
      dt: fc.integer({ min: 1, max: 4_000 }),
      status: fc.constantFrom<AgentStatus>('idle', 'done', 'working', 'blocked', 'unknown'),
      moved: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.constantFrom<AgentStatus>('idle', 'working', 'unknown'),
        fc.array(look, { maxLength: 40 }),
        (before, looks) => {
          let state = afterSubmit({ status: before, seq: 10 }, { status: before, seq: 10, started: false }, false, 0);
          let [at, seq, activeAfterSettle, settled] = [0, 10, false, before !== 'working'];
          for (const { dt, status, moved } of looks) {
            at += dt;
            seq += moved ? 1 : 0;
            // What a careful observer could call activity of this turn: only after the old turn's settle was seen.
            if (settled && (status === 'working' || status === 'blocked' || moved)) activeAfterSettle = true;
            if (status === 'idle' || status === 'done') settled = true;
            const next = step(state, { kind: 'present', status, seq, at }, false);
            state = next.state;
            if (next.dueAt !== undefined) expect(next.dueAt).toBeGreaterThan(at);
            if (next.ending?.lifecycle === 'completed' || next.ending?.lifecycle === 'blocked') {
              expect(activeAfterSettle).toBe(true);
              expect(state.activityObserved).toBe(true);
            }
            if (next.ending) return;
          }
        },
      ),
    );
  });
});
