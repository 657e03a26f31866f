/** A wake in doubt when its chat is handed over: its row has another name by the time it is proved. */
import { expect, it } from 'vitest';
import type { TasksAnswer } from '../../../contract/extension/tasks.ts';
import { handoff } from '../../../extension/machines/handoff/index.ts';
import type { HandoffFacts, Transfer } from '../../../extension/machines/handoff/state.ts';
import { EMPTY, type Event, type State, step } from '../../../extension/machines/worker/index.ts';
import { verifies } from '../../verifies.ts';
import { chat, FRESH, QUIET } from '../worker/chat.ts';
import { FACTS, NOW, OTHER, SOURCE, TARGET, TRANSFERS } from './fixtures.ts';

const from = (conversation: string, tab: number) => ({
  tab,
  document: `d${tab}`,
  version: '1.0.0',
  page: chat(conversation),
});
const agent = { pane: 'p1', name: 'pi', agent: 'pi', workspace: 'w1', cwd: null, terminal_title: null };
const fresh = { ...FRESH, agents: [{ ...agent, status: 'idle', seq: 2, last_activity_at: NOW }] };

function worker() {
  let state: State = EMPTY;
  let now = NOW;
  const take = (event: Event) => {
    now += 1_000;
    const stepped = step(state, event, { now, language: 'en' });
    state = stepped.state;
    return stepped.effects;
  };
  take({ type: 'hello', boot: 'b1', position: 0, replaying: false, fresh, at: NOW });
  take({ type: 'here', from: from(SOURCE, 7), state: QUIET });
  take({ type: 'bind', tab: 7, page: chat(SOURCE), workspace: 'w1', continuityId: 'hc:1:abcdefgh' });
  take({ type: 'action', from: from(SOURCE, 7), action: { name: 'auto', on: true }, id: 'a', fresh: null });
  return { take, state: () => state, set: (next: State) => (state = next) };
}

it('a wake that was in doubt at the cut-over of a plain chat is proved by its late turn, and nobody has to decide about it', () => {
  verifies('extension.handoff', 'extension.wake');
  const { take, state, set } = worker();
  const push = (name: string, status: string, seq: number) =>
    take({ type: 'pushed', boot: 'b1', position: seq, name, data: { ...agent, status, seq, at: seq } });
  push('agent_working', 'working', 1);
  const look = push('agent_settled', 'idle', 2).find(({ type }) => type === 'look');
  if (look?.type !== 'look') throw new Error('nobody looks');
  const { binding, revision } = look;
  const told = take({ type: 'looked', binding, revision, fresh, inbox: 'none' });
  const order = told.find((one) => one.type === 'deliver')?.order;
  if (order === undefined) throw new Error('no wake');
  const { id, attempt, text } = order;
  take({ type: 'claim', from: from(SOURCE, 7), id, attempt, baseline: { userIds: [], userTurns: 0 } });
  const outcome = { state: 'uncertain' as const, reason: 'no_new_turn' as const };
  take({ type: 'done', from: from(SOURCE, 7), id, attempt, outcome });
  const [row] = Object.values(state().bindings);
  if (row === undefined) throw new Error('not bound');
  expect(row.activity.pending?.uncertain).toBe(true);

  const verifying = { ...TRANSFERS['verifying'], rows: [{ id: row.id, revision: row.revision }] };
  set({ ...state(), transfers: { 'ht:1:a': verifying as State['transfers'][string] } });
  const seen = { type: 'verified' as const, conversation: TARGET, found: 'yes' as const, message: 'm1' };
  take({ type: 'handoff', transfer: 'ht:1:a', event: seen });
  const [moved] = Object.values(state().bindings);
  expect(moved).toMatchObject({ scopeKey: TARGET, activity: { pending: { uncertain: true } } });
  expect(moved?.id).not.toBe(row.id);

  take({ type: 'turn_accepted', from: from(SOURCE, 7), text, id: 'u1', submitted: 'person' });
  expect(state().deliveries[id]?.state).toBe('sent');
  expect(Object.values(state().bindings)[0]?.activity.pending).toBeNull();
});

