import { describe, expect, it } from 'vitest';
import { LIFECYCLE_SUBSCRIPTIONS } from '../../../contract/herdr/index.ts';
import { verifies } from '../../verifies.ts';
import { hasStatus, theirs, until } from '../harness/index.ts';
import { herdr } from './herdr.ts';

const everything = () =>
  LIFECYCLE_SUBSCRIPTIONS.filter((type) => type !== 'workspace.reordered' || !theirs(herdr, 'no-reordered-event')).map(
    (type) => ({ type }),
  );

describe('lifecycle events', () => {
  it('arrive under their underscored name, and tell of a workspace from its birth to its end', async () => {
    verifies('embedded.events');
    const events = await herdr.subscribe(everything());
    const made = await herdr.call('workspace.create', { cwd: herdr.work, label: 'told', focus: true });
    const { workspace_id } = made.workspace;
    const here = (data: Record<string, unknown>) => JSON.stringify(data).includes(`"${workspace_id}"`);
    for (const name of [
      'workspace_created',
      'tab_created',
      'pane_created',
      'layout_updated',
      'workspace_focused',
      'tab_focused',
      'pane_focused',
    ]) {
      const pushed = await events.event(name, here);
      expect(pushed.data['type']).toBe(name);
    }
    const tab = await herdr.call('tab.create', { workspace_id, cwd: herdr.work });
    await events.event('tab_created', (data) => JSON.stringify(data).includes(tab.tab.tab_id));
    await herdr.call('tab.rename', { tab_id: tab.tab.tab_id, label: 'logs' });
    expect((await events.event('tab_renamed', here)).data).toMatchObject({ label: 'logs', tab_id: tab.tab.tab_id });
    await herdr.call('workspace.rename', { workspace_id, label: 'renamed' });
    expect((await events.event('workspace_renamed', here)).data).toMatchObject({ label: 'renamed' });
    const split = await herdr.call('pane.split', { target_pane_id: made.root_pane.pane_id, direction: 'down' });
    await events.event('pane_created', (data) => JSON.stringify(data).includes(split.pane.pane_id));
    await herdr.call('pane.close', { pane_id: split.pane.pane_id });
    await events.event('pane_closed', (data) => data['pane_id'] === split.pane.pane_id);
    await herdr.call('tab.close', { tab_id: tab.tab.tab_id });
    await events.event('tab_closed', (data) => data['tab_id'] === tab.tab.tab_id);
    await herdr.call('workspace.close', { workspace_id });
    const closed = await events.event('workspace_closed', (data) => data['workspace_id'] === workspace_id);
    expect(closed.data).toMatchObject({ workspace: { label: 'renamed' } });
    events.close();
  });

  it('say that a pane went with its shell', async () => {
    const events = await herdr.subscribe(everything());
    const { pane_id, tab_id, workspace_id } = await herdr.open('exiting');
    await herdr.call('pane.send_input', { pane_id, text: 'exit', keys: ['enter'] });
    await events.event('pane_exited', (data) => data['pane_id'] === pane_id);
    if (!theirs(herdr, 'tab-closed-with-last-pane')) {
      await events.event('tab_closed', (data) => data['tab_id'] === tab_id);
      await events.event('workspace_closed', (data) => data['workspace_id'] === workspace_id);
    }
    expect(events.events.some((pushed) => pushed.event === 'pane_closed' && pushed.data['pane_id'] === pane_id)).toBe(
      false,
    );
    events.close();
  });

  it('are replayed to a later subscriber, also those of things that are gone', async () => {
    verifies('embedded.events');
    const { pane_id, workspace_id } = await herdr.open('replayed');
    await herdr.call('workspace.close', { workspace_id });
    const late = await herdr.subscribe([{ type: 'pane.created' }, { type: 'workspace.closed' }]);
    await late.event('pane_created', (data) => JSON.stringify(data).includes(`"${pane_id}"`));
    await late.event('workspace_closed', (data) => data['workspace_id'] === workspace_id);
    expect(new Set(late.events.map((pushed) => pushed.event))).toEqual(new Set(['pane_created', 'workspace_closed']));
    late.close();
  });

  it('are kept 512 long for all kinds together', async ({ skip }) => {
    if (theirs(herdr, 'throttled-replay')) skip();
    const { workspace_id } = await herdr.open('ring');
    for (let round = 0; round < 520; round++)
      await herdr.call('workspace.rename', { workspace_id, label: `r${round}` });
    const late = await herdr.subscribe([{ type: 'workspace.renamed' }, { type: 'workspace.created' }]);
    await late.event('workspace_renamed', (data) => data['label'] === 'r519');
    expect(late.events.length).toBeLessThanOrEqual(512);
    expect(late.events.some((pushed) => pushed.event === 'workspace_created')).toBe(false);
    late.close();
  });

  it('tell of a new title without its spinner, once, and move the revision', async () => {
    const { pane_id } = await herdr.open('titles');
    const events = await herdr.subscribe([{ type: 'pane.updated' }]);
    const before = (await herdr.call('pane.get', { pane_id })).pane.revision;
    await herdr.run(
      pane_id,
      `printf '\\033]0;\\342\\240\\213 Fix rounding\\007'; sleep 0.3; printf '\\033]0;\\342\\240\\231 Fix rounding\\007'; echo ti''tled`,
      'titled\n',
    );
    await events.event('pane_updated', (data) =>
      JSON.stringify(data).includes('"terminal_title_stripped":"Fix rounding"'),
    );
    const { pane } = await herdr.call('pane.get', { pane_id });
    expect(pane.terminal_title).toBe('⠙ Fix rounding');
    expect(pane.terminal_title_stripped).toBe('Fix rounding');
    expect(pane.revision).toBe(before + 1);
    events.close();
  });
});

