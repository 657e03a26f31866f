import { describe, expect, it } from 'vitest';
import { endHerdr, startHerdr } from '../../embedded-herdr/harness/index.ts';
import { verifies } from '../../verifies.ts';
import { agent, FakeError, PONG, pane, snapshotOf, tab, until, workspace } from '../support/index.ts';
import { cleanups, fake, one, state, watch } from './watched.ts';

describe('the live picture over a real server', () => {
  it('sees what opens and closes, survives a restart marked stale, and never brings back what was closed', {
    timeout: 120_000,
  }, async () => {
    verifies('herdr.live');
    const herdr = await startHerdr();
    cleanups.push(() => endHerdr(herdr));
    const live = watch(herdr.path);
    expect(live.view().state).toBe('unknown');
    await state(live, 'live');
    const first = await herdr.open('first');
    const second = await herdr.open('second');
    await until('both workspaces', () => live.view().workspaces.length === 2);
    await herdr.call('workspace.close', { workspace_id: second.workspace_id });
    await until('one workspace', () => live.view().workspaces.length === 1);
    expect(live.ring.since(0).events.map(({ change }) => change.type)).toEqual(
      expect.arrayContaining(['workspace_created', 'pane_created', 'workspace_closed']),
    );

    await herdr.stop();
    const stale = await state(live, 'stale');
    expect(stale.workspaces.map(({ workspace_id }) => workspace_id)).toEqual([first.workspace_id]);
    expect(stale.problem?.code).toMatch(/socket_missing|unexpected_eof|connection_refused/);

    const again = await startHerdr({ base: herdr.base });
    cleanups.push(() => again.stop());
    const back = await until('a live picture of the new server', () => live.view().state === 'live' && live.view());
    expect(back.workspaces.map(({ label }) => label)).toEqual(['first']);
    expect(live.ring.since(0).events.map(({ change }) => change.type)).toContain('herdr_unavailable');
  });
});