/** One task that has ended, as the runtime tells it. */
const inboxOf = (task_id: string): TasksAnswer => ({
  ok: true,
  tasks: [
    {
      ...{ task_id, dispatch_id: task_id, turn_id: 'turn', exact_native_turn: false, target: 'pi' },
      agent: { name: 'pi', kind: 'pi', pane_id: 'p1', workspace_id: 'w1' },
      ...{ lifecycle: 'completed', terminal: true, reason: 'settled_after_activity', activity_observed: true },
      ...{ prior_settle_observed: false, baseline: { agent_status: 'idle', state_change_seq: 1 }, last_seen: null },
      ...{ evidence: null, terminal_status: 'done', terminal_event_id: null, terminal_at_ms: 1, acknowledged: false },
      ...{ notification_state: 'pending', created_at_ms: 1, updated_at_ms: 1, next: 'Check the result.' },
    },
  ],
  summary: { running: 0, completed: 1, blocked: 0, failed: 0, uncertain: 0 },
  settling: 0,
  attention: {
    ...{ attempted: false, used: false, advisory_only: true, children: [], assessments: [], attention_ranking: [] },
    metrics: { child_count: 0, elapsed_ms: 0, budget_ms: 0 },
  },
  truncated: false,
});

it('tasks that were told in doubt before the cut-over, and proved after it, are acknowledged by the chat that they belong to now', () => {
  verifies('extension.handoff', 'extension.wake');
  const { take, state, set } = worker();
  const [row] = Object.values(state().bindings);
  if (row === undefined) throw new Error('not bound');
  take({ type: 'session', conversation: SOURCE, ref: 'br_source' });
  const inbox = inboxOf('t1');
  const look = { type: 'looked' as const, binding: row.id, revision: row.revision, fresh, inbox };
  const order = take(look).find((one) => one.type === 'deliver')?.order;
  if (order === undefined) throw new Error('no wake');
  const { id, attempt, text } = order;
  take({ type: 'claim', from: from(SOURCE, 7), id, attempt, baseline: { userIds: [], userTurns: 0 } });
  const outcome = { state: 'uncertain' as const, reason: 'no_new_turn' as const };
  take({ type: 'done', from: from(SOURCE, 7), id, attempt, outcome });

  const [now] = Object.values(state().bindings);
  const verifying = { ...TRANSFERS['verifying'], rows: [{ id: now?.id ?? '', revision: now?.revision ?? 0 }] };
  set({ ...state(), transfers: { 'ht:1:a': verifying as State['transfers'][string] } });
  const seen = { type: 'verified' as const, conversation: TARGET, found: 'yes' as const, message: 'm1' };
  const cut = take({ type: 'handoff', transfer: 'ht:1:a', event: seen }).find(
    (one) => one.type === 'cut_over',
  )?.cutover;
  if (cut === undefined) throw new Error('not cut over');
  expect(cut.source).toBe('br_source');
  // The runtime has given the open tasks to the new chat.
  take({ type: 'cut_over', id: cut.id, target: 'br_target' });
  take({ type: 'turn_accepted', from: from(SOURCE, 7), text, id: 'u1', submitted: 'person' });
  expect(take({ type: 'tick' })).toContainEqual({
    type: 'acknowledge',
    delivery: id,
    session: 'br_target',
    tasks: ['t1'],
  });
});

it('a chat that shows the mark while another one is looked at is not taken for that one’s session', () => {
  verifies('extension.handoff');
  const uncertain = { ...(TRANSFERS['uncertainKnown'] as Transfer) };
  const seen = { type: 'verified' as const, conversation: OTHER, found: 'yes' as const, message: 'm1' };
  const { transfer } = handoff(uncertain, seen, FACTS['later'] as HandoffFacts);
  expect(transfer.target).toMatchObject({ conversation: OTHER, session: null });
});
