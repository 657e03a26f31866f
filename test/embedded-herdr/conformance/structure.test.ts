import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { theirs, until } from '../harness/index.ts';
import { herdr } from './herdr.ts';

beforeEach(async () => {
  for (const { workspace_id } of (await herdr.call('workspace.list', {})).workspaces) {
    await herdr.call('workspace.close', { workspace_id });
  }
});

describe('a fresh server', () => {
  it('has no workspace and no focus', async () => {
    const { snapshot } = await herdr.call('session.snapshot', {});
    expect(snapshot).toMatchObject({ workspaces: [], tabs: [], panes: [], layouts: [], agents: [] });
    expect(snapshot.focused_pane_id).toBeUndefined();
    expect(await herdr.refusal('pane.current', {})).toBe('pane_not_found');
  });
});

describe('a workspace', () => {
  it('is created with one tab and one shell in the given directory', async () => {
    verifies('embedded.protocol');
    const made = await herdr.call('workspace.create', { cwd: herdr.work, label: 'billing' });
    const { workspace, tab, root_pane } = made;
    expect(workspace.workspace_id).toMatch(/^w[1-9A-HJKMNP-TV-Z0]+$/);
    expect(tab.tab_id).toBe(`${workspace.workspace_id}:t1`);
    expect(root_pane.pane_id).toBe(`${workspace.workspace_id}:p1`);
    expect(root_pane.terminal_id).toMatch(/^term_[0-9a-f]+$/);
    expect(workspace).toMatchObject({
      label: 'billing',
      number: 1,
      pane_count: 1,
      tab_count: 1,
      agent_status: 'unknown',
    });
    expect(tab).toMatchObject({ label: '1', number: 1, pane_count: 1 });
    expect(root_pane.cwd).toBe(herdr.work);
    const read = await until('the shell directory', async () => {
      const { pane } = await herdr.call('pane.get', { pane_id: root_pane.pane_id });
      return pane.foreground_cwd === herdr.work;
    });
    expect(read).toBe(true);
  });

  it('becomes active without being asked when it is the first, and not when it is the second', async () => {
    const first = await herdr.call('workspace.create', { cwd: herdr.work });
    const second = await herdr.call('workspace.create', { cwd: herdr.work });
    expect(first.workspace.focused).toBe(true);
    expect(second.workspace.focused).toBe(false);
    expect(second.workspace.workspace_id).not.toBe(first.workspace.workspace_id);
    const third = await herdr.call('workspace.create', { cwd: herdr.work, focus: true });
    const { snapshot } = await herdr.call('session.snapshot', {});
    expect(snapshot.focused_workspace_id).toBe(third.workspace.workspace_id);
    expect(snapshot.focused_tab_id).toBe(third.tab.tab_id);
    expect(snapshot.focused_pane_id).toBe(third.root_pane.pane_id);
  });

  it('is called after its directory when it has no label, and keeps an id that is never used again', async () => {
    const folder = join(herdr.work, 'night-shift');
    mkdirSync(folder, { recursive: true });
    const { workspace } = await herdr.call('workspace.create', { cwd: folder });
    expect(workspace.label).toBe('night-shift');
    await herdr.call('workspace.close', { workspace_id: workspace.workspace_id });
    const next = await herdr.call('workspace.create', { cwd: folder });
    expect(next.workspace.workspace_id).not.toBe(workspace.workspace_id);
  });

  it('is renamed, also to nothing, and closed with its processes', async () => {
    const pane = await herdr.open('x');
    const { workspace_id } = pane;
    const { workspace } = await herdr.call('workspace.rename', { workspace_id, label: 'renamed' });
    expect(workspace.label).toBe('renamed');
    expect((await herdr.call('workspace.rename', { workspace_id, label: '' })).workspace.label).toBe('');
    const { process_info } = await herdr.call('pane.process_info', { pane_id: pane.pane_id });
    const pid = process_info.shell_pid ?? 0;
    expect(pid).toBeGreaterThan(1);
    await herdr.call('workspace.close', { workspace_id });
    expect(await herdr.refusal('workspace.get', { workspace_id })).toBe('workspace_not_found');
    await until('the end of the shell', () => !existsSync(`/proc/${pid}`));
  });

  it('is refused for a directory that does not exist, or variables that no process can have', async () => {
    verifies('embedded.refusals');
    const missing = join(herdr.work, 'missing');
    if (theirs(herdr, 'missing-cwd')) {
      const { workspace } = await herdr.call('workspace.create', { cwd: missing });
      await herdr.call('workspace.close', { workspace_id: workspace.workspace_id });
    } else expect(await herdr.refusal('workspace.create', { cwd: missing })).toBe('workspace_create_failed');
    expect(await herdr.refusal('workspace.create', { cwd: herdr.work, env: { 'A=B': 'x' } })).toBe('invalid_env');
    expect(await herdr.refusal('workspace.create', { cwd: herdr.work, env: { '': 'x' } })).toBe('invalid_env');
    expect(await herdr.refusal('workspace.create', { cwd: herdr.work, env: { A: 'x\0y' } })).toBe('invalid_env');
    expect((await herdr.call('workspace.list', {})).workspaces).toEqual([]);
  });
});