describe('the live picture over a scripted server', () => {
  it('connects to a newer Herdr whatever its numbers and capabilities', async () => {
    verifies('herdr.versions');
    const newer = {
      type: 'pong',
      version: '0.9.7',
      protocol: 27,
      capabilities: { live_handoff: true, warp: { level: 2 } },
    };
    const herdr = await fake({ ping: () => newer, 'session.snapshot': () => snapshotOf({ ...one, planets: [] }) });
    const live = watch(herdr.path);
    expect(await state(live, 'live')).toMatchObject({
      server: { version: '0.9.7', support: 'full' },
      problem: undefined,
    });
  });

  it('reads an older Herdr and says so', async () => {
    const herdr = await fake({ ping: () => ({ ...PONG, version: '0.7.3', protocol: 16 }) });
    expect(await state(watch(herdr.path), 'live')).toMatchObject({
      server: { support: 'read_only' },
      problem: { code: 'herdr_read_only' },
    });
  });

  it('asks a Herdr that is too old for nothing but its version', async () => {
    const herdr = await fake({ ping: () => ({ ...PONG, version: '0.7.1', protocol: 15 }) });
    const live = watch(herdr.path);
    await until('the verdict', () => live.view().problem?.code === 'herdr_too_old');
    expect(live.view()).toMatchObject({ state: 'unknown', workspaces: [] });
    expect(new Set(herdr.requests.map(({ method }) => method))).toEqual(new Set(['ping']));
  });

  it('falls back to the lists when the snapshot fails, and warns', async () => {
    verifies('herdr.live');
    const herdr = await fake({
      'session.snapshot': () => new FakeError('internal_error'),
      'workspace.list': () => ({ type: 'workspace_list', workspaces: [workspace('w1', { focused: true })] }),
      'tab.list': () => ({ type: 'tab_list', tabs: [tab('w1:t1'), tab('w9:t1')] }),
      'pane.list': () => ({ type: 'pane_list', panes: [pane('w1:p1'), pane('w9:p1')] }),
    });
    expect(await state(watch(herdr.path), 'live')).toMatchObject({
      warnings: ['snapshot_failed_used_list_apis'],
      focused: { workspaceId: 'w1' },
      panes: [{ pane_id: 'w1:p1' }],
    });
  });

  it('looks again at every event, also at one that it does not know', async () => {
    verifies('herdr.live');
    let snapshot = snapshotOf(one);
    const herdr = await fake({ 'session.snapshot': () => snapshot });
    const live = watch(herdr.path);
    await state(live, 'live');
    await until('the subscription', () => herdr.requests.some(({ method }) => method === 'events.subscribe'));
    snapshot = snapshotOf({ ...one, workspaces: [workspace('w1'), workspace('w2')] });
    herdr.push('workspace_teleported', { workspace_id: 'w2' });
    await until('the new workspace', () => live.view().workspaces.length === 2);
  });

  it('takes a replayed event about something gone only as a reason to look', async () => {
    verifies('herdr.live');
    const herdr = await fake({ 'session.snapshot': () => snapshotOf(one) });
    const live = watch(herdr.path);
    await state(live, 'live');
    await until('the subscription', () => herdr.requests.some(({ method }) => method === 'events.subscribe'));
    const asked = herdr.requests.filter(({ method }) => method === 'session.snapshot').length;
    herdr.push('workspace_created', { type: 'workspace_created', workspace: workspace('w9') });
    await until(
      'one more look',
      () => herdr.requests.filter(({ method }) => method === 'session.snapshot').length > asked,
    );
    expect(live.view().workspaces.map(({ workspace_id }) => workspace_id)).toEqual(['w1']);
    expect(live.ring.since(0).events).toEqual([]);
  });

  it('notices a status that no event told, and tells it once', async () => {
    let agents = [agent('w1:p1', { agent_status: 'idle', state_change_seq: 4 })];
    const herdr = await fake({
      'session.snapshot': () => snapshotOf({ ...one, agents }),
      'agent.list': () => ({ type: 'agent_list', agents }),
    });
    const live = watch(herdr.path);
    await state(live, 'live');
    agents = [agent('w1:p1', { agent_status: 'working', state_change_seq: 5 })];
    await until('working', () => live.view().agents[0]?.agent_status === 'working');
    await live.refresh();
    const told = live.ring.since(0).events.filter(({ change }) => change.type === 'pane_agent_status_changed');
    expect(told).toMatchObject([
      { change: { facts: { agent_status: 'working', previous_status: 'idle', state_change_seq: 5 } } },
    ]);
  });

  it('tries plainer subscriptions when an older Herdr refuses one', async () => {
    let refusals = 0;
    const herdr = await fake();
    const subscribe = herdr.methods['events.subscribe'];
    herdr.methods['events.subscribe'] = (request, socket) => {
      const list = request.params.subscriptions as { type: string }[];
      if (list.some(({ type }) => type === 'layout.updated')) {
        refusals += 1;
        return new FakeError('invalid_request');
      }
      return subscribe?.(request, socket);
    };
    await state(watch(herdr.path), 'live');
    await until(
      'the second try',
      () => herdr.requests.filter(({ method }) => method === 'events.subscribe').length === 2,
    );
    expect(refusals).toBe(1);
  });

  it('keeps its picture fresh while Herdr answers with errors only', async () => {
    let broken = false;
    const herdr = await fake({
      'session.snapshot': () => (broken ? new FakeError('server_unavailable') : snapshotOf(one)),
    });
    const live = watch(herdr.path);
    await state(live, 'live');
    broken = true;
    expect(await live.refresh()).toMatchObject({ state: 'live', workspaces: [{ workspace_id: 'w1' }] });
  });

  it('takes a Herdr that answers ping, and nothing else, for one that nobody can ask', async () => {
    verifies('herdr.live');
    let hangs = false;
    const herdr = await fake({ 'session.snapshot': () => (hangs ? undefined : snapshotOf(one)) });
    const live = watch(herdr.path);
    await state(live, 'live');
    hangs = true;
    const stale = await live.refresh();
    expect(stale).toMatchObject({ state: 'stale', problem: { code: 'timeout' } });
    expect(stale.workspaces).toHaveLength(1);
    hangs = false;
    await state(live, 'live');
  });

  it('joins refreshes that are asked for at once', async () => {
    const herdr = await fake();
    const live = watch(herdr.path);
    await state(live, 'live');
    await until('a quiet moment', () => herdr.requests.some(({ method }) => method === 'events.subscribe'));
    await live.refresh();
    const before = herdr.requests.filter(({ method }) => method === 'ping').length;
    await Promise.all([live.refresh(), live.refresh(), live.refresh()]);
    expect(herdr.requests.filter(({ method }) => method === 'ping').length - before).toBe(1);
  });
});
