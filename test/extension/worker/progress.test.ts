/** What is told beside a settle: progress, and the inbox of tasks. */
import { describe, expect, it } from 'vitest';
import type { TasksAnswer } from '../../../contract/extension/tasks.ts';
import { verifies } from '../../verifies.ts';
import { bound } from './bound.ts';
import { CHAT } from './chat.ts';

describe('progress', () => {
  it('is checked often and sent for new output only, until the fallback interval has passed', async () => {
    verifies('extension.wake', 'compat.progress', 'extension.progress');
    const it = await bound();
    await it.agent('w1:p1', 'working', 1);
    await it.tick(30_000);
    expect(it.turns).toEqual([]); // not due yet
    await it.tick(30_000);
    expect(it.turns).toHaveLength(1);
    await it.turnEnded();
    it.setOutput('line 2');
    await it.tick(60_000);
    expect(it.turns).toHaveLength(1); // a message went out a minute ago
    await it.restartWorker();
    await it.tick(60_000);
    expect(it.turns).toHaveLength(1);
    await it.tick(1_200_000);
    expect(it.turns).toHaveLength(2);
    expect(it.turns[1]).toContain('> line 2');
    await it.turnEnded();
    await it.tick(1_200_000);
    expect(it.turns[2]).toContain('without new output');
  });

  it('is not told of a spinner, a clock or a counter', async () => {
    verifies('extension.progress');
    const it = await bound();
    await it.take({ type: 'config', config: { progressFallbackSec: 0 } });
    it.setOutput('⠋ building 12s 10:31:02');
    await it.agent('w1:p1', 'working', 1);
    await it.tick(60_000);
    await it.turnEnded();
    it.setOutput('⠙ building 73s 10:32:02');
    await it.tick(60_000);
    expect(it.turns).toHaveLength(1);
  });

  it('is switched off by 0, and never sent without Auto', async () => {
    verifies('extension.progress');
    const it = await bound();
    await it.take({ type: 'config', config: { progressTickSec: 0 } });
    await it.agent('w1:p1', 'working', 1);
    await it.tick(120_000);
    await it.take({ type: 'config', config: { progressTickSec: 60 } });
    await it.press({ name: 'auto', on: false });
    await it.tick(120_000);
    expect(it.turns).toEqual([]);
  });
});

describe('the inbox of tasks', () => {
  const SESSION = `br_${'0'.repeat(64)}`;
  const inbox = (ids: string[], more: Partial<TasksAnswer> = {}): TasksAnswer => ({
    ok: true,
    tasks: ids.map((task_id) => ({
      task_id,
      dispatch_id: task_id,
      turn_id: 'turn',
      exact_native_turn: false,
      target: 'pi',
      agent: { name: 'pi', kind: 'pi', pane_id: 'w1:p1', workspace_id: 'w1' },
      lifecycle: 'completed',
      terminal: true,
      reason: 'settled_after_activity',
      activity_observed: true,
      prior_settle_observed: false,
      baseline: { agent_status: 'idle', state_change_seq: 1 },
      last_seen: null,
      evidence: null,
      terminal_status: 'done',
      terminal_event_id: null,
      terminal_at_ms: 1,
      acknowledged: false,
      notification_state: 'pending',
      created_at_ms: 1,
      updated_at_ms: 1,
      next: 'Check the result.',
    })),
    summary: { running: 1, completed: ids.length, blocked: 0, failed: 0, uncertain: 0 },
    settling: 0,
    attention: {
      attempted: false,
      used: false,
      advisory_only: true,
      children: [],
      assessments: [],
      attention_ranking: [],
      metrics: { child_count: 0, elapsed_ms: 0, budget_ms: 0 },
    },
    truncated: false,
    ...more,
  });

  it('decides, wakes once for a task, and acknowledges only what was sent', async () => {
    verifies('extension.wake', 'tasks.inbox');
    let held = inbox(['t1', 't2']);
    const it = await bound({ inbox: () => held });
    await it.page({ draft: true });
    await it.take({ type: 'session', conversation: CHAT, ref: SESSION });
    await it.agent('w1:p1', 'working', 1);
    await it.agent('w1:p1', 'done', 2);
    expect(it.acknowledged).toEqual([]);
    await it.page({ draft: false });
    expect(it.turns).toHaveLength(1);
    expect(it.turns[0]).toContain('t1');
    expect(it.turns[0]).toContain('attention is advice');
    expect(it.acknowledged).toEqual(['t1', 't2']);
    expect((await it.hud()).tasks).toEqual({ running: 1, completed: 2, blocked: 0, failed: 0, uncertain: 0 });
    // Still listed (the acknowledgement is on its way): no second wake.
    await it.turnEnded();
    await it.hello();
    expect(it.turns).toHaveLength(1);
    held = inbox([]);
    await it.tick();
    expect(it.turns).toHaveLength(1);
  });

  it('with Auto off wakes nobody and acknowledges nothing', async () => {
    verifies('tasks.inbox');
    const it = await bound({ inbox: () => inbox(['t1']) }, false);
    await it.take({ type: 'session', conversation: CHAT, ref: SESSION });
    await it.hello();
    expect([it.turns, it.acknowledged]).toEqual([[], []]);
  });

  it('that holds nothing leaves the settle to the generic wake', async () => {
    const it = await bound({ inbox: () => inbox([]) });
    await it.take({ type: 'session', conversation: CHAT, ref: SESSION });
    await it.agent('w1:p1', 'working', 1);
    await it.agent('w1:p1', 'done', 2);
    expect(it.turns[0]).toContain('all agents');
  });
});