describe('tabs', () => {
  it('are created, listed, renamed, focused and closed; the workspace goes with the last', async () => {
    const { workspace_id, tab_id: first } = await herdr.open('tabs');
    const made = await herdr.call('tab.create', { workspace_id, label: 'logs', cwd: herdr.work });
    const { tab_id } = made.tab;
    expect(tab_id).toBe(`${workspace_id}:t2`);
    expect(made.tab).toMatchObject({ label: 'logs', focused: false });
    expect(made.root_pane.pane_id).toBe(`${workspace_id}:p2`);
    expect((await herdr.call('tab.list', { workspace_id })).tabs.map((tab) => tab.tab_id)).toEqual([first, tab_id]);
    expect((await herdr.call('tab.rename', { tab_id, label: 'trace' })).tab.label).toBe('trace');
    expect((await herdr.call('tab.focus', { tab_id })).tab.focused).toBe(true);
    expect((await herdr.call('workspace.get', { workspace_id })).workspace.active_tab_id).toBe(tab_id);
    await herdr.call('tab.close', { tab_id });
    expect(await herdr.refusal('tab.get', { tab_id })).toBe('tab_not_found');
    expect((await herdr.call('workspace.get', { workspace_id })).workspace.active_tab_id).toBe(first);
    const again = await herdr.call('tab.create', { workspace_id });
    expect(again.tab.tab_id).toBe(`${workspace_id}:t3`);
    await herdr.call('tab.close', { tab_id: again.tab.tab_id });
    if (theirs(herdr, 'last-tab-stays')) {
      expect(await herdr.refusal('tab.close', { tab_id: first })).toBe('tab_close_failed');
      return;
    }
    await herdr.call('tab.close', { tab_id: first });
    expect(await herdr.refusal('workspace.get', { workspace_id })).toBe('workspace_not_found');
  });
});

