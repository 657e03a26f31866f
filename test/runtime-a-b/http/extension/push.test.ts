import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endHerdr, type Herdr, hasStatus, startAgent, startHerdr } from '../../../embedded-herdr/harness/index.ts';
import { verifies } from '../../../verifies.ts';
import { type TestRuntime, testRuntime, until } from '../../support/index.ts';
import { ask, follow, type PushedEvent, socketOf } from './client.ts';

/** The real embedded Herdr with scripted agents in real terminals, and the runtime that watches it. */
let herdr: Herdr;
let rt: TestRuntime;
let socket: string;
beforeAll(async () => {
  herdr = await startHerdr({ env: { PI_WORK_S: '2' } });
  rt = await testRuntime({ herdrSocket: herdr.path });
  socket = socketOf(rt.stateDir);
}, 60_000);
afterAll(async () => {
  await rt.end();
  await endHerdr(herdr);
});

const ofPane = (id: string) => (event: PushedEvent) => event.data['pane'] === id && event.event.startsWith('agent_');
const types = (events: PushedEvent[]) => events.map(({ event }) => event);

async function pi(name: string) {
  const shell = await herdr.open(name);
  await startAgent(herdr, shell, name);
  await hasStatus(herdr, name, ['idle', 'done']);
  await until(`${name} in the state`, async () => {
    const { agents } = (await ask(socket, '/push/state')).body as { agents: { pane: string; status: string }[] };
    return agents.some(({ pane, status }) => pane === shell.pane_id && status !== 'working' && status !== 'unknown');
  });
  return shell;
}

const prompt = (name: string, text: string) => herdr.call('agent.prompt', { target: name, text });

describe('what the extension hears of real agents', () => {
  it('working, then settled, each once, with who and where and Herdr’s own number', async () => {
    verifies('herdr.push');
    const shell = await pi('teller');
    const stream = await follow(socket);
    await prompt('teller', 'one');
    await stream.wait('working', (event) => event.event === 'agent_working' && ofPane(shell.pane_id)(event));
    const settled = await stream.wait(
      'settled',
      (event) => event.event === 'agent_settled' && ofPane(shell.pane_id)(event),
    );
    const { agent } = await herdr.call('agent.get', { target: 'teller' });
    expect(settled.data).toMatchObject({
      name: 'teller',
      agent: 'pi',
      pane: shell.pane_id,
      workspace: shell.workspace_id,
      status: agent.agent_status,
      seq: agent.state_change_seq,
      cwd: herdr.work,
      at: expect.any(Number),
    });
    // A second turn closes the first: had anything been said twice, it would stand between them.
    await prompt('teller', 'two');
    await until('the second settle', () => stream.events.filter(({ event }) => event === 'agent_settled').length === 2);
    expect(types(stream.events.filter(ofPane(shell.pane_id)))).toEqual([
      'agent_working',
      'agent_settled',
      'agent_working',
      'agent_settled',
    ]);
    stream.close();
  });

  it('a settle that nobody was connected for is seen after the reconnect: in hello, and once as an event for who says where he stopped', async () => {
    verifies('herdr.push');
    const shell = await pi('sleeper');
    const first = await follow(socket);
    await prompt('sleeper', 'work');
    await first.wait('working', (event) => event.event === 'agent_working' && ofPane(shell.pane_id)(event));
    const stoppedAt = first.events.at(-1)?.id ?? '';
    first.close();
    await until('the settle', async () => {
      const { agents } = (await ask(socket, '/push/state')).body as { agents: { pane: string; status: string }[] };
      return agents.some(({ pane, status }) => pane === shell.pane_id && status !== 'working');
    });

    const blank = await follow(socket, `?pane=${encodeURIComponent(shell.pane_id)}`);
    const { agent } = await herdr.call('agent.get', { target: 'sleeper' });
    expect(blank.events[0]?.data['agents']).toMatchObject([
      { pane: shell.pane_id, status: agent.agent_status, seq: agent.state_change_seq },
    ]);
    const back = await follow(socket, `?pane=${encodeURIComponent(shell.pane_id)}`, stoppedAt);
    const settled = await back.wait('the missed settle', ({ event }) => event === 'agent_settled');
    expect(settled.data).toMatchObject({ seq: agent.state_change_seq });
    const again = await follow(socket, `?pane=${encodeURIComponent(shell.pane_id)}`, settled.id);
    // The next turn is the mark: whatever would have been replayed came before it.
    await prompt('sleeper', 'more');
    for (const stream of [blank, again]) {
      await stream.wait('settled', ({ event }) => event === 'agent_settled');
      expect(types(stream.events.filter(ofPane(shell.pane_id)))).toEqual(['agent_working', 'agent_settled']);
    }
    await until('the next settle', () => back.events.filter(({ event }) => event === 'agent_settled').length === 2);
    expect(types(back.events.filter(ofPane(shell.pane_id)))).toEqual([
      'agent_settled',
      'agent_working',
      'agent_settled',
    ]);
    for (const stream of [blank, back, again]) stream.close();
  });

  it('tells of workspaces and panes as they come and go, and a closed workspace never comes back', async () => {
    verifies('herdr.push');
    const all = await follow(socket);
    const shell = await herdr.open('short-lived');
    const { workspace_id: id } = shell;
    const isOf = ({ data }: PushedEvent) => data['workspace'] === id;
    const opened = await all.wait('the workspace', (event) => event.event === 'workspace_upsert' && isOf(event));
    expect(opened.data).toMatchObject({ workspace_data: { id, label: 'short-lived' } });
    await all.wait('its pane', ({ event, data }) => event === 'pane_upsert' && data['pane_id'] === shell.pane_id);
    const stoppedAt = all.events.at(0)?.id ?? '';
    await herdr.call('workspace.close', { workspace_id: id });
    await all.wait('its end', (event) => event.event === 'workspace_removed' && isOf(event));

    // Another workspace is the mark up to which both streams are read.
    const next = await herdr.open('mark');
    const back = await follow(socket, '', stoppedAt);
    for (const stream of [all, back]) {
      await stream.wait('the mark', ({ data }) => data['workspace'] === next.workspace_id);
    }
    expect(types(all.events.filter(isOf)).slice(-2)).toEqual(['pane_removed', 'workspace_removed']);
    expect(types(back.events.filter(isOf))).toEqual(['pane_removed', 'workspace_removed']);
    const { workspaces } = (await ask(socket, '/push/state')).body as { workspaces: { id: string }[] };
    expect(workspaces.map((workspace) => workspace.id)).not.toContain(id);
    all.close();
    back.close();
  });

  it('a filter lets through one workspace only', async () => {
    const quiet = await herdr.open('quiet');
    const stream = await follow(socket, `?workspace=${quiet.workspace_id}`);
    const loud = await herdr.open('loud');
    const everything = await follow(socket);
    await herdr.call('workspace.rename', { workspace_id: loud.workspace_id, label: 'louder' });
    await herdr.call('workspace.rename', { workspace_id: quiet.workspace_id, label: 'quieter' });
    await stream.wait('the rename', ({ data }) => JSON.stringify(data['workspace_data'] ?? '').includes('quieter'));
    await everything.wait('the other', ({ data }) => JSON.stringify(data['workspace_data'] ?? '').includes('louder'));
    expect(stream.events.slice(1).every(({ data }) => data['workspace'] === quiet.workspace_id)).toBe(true);
    stream.close();
    everything.close();
  });
});
