/** A wake in doubt when its chat is handed over: its row has another name by the time it is proved. */
import { expect, it } from 'vitest';
import { EMPTY, type Event, type State, step } from '../../../extension/machines/worker/index.ts';
import { verifies } from '../../verifies.ts';
import { chat, QUIET } from '../worker/world.ts';
import { NOW, SOURCE, TARGET, TRANSFERS } from './fixtures.ts';

const from = (conversation: string, tab: number) => ({
  tab,
  document: `d${tab}`,
  version: '1.0.0',
  page: chat(conversation),
});
const agent = { pane: 'p1', name: 'pi', agent: 'pi', workspace: 'w1', cwd: null, terminal_title: null };
const fresh = {
  boot: 'b1',
  server: 'embedded',
  herdr: 'live',
  workspaces: [{ id: 'w1', label: 'site' }],
  agents: [{ ...agent, status: 'idle', seq: 2, last_activity_at: NOW }],
};

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
