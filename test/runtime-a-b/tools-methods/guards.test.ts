import { describe, expect, it } from 'vitest';
import type { WorktreeInfo } from '../../../contract/herdr/index.ts';
import { actsIn, serverStop, workspaceClosing, worktreeRemoval } from '../../../runtime-a-b/tools/methods/guards.ts';
import { boundedResult } from '../../../runtime-a-b/tools/methods/result.ts';
import { verifies } from '../../verifies.ts';
import { pane, view, workspace } from '../support/index.ts';

const tree = (path: string, open: string | undefined, linked = true): WorktreeInfo => ({
  path,
  is_bare: false,
  is_detached: false,
  is_prunable: false,
  is_linked_worktree: linked,
  label: path,
  ...(open === undefined ? {} : { open_workspace_id: open }),
});
const family = (path: string, linked: boolean) => ({
  repo_key: '/r/.git',
  repo_name: 'shop',
  repo_root: '/r',
  checkout_path: path,
  is_linked_worktree: linked,
});

describe('removing a worktree', () => {
  const shop = view({
    workspaces: [workspace('w1', { label: 'shop' })],
    panes: [pane('w1:p1', { cwd: '/r/.wt/fix-tax' }), pane('w1:p2', { cwd: '/r' })],
  });
  const own = view({
    workspaces: [workspace('w2', { worktree: family('/r/.wt/fix-tax', true) })],
    panes: [pane('w2:p1', { cwd: '/r/.wt/fix-tax' }), pane('w2:p2', { cwd: '/r/.wt/fix-tax/src' })],
  });

  it('is refused when it would close the workspace of the repository, with the panes that would die', () => {
    verifies('runtime.methods');
    const refusal = worktreeRemoval(shop, 'w1', [tree('/r', undefined, false), tree('/r/.wt/fix-tax', 'w1')]);
    expect(refusal).toMatchObject({
      code: 'confirmation_required',
      delivery: 'not_delivered',
      details: { workspace: 'w1', panes_that_would_close: [{ pane: 'w1:p2', cwd: '/r' }] },
    });
  });

  it('is passed on when every pane lives in the checkout that is meant', () => {
    expect(worktreeRemoval(own, 'w2', [tree('/r', 'w1', false), tree('/r/.wt/fix-tax', 'w2')])).toBeUndefined();
  });

  it.each<[string, ReturnType<typeof view>, string, WorktreeInfo[]]>([
    ['the list of worktrees is not known', own, 'w2', []],
    ['two checkouts name the same workspace', own, 'w2', [tree('/r/.wt/fix-tax', 'w2'), tree('/r/.wt/b', 'w2')]],
    ['the checkout is the main one', own, 'w2', [tree('/r', 'w2', false)]],
    ['the checkout is another than the workspace’s', own, 'w2', [tree('/r/.wt/other', 'w2')]],
    ['the workspace is not open', own, 'w9', [tree('/r/.wt/fix-tax', 'w9')]],
    ['Herdr does not answer now', { ...own, state: 'stale' }, 'w2', [tree('/r/.wt/fix-tax', 'w2')]],
    [
      'a pane’s directory is not known',
      { ...own, panes: [...own.panes, pane('w2:p3')] },
      'w2',
      [tree('/r/.wt/fix-tax', 'w2')],
    ],
    [
      'a pane only has a name that begins alike',
      { ...own, panes: [pane('w2:p1', { cwd: '/r/.wt/fix-tax-2' })] },
      'w2',
      [tree('/r/.wt/fix-tax', 'w2')],
    ],
  ])('is refused when %s', (_, picture, id, trees) => {
    expect(worktreeRemoval(picture, id, trees)?.code).toBe('confirmation_required');
  });
});

describe('closing a workspace', () => {
  const picture = view({
    workspaces: [
      workspace('w1', { worktree: family('/r', false) }),
      workspace('w2', { worktree: family('/r/.wt/a', true) }),
      workspace('w3'),
    ],
  });

  it('of a main checkout is refused while those of its worktrees would go with it', () => {
    expect(workspaceClosing(picture, 'w1')).toMatchObject({
      code: 'confirmation_required',
      details: { would_close: [{ id: 'w2' }] },
    });
  });

  it.each(['w2', 'w3', 'w9'])('%s is passed on', (id) => {
    expect(workspaceClosing(picture, id)).toBeUndefined();
  });
});

