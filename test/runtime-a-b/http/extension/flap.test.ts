import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentStatus } from '../../../../contract/herdr/index.ts';
import { verifies } from '../../../verifies.ts';
import {
  agent,
  type FakeHerdr,
  fakeHerdr,
  pane,
  snapshotOf,
  type TestRuntime,
  testRuntime,
  until,
  workspace,
} from '../../support/index.ts';
import { ask, follow, type PushedEvent, socketOf } from './client.ts';

/** A scripted Herdr with one agent whose status the test decides, look by look. */
let herdr: FakeHerdr;
let rt: TestRuntime;
let socket: string;
let status: AgentStatus;
let seq: number;
let looks: AgentStatus[];
let away: boolean;
/** Called at each look, before it is answered. */
let onLook: () => void;

const set = (next: AgentStatus) => {
  status = next;
  seq += 1;
};

beforeEach(async () => {
  status = 'idle';
  seq = 1;
  looks = [];
  away = false;
  onLook = () => {};
  const agents = () => {
    onLook();
    looks.push(status);
    return [agent('w1:p1', { name: 'flapper', agent_status: status, state_change_seq: seq })];
  };
  herdr = await fakeHerdr({
    'session.snapshot': (_, from) => {
      if (away) return void from.destroy();
      return snapshotOf({ workspaces: [workspace('w1')], panes: [pane('w1:p1')], agents: agents() });
    },
    'agent.list': (_, from) => {
      if (away) return void from.destroy();
      return { type: 'agent_list', agents: agents() };
    },
  });
  rt = await testRuntime({ herdrSocket: herdr.path });
  socket = socketOf(rt.stateDir);
  await until('the agent', async () => ((await ask(socket, '/push/state')).body.agents as object[]).length === 1);
});
afterEach(async () => {
  await rt.end();
  await herdr.stop();
});

const turns = (events: readonly PushedEvent[]) => events.filter(({ event }) => event.startsWith('agent_'));
const saw = (what: AgentStatus, from: number) =>
  until(`a look that saw ${what}`, () => looks.slice(from).includes(what));

describe('a stream through the whole runtime', () => {
  it('says nothing of work that one look saw and the next did not, nor of such a pause', async () => {
    verifies('herdr.push');
    const stream = await follow(socket);
    /** Shows the status to exactly one look, then the old one again. */
    const flap = async (to: AgentStatus) => {
      const before = status;
      const from = looks.length;
      set(to);
      onLook = () => {
        if (looks.slice(from).includes(to)) {
          onLook = () => {};
          set(before);
        }
      };
      await saw(to, from);
      await saw(before, looks.indexOf(to, from));
    };
    await flap('working');
    await flap('working');
    expect(turns(stream.events)).toEqual([]);
    set('working');
    await stream.wait('working', ({ event }) => event === 'agent_working');
    await flap('idle');
    set('done');
    const settled = await stream.wait('settled', ({ event }) => event === 'agent_settled');
    expect(turns(stream.events).map(({ event }) => event)).toEqual(['agent_working', 'agent_settled']);
    expect(settled.data).toMatchObject({ status: 'done', seq });
    stream.close();
  });

  it('while Herdr is away it says so and keeps what it knew; what settled meanwhile is said once when it is back', async () => {
    verifies('herdr.push');
    const stream = await follow(socket);
    set('working');
    await stream.wait('working', ({ event }) => event === 'agent_working');
    away = true;
    await stream.wait('away', ({ event, data }) => event === 'herdr_state' && data['state'] === 'stale');
    expect((await ask(socket, '/push/state')).body).toMatchObject({
      herdr: { state: 'stale' },
      agents: [{ status: 'working' }],
      workspaces: [{ id: 'w1' }],
    });
    set('idle');
    away = false;
    await stream.wait('settled', ({ event }) => event === 'agent_settled');
    set('working');
    await until('the next turn', () => turns(stream.events).length === 3);
    expect(turns(stream.events).map(({ event }) => event)).toEqual(['agent_working', 'agent_settled', 'agent_working']);
    expect(stream.events.some(({ event }) => event.endsWith('_removed'))).toBe(false);
    stream.close();
  });
});
