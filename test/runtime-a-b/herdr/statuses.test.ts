import type { Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { verifies } from '../../verifies.ts';
import { agent, FakeError, type FakeRequest, snapshotOf, until } from '../support/index.ts';
import { fake, one, state, watch } from './watched.ts';

describe('statuses that Herdr reports', () => {
  /** Looks on without a timer, because the timers of the loop stand still meanwhile. */
  async function soon<T>(seen: () => T | false): Promise<T> {
    for (;;) {
      const value = seen();
      if (value !== false) return value;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  afterEach(() => vi.useRealTimers());

  it('are looked at when they come, not at the next poll, and pane by pane as agents come and go', async () => {
    verifies('herdr.push');
    let agents = [agent('w1:p1', { agent_status: 'idle' })];
    const herdr = await fake({
      'session.snapshot': () => snapshotOf({ ...one, agents }),
      'agent.list': () => ({ type: 'agent_list', agents }),
    });
    const live = watch(herdr.path);
    await state(live, 'live');
    const followed = () =>
      herdr.requests
        .filter(({ method }) => method === 'events.subscribe')
        .map(({ params }) => (params['subscriptions'] as { pane_id?: string }[]).map(({ pane_id }) => pane_id))
        .at(-1);
    await until('the agent is followed', () => followed()?.[0] === 'w1:p1');

    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const polls = () => herdr.requests.filter(({ method }) => method === 'agent.list').length;
    const before = polls();
    await soon(() => polls() > before); // the last poll that a timer has begun
    const report = () => {
      for (const { pane_id, agent_status } of agents) {
        herdr.push('pane.agent_status_changed', { pane_id, workspace_id: 'w1', agent_status });
      }
    };
    for (const status of ['working', 'done', 'working', 'idle'] as const) {
      agents = [agent('w1:p1', { agent_status: status })];
      report();
      await soon(() => live.view().agents[0]?.agent_status === status);
    }
    // Titles change often and say nothing of the status: no look.
    const quiet = polls();
    for (let i = 0; i < 50; i += 1) report();
    agents = [agent('w1:p1', { agent_status: 'blocked' })];
    report();
    await soon(() => live.view().agents[0]?.agent_status === 'blocked');
    expect(polls() - quiet).toBe(1);

    vi.useRealTimers();
    agents = [agent('w1:p1', { agent_status: 'idle' }), agent('w1:p2', { agent_status: 'idle' })];
    herdr.push('pane_agent_detected', { pane_id: 'w1:p2' });
    await until('both are followed', () => followed()?.join() === 'w1:p1,w1:p2');
  });

  it('are polled where Herdr refuses to report them', async () => {
    let status: 'idle' | 'working' = 'idle';
    const agents = () => [agent('w1:p1', { agent_status: status })];
    const herdr = await fake({
      'session.snapshot': () => snapshotOf({ ...one, agents: agents() }),
      'agent.list': () => ({ type: 'agent_list', agents: agents() }),
      'events.subscribe': (request: FakeRequest, socket: Socket) => {
        if (JSON.stringify(request.params).includes('pane_id')) return new FakeError('pane_not_found');
        socket.write(`${JSON.stringify({ id: request.id, result: { type: 'subscription_started' } })}\n`);
        return undefined;
      },
    });
    const live = watch(herdr.path);
    await state(live, 'live');
    status = 'working';
    await until('the status', () => live.view().agents[0]?.agent_status === 'working');
    const refused = herdr.requests.filter(({ params }) => JSON.stringify(params).includes('pane_id'));
    expect(refused).toHaveLength(1);
    expect(live.view().state).toBe('live');
  });
});