describe('the place of a method, for the owner’s write roots', () => {
  const picture = view({
    workspaces: [
      workspace('w1', {
        worktree: {
          checkout_path: '/r/.wt/fix',
          is_linked_worktree: true,
          repo_key: 'r',
          repo_name: 'r',
          repo_root: '/r',
        },
      }),
      workspace('w2'),
    ],
    panes: [pane('w1:p1', { cwd: '/a' }), pane('w1:p2', { cwd: '/a', agent: 'claude' }), pane('w1:p3')],
  });
  it.each([
    ['pane.send_text', { pane_id: 'w1:p1', text: 'x' }, '/a'],
    ['pane.send_keys', { pane_id: 'w1:p1' }, '/a'],
    ['pane.send_input', { pane_id: 'w1:p1' }, '/a'],
    ['agent.start', { pane_id: 'w1:p1' }, '/a'],
    ['pane.send_text', { pane_id: 'w1:p3' }, ''],
    ['pane.send_text', { pane_id: 'w1:p2' }, undefined],
    ['pane.send_text', { pane_id: 'w9:p1' }, undefined],
    ['worktree.create', { path: '/b/c' }, '/b/c'],
    ['worktree.create', { branch: 'x' }, ''],
    ['worktree.remove', { workspace_id: 'w1' }, '/r/.wt/fix'],
    ['worktree.remove', { workspace_id: 'w2' }, ''],
    ['agent.prompt', { target: 'x' }, undefined],
    ['pane.close', { pane_id: 'w1:p1' }, undefined],
    ['workspace.create', { cwd: '/a' }, undefined],
  ])('of %s %j is %j', (method, params, place) => {
    verifies('gates.write');
    expect(actsIn(method, params, picture)).toBe(place);
  });
});

describe('a result that is too long', () => {
  it('loses the first rows of a pane’s text and says so', () => {
    const rows = Array.from({ length: 20_000 }, (_, i) => `row ${i} "quoted" \\ ✳`).join('\n');
    const bounded = boundedResult({ type: 'pane_read', read: { pane_id: 'w1:p1', text: `${rows}\n` } });
    expect(JSON.stringify(bounded).length).toBeLessThan(100_000);
    const { text } = (bounded.result as { read: { text: string } }).read;
    expect(text.endsWith('row 19999 "quoted" \\ ✳\n')).toBe(true);
    expect(text).toMatch(/^row \d+ "quoted"/);
    expect(bounded).toMatchObject({ truncated: true, cut: expect.stringContaining('characters') });
  });

  it('is replaced by its type when nothing of it can be cut', () => {
    const agents = Array.from({ length: 5_000 }, (_, i) => ({ pane_id: `w1:p${i}`, terminal_title: 'x'.repeat(40) }));
    expect(boundedResult({ type: 'agent_list', agents })).toMatchObject({
      result: { type: 'agent_list' },
      truncated: true,
    });
  });

  it('is given whole when it fits', () => {
    const result = { type: 'ok', text: 'x'.repeat(50_000) };
    expect(boundedResult(result)).toEqual({ result });
  });
});

describe('stopping Herdr', () => {
  const busy = view({ workspaces: [workspace('w1')], panes: [pane('w1:p1', { cwd: '/r' })] });
  const empty = view({ workspaces: [], panes: [] });

  it('is refused while panes would end with it, and names them', () => {
    verifies('runtime.methods');
    expect(serverStop(busy)).toMatchObject({
      code: 'confirmation_required',
      delivery: 'not_delivered',
      details: { panes_that_would_close: [{ pane: 'w1:p1', cwd: '/r' }] },
    });
  });

  it('is refused while nobody confirms that nothing is open, and passed on when nothing is', () => {
    expect(serverStop({ ...empty, state: 'stale' })?.code).toBe('confirmation_required');
    expect(serverStop(empty)).toBeUndefined();
  });
});