describe('panes', () => {
  it('are split, named, focused and closed; their neighbours get the room', async () => {
    const root = await herdr.open('panes');
    const right = await herdr.call('pane.split', { target_pane_id: root.pane_id, direction: 'right', ratio: 0.25 });
    const below = await herdr.call('pane.split', {
      target_pane_id: right.pane.pane_id,
      direction: 'down',
      focus: true,
    });
    const ids = [root.pane_id, right.pane.pane_id, below.pane.pane_id];
    const { panes } = await herdr.call('pane.list', { workspace_id: root.workspace_id });
    expect(panes.map((pane) => pane.pane_id)).toEqual(ids);
    expect(panes.filter((pane) => pane.focused).map((pane) => pane.pane_id)).toEqual([below.pane.pane_id]);
    expect((await herdr.call('pane.current', {})).pane.pane_id).toBe(below.pane.pane_id);

    const { layout } = await herdr.call('pane.layout', { pane_id: root.pane_id });
    expect(layout.panes.map((pane) => pane.pane_id).sort()).toEqual([...ids].sort());
    expect(layout.splits.map((split) => split.direction).sort()).toEqual(['down', 'right']);
    expect(layout.splits.find((split) => split.direction === 'right')?.ratio).toBeCloseTo(0.25, 2);

    const named = await herdr.call('pane.rename', { pane_id: right.pane.pane_id, label: 'tests' });
    expect(named.pane.label).toBe('tests');
    expect((await herdr.call('pane.rename', { pane_id: right.pane.pane_id })).pane.label).toBeUndefined();
    expect((await herdr.call('pane.focus', { pane_id: root.pane_id })).pane.focused).toBe(true);

    await herdr.call('pane.close', { pane_id: right.pane.pane_id });
    expect(await herdr.refusal('pane.get', { pane_id: right.pane.pane_id })).toBe('pane_not_found');
    expect((await herdr.call('workspace.get', { workspace_id: root.workspace_id })).workspace.pane_count).toBe(2);
    await herdr.call('pane.close', { pane_id: below.pane.pane_id });
    await herdr.call('pane.close', { pane_id: root.pane_id });
    expect((await herdr.call('workspace.list', {})).workspaces).toEqual([]);
  });

  it('go with their shell, and so do the tab and the workspace that they were the last of', async () => {
    const root = await herdr.open('exits');
    const { pane } = await herdr.call('pane.split', { target_pane_id: root.pane_id, direction: 'down' });
    await herdr.call('pane.send_input', { pane_id: pane.pane_id, text: 'exit 3', keys: ['enter'] });
    await until('one pane', async () => (await herdr.call('pane.list', {})).panes.length === 1);
    await herdr.call('pane.send_input', { pane_id: root.pane_id, text: 'exit', keys: ['enter'] });
    await until('no workspace', async () => (await herdr.call('workspace.list', {})).workspaces.length === 0);
  });

  it('start where the pane beside them stands, unless they are told another place', async () => {
    const folder = join(herdr.work, 'elsewhere');
    mkdirSync(folder, { recursive: true });
    const root = await herdr.open('cwd');
    await herdr.call('pane.send_input', { pane_id: root.pane_id, text: 'cd elsewhere', keys: ['enter'] });
    await until('the shell elsewhere', async () => {
      const { pane } = await herdr.call('pane.get', { pane_id: root.pane_id });
      return pane.cwd === folder;
    });
    await herdr.call('pane.focus', { pane_id: root.pane_id });
    const beside = await herdr.call('pane.split', { target_pane_id: root.pane_id, direction: 'right' });
    expect(beside.pane.cwd).toBe(folder);
    const told = await herdr.call('pane.split', { target_pane_id: root.pane_id, direction: 'right', cwd: herdr.work });
    expect(told.pane.cwd).toBe(herdr.work);
  });

  it('that do not exist are refused by name in every method', async () => {
    verifies('embedded.refusals');
    const pane_id = 'w9:p9';
    const match = { type: 'substring', value: 'x' };
    const calls: [string, object][] = [
      ['pane.get', { pane_id }],
      ['pane.close', { pane_id }],
      ['pane.focus', { pane_id }],
      ['pane.rename', { pane_id, label: 'x' }],
      ['pane.layout', { pane_id }],
      ['pane.process_info', { pane_id }],
      ['pane.split', { target_pane_id: pane_id, direction: 'right' }],
      ['pane.read', { pane_id, source: 'visible' }],
      ['pane.send_text', { pane_id, text: 'x' }],
      ['pane.send_keys', { pane_id, keys: ['enter'] }],
      ['pane.send_input', { pane_id, text: 'x' }],
      ['pane.wait_for_output', { pane_id, source: 'visible', match }],
      ['pane.report_agent', { pane_id, source: 'custom:x', agent: 'x', state: 'idle' }],
      ['pane.report_metadata', { pane_id, source: 'custom:x' }],
      ['pane.clear_agent_authority', { pane_id }],
      ['pane.release_agent', { pane_id, source: 'custom:x', agent: 'x' }],
    ];
    for (const [method, params] of calls) {
      expect(`${method}: ${await herdr.refusal(method, params)}`).toBe(`${method}: pane_not_found`);
    }
    for (const method of ['tab.get', 'tab.focus', 'tab.close']) {
      expect(await herdr.refusal(method, { tab_id: 'w9:t9' })).toBe('tab_not_found');
    }
    for (const method of ['workspace.get', 'workspace.focus', 'workspace.close']) {
      expect(await herdr.refusal(method, { workspace_id: 'w9' })).toBe('workspace_not_found');
    }
    expect(await herdr.refusal('tab.create', { workspace_id: 'w9' })).toBe('workspace_not_found');
    expect(await herdr.refusal('pane.list', { workspace_id: 'w9' })).toBe('workspace_not_found');
    expect(await herdr.refusal('tab.list', { workspace_id: 'w9' })).toBe('workspace_not_found');
  });
});
