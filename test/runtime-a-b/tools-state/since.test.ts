import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endHerdr, type Herdr, startAgent, startHerdr } from '../../embedded-herdr/harness/index.ts';
import { verifies } from '../../verifies.ts';
import { type TestRuntime, testRuntime, until } from '../support/index.ts';

type Event = { cursor: number; at: number; type: string; workspace_id?: string; agent_status?: string };

describe('herdr_since', () => {
  let herdr: Herdr;
  let rt: TestRuntime;
  beforeAll(async () => {
    herdr = await startHerdr();
    rt = await testRuntime({ herdrSocket: herdr.path });
    await rt.call('herdr_inspect');
  }, 60_000);
  afterAll(async () => {
    await rt.end();
    await endHerdr(herdr);
  });

  const since = async (cursor: number, more = {}) => (await rt.call('herdr_since', { cursor, ...more })).json;
  const events = (json: Record<string, unknown>) => json.events as Event[];

  it('gives what changed after a cursor, once, and where everything stands', async () => {
    verifies('runtime.since');
    const start = await since(0);
    const one = await herdr.open('one');
    const opened = await until('the event', async () => {
      const json = await since(Number(start.cursor));
      return events(json).some(({ type }) => type === 'workspace_created') ? json : undefined;
    });
    expect(events(opened).map(({ type }) => type)).toEqual(
      expect.arrayContaining(['workspace_created', 'tab_created', 'pane_created']),
    );
    expect(opened.workspaces).toEqual([{ id: one.workspace_id, label: 'one' }]);
    const after = events(await since(Number(opened.cursor))).map(({ type }) => type);
    expect(after).not.toContain('workspace_created');
    expect(opened).toMatchObject({ boot_id: rt.runtime.record.boot_id, generation: 'a' });
  });

  it('tells when an agent works and when it settles', async () => {
    const shell = await herdr.open('agent');
    await startAgent(herdr, shell, 'worker');
    const { json } = await rt.call('herdr_prompt', { target: 'worker', text: 'go' });
    expect(json.ok).toBe(true);
    const seen = await until('working and settled', async () => {
      const statuses = events(await since(0, { workspace: 'agent' })).filter(
        ({ type }) => type === 'pane_agent_status_changed',
      );
      return statuses.some(({ agent_status }) => agent_status === 'working') &&
        ['idle', 'done'].includes(statuses.at(-1)?.agent_status ?? '')
        ? statuses
        : undefined;
    });
    expect(seen.every(({ workspace_id }) => workspace_id === shell.workspace_id)).toBe(true);
  }, 60_000);

  it('refuses a workspace that is not open, and says when a cursor is of an earlier boot', async () => {
    verifies('runtime.since');
    expect((await rt.call('herdr_since', { workspace: 'nowhere' })).json.code).toBe('workspace_not_found');
    expect(await since(999_999)).toMatchObject({ restarted: true, boot_id: rt.runtime.record.boot_id });
  });
});