describe('per-pane events', () => {
  it('come with a dot and without a type: output, once per appearance', async () => {
    verifies('embedded.events');
    const { pane_id } = await herdr.open('output');
    const match = { type: 'regex', value: '^mark \\d+$' } as const;
    const events = await herdr.subscribe([{ type: 'pane.output_matched', pane_id, source: 'visible', match }]);
    await herdr.run(pane_id, `clear; echo ma''rk 1; sleep 0.5; echo ma''rk 2; sleep 0.5; echo e''nd`, 'end\n');
    const first = await events.event('pane.output_matched');
    expect(first.data).toMatchObject({ pane_id, matched_line: 'mark 1' });
    expect(first.data['type']).toBeUndefined();
    expect(events.events).toHaveLength(1);
    await herdr.run(pane_id, `clear; sleep 0.6; echo ma''rk 3; echo e''nd3`, 'end3\n');
    await events.event('pane.output_matched', (data) => data['matched_line'] === 'mark 3');
    events.close();
  });

  it('follow the scrollback', async () => {
    const { pane_id } = await herdr.open('scroll');
    const events = await herdr.subscribe([{ type: 'pane.scroll_changed', pane_id }]);
    await herdr.run(pane_id, `seq 1 100; echo sc''rolled`, 'scrolled\n');
    const pushed = await events.event('pane.scroll_changed');
    expect(pushed.data).toMatchObject({ pane_id });
    events.close();
  });

  it('fail as a whole for a pane that does not exist or a pattern that is none', async () => {
    verifies('embedded.refusals');
    const { pane_id } = await herdr.open('failing');
    const created = { type: 'pane.created' };
    const visible = { source: 'visible', type: 'pane.output_matched' };
    const attempt = (subscription: object) =>
      herdr.refusal('events.subscribe', { subscriptions: [created, subscription] });
    expect(await attempt({ type: 'pane.agent_status_changed', pane_id: 'w9:p9' })).toBe('pane_not_found');
    expect(await attempt({ ...visible, pane_id: 'w9:p9', match: { type: 'substring', value: 'x' } })).toBe(
      'internal_error',
    );
    expect(await attempt({ ...visible, pane_id, match: { type: 'regex', value: '(' } })).toBe('invalid_regex');
  });

  it('go quiet when their pane is closed, and the connection stays', async () => {
    const { pane_id } = await herdr.open('quiet');
    const events = await herdr.subscribe([
      { type: 'pane.agent_status_changed', pane_id },
      { type: 'workspace.renamed' },
    ]);
    await herdr.call('pane.close', { pane_id });
    const other = await herdr.open('after');
    await herdr.call('workspace.rename', { workspace_id: other.workspace_id, label: 'still told' });
    await events.event('workspace_renamed', (data) => data['label'] === 'still told');
    events.close();
  });
});

describe('events.wait', () => {
  it('knows one kind, and refuses the others', async () => {
    const { pane_id } = await herdr.open('wait');
    const wait = (match_event: object, timeout_ms = 300) => herdr.refusal('events.wait', { match_event, timeout_ms });
    expect(await wait({ event: 'pane_closed', pane_id })).toBe('unsupported_event_wait_match');
    const working = { event: 'pane_agent_status_changed', pane_id, agent_status: 'working' };
    expect(await wait(working)).toBe('timeout');
    expect(await wait({ ...working, pane_id: 'w9:p9' })).toBe('pane_not_found');
    const matched = herdr.send('events.wait', { match_event: working, timeout_ms: 40_000 });
    await herdr.call('pane.report_agent', { pane_id, source: 'custom:t', agent: 'homemade', state: 'working' });
    expect(await matched).toMatchObject({
      type: 'wait_matched',
      event: {
        event: 'pane_agent_status_changed',
        data: { type: 'pane_agent_status_changed', pane_id, agent_status: 'working' },
      },
    });
    await hasStatus(herdr, pane_id, ['working']);
    await until(
      'an immediate match',
      async () => (await herdr.send('events.wait', { match_event: working })).type === 'wait_matched',
    );
  });
});
