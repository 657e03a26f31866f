import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attentionRequest, type Child, readAttention } from '../../../runtime-a-b/advice/attention.ts';
import { orderChecks, projectChecks } from '../../../runtime-a-b/advice/checks.ts';
import { type PlanningGiven, suggest } from '../../../runtime-a-b/advice/planning.ts';
import { entryBefore, statusEntries } from '../../../runtime-a-b/advice/projection.ts';
import { quotable } from '../../../runtime-a-b/advice/shorten.ts';
import { parseWorktrees } from '../../../runtime-a-b/cleanup/look.ts';
import { branchReasons, verdict, type WorktreeFacts, worktreeReasons } from '../../../runtime-a-b/cleanup/reasons.ts';
import { repositoryIn } from '../../../runtime-a-b/github/gh.ts';
import { verifies } from '../../verifies.ts';

const child = (id: string, terminal_state?: string): Child => ({
  id,
  recent_text: 'x',
  ...(terminal_state ? { terminal_state } : {}),
});
const choice = (key: string, confidence?: number) => ({
  type: 'choice' as const,
  choice: key,
  ...(confidence === undefined ? {} : { confidence }),
});

describe('attention', () => {
  it.each([
    ['completed', 'verify_completion', 0.9, 'verify_completion'],
    ['running', 'continue_unobserved', 0.9, 'continue_unobserved'],
    ['running', 'verify_completion', 0.99, 'unclear'],
    ['completed', 'continue_unobserved', 0.99, 'unclear'],
    ['failed', 'continue_unobserved', 0.99, 'unclear'],
    ['failed', 'investigate_drift', 0.6, 'investigate_drift'],
    ['blocked', 'needs_human', 0.49, 'unclear'],
    ['blocked', 'needs_human', undefined, 'needs_human'],
    ['awaiting_activity', 'blocked_external', 0.8, 'blocked_external'],
    ['completed', 'made_up', 0.9, 'unclear'],
    [undefined, 'verify_completion', 0.9, 'verify_completion'],
  ] as const)('a task that is %s and scored %s (%s) is %s', (lifecycle, scored, confidence, state) => {
    verifies('tasks.advice');
    const { assessments } = readAttention([child('child_1', lifecycle)], { child_1: choice(scored, confidence) });
    expect(assessments).toEqual([{ id: 'child_1', state, confidence: confidence ?? null }]);
  });

  it('ranks every child exactly once, what is left out last', () => {
    const children = ['child_1', 'child_2', 'child_3'].map((id) => child(id, 'completed'));
    const told = { child_1: choice('verify_completion'), child_3: choice('needs_human'), next: choice('child_1') };
    expect(readAttention(children, told).ranking).toEqual(['child_1', 'child_3', 'child_2']);
    expect(attentionRequest(children.slice(0, 1)).questions).not.toHaveProperty('next');
  });

  it('quotes any screen within its bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), fc.integer({ min: 16, max: 300 }), (text, bytes) => {
        const kept = quotable(text, bytes);
        expect(Buffer.byteLength(JSON.stringify(kept))).toBeLessThanOrEqual(bytes);
      }),
    );
  });
});

describe('checks', () => {
  it('an order of checks is always the same checks', () => {
    verifies('tasks.advice');
    fc.assert(
      fc.property(
        fc.array(fc.string()),
        fc.array(fc.tuple(fc.nat(40), fc.double({ noNaN: true }))),
        (checks, scores) => {
          expect(orderChecks(checks, new Map(scores)).sort()).toEqual([...checks].sort());
        },
      ),
    );
  });

  it.each([
    [{ 'package.json': '{"scripts":{"test":"x","build":"x","deploy":"x"}}' }, ['npm test', 'npm run build']],
    [{ 'package.json': 'not json', Makefile: 'test:\n\tgo\nlint := x\ncheck: test\n' }, ['make check', 'make test']],
    [{ 'Cargo.toml': '' }, ['cargo check', 'cargo test']],
    [{ 'pyproject.toml': '[tool.pytest.ini_options]' }, ['pytest']],
    [{}, []],
  ])('of %j are %j', (files, checks) => expect(projectChecks(files)).toEqual(checks));
});

it.each<[PlanningGiven, string, number]>([
  [{}, 'no_suggestion', 1],
  [{ task_text: 't' }, 'delegate_one', 1],
  [{ deterministic_tool: true, independent_units: 9, ownership_isolated: true }, 'use_tool_directly', 1],
  [{ independent_units: 3, ownership_isolated: true }, 'delegate_lanes', 3],
  [{ independent_units: 3 }, 'delegate_one', 1],
  [{ independent_units: 3, ownership_isolated: true, shared_runtime_state: true }, 'delegate_one', 1],
  [{ independent_units: 3, ownership_isolated: true, delegates_other_workers: true }, 'delegate_one', 1],
  [{ deterministic_tool: true, destructive_production_mutation: true }, 'ask_person', 1],
])('a plan %j is %s in %i lanes', (given, suggestion, lanes) => {
  expect(suggest(given, {})).toMatchObject({ suggestion, lanes });
});

describe('the base of a projection', () => {
  const log = 'ccc\tHEAD@{300}\nbbb\tHEAD@{200}\naaa\tHEAD@{100}\n';
  it.each([
    [350, 'ccc'],
    [300, 'ccc'],
    [299, 'bbb'],
    [100, 'aaa'],
    [99, undefined],
  ])('at %i s is %s', (at, commit) => expect(entryBefore(log, at)).toBe(commit));

  it('reads renames, and names that look like records', () => {
    expect(statusEntries('R  new.ts\0old.ts\0?? ?? odd\0 M b\0')).toEqual([
      { code: 'R ', path: 'new.ts' },
      { code: '??', path: '?? odd' },
      { code: ' M', path: 'b' },
    ]);
  });
});

describe('cleanup', () => {
  const clean: WorktreeFacts = {
    path: '/w',
    head: 'c',
    branch: 'done',
    primary: false,
    bare: false,
    locked: false,
    prunable: false,
    dirty: false,
    reachable: true,
    workspaces: [],
    agents: [],
  };
  const target = { ref: 'origin/main', commit: 'tip' };
  const hub = { targetCommit: 'tip', openHeads: [] as string[] };

  it.each<[string, Partial<WorktreeFacts>, typeof hub | undefined, string[]]>([
    ['nothing', {}, hub, []],
    ['the main checkout', { primary: true }, hub, ['primary_worktree']],
    ['a bare one', { bare: true }, hub, ['bare_worktree']],
    ['a lock', { locked: true }, hub, ['worktree_locked']],
    ['a prunable one', { prunable: true }, hub, ['worktree_prunable']],
    ['changes', { dirty: true }, hub, ['worktree_dirty']],
    ['no status', { dirty: undefined }, hub, ['worktree_status_unavailable']],
    ['commits of its own', { reachable: false }, hub, ['not_reachable_from_target']],
    ['no reachability', { reachable: undefined }, hub, ['reachability_unavailable']],
    ['no GitHub', {}, undefined, ['github_evidence_unavailable']],
    ['an old target', {}, { ...hub, targetCommit: 'newer' }, ['target_ref_not_fresh']],
    ['an open pull request', {}, { ...hub, openHeads: ['done'] }, ['open_pr_reference']],
    ['an unknown Herdr', { workspaces: undefined, agents: undefined }, hub, ['resource_evidence_unavailable']],
    ['a workspace', { workspaces: ['w1'] }, hub, ['workspace_present']],
    ['an agent', { agents: ['w1:p1'] }, hub, ['agent_present']],
  ])('a worktree with %s', (_, facts, known, reasons) => {
    verifies('tasks.advice');
    const found = worktreeReasons({ ...clean, ...facts }, target, known);
    expect(found).toEqual(reasons);
    expect(verdict(found).safe_to_delete).toBe(reasons.length === 0);
  });

  it('content is safe apart from who is there, and a branch has reasons of its own', () => {
    expect(verdict(['workspace_present', 'agent_present'])).toMatchObject({
      safe_to_delete: false,
      content_safe: true,
    });
    expect(verdict(['worktree_dirty'])).toMatchObject({ content_safe: false });
    const branch = { name: 'main', commit: 'c', isTarget: true, reachable: true, checkedOutIn: '/w' };
    expect(branchReasons(branch, target, hub)).toEqual(['target_branch', 'checked_out_in_worktree']);
    const old = { ...branch, name: 'x', isTarget: false, checkedOutIn: null };
    expect(branchReasons(old, target, { ...hub, targetCommit: 'newer' })).toEqual(['remote_ref_not_fresh']);
  });

  it('reads Git’s list of worktrees', () => {
    const output = 'worktree /a\0HEAD 1\0branch refs/heads/main\0\0worktree /b c\0HEAD 2\0detached\0locked why\0\0';
    expect(parseWorktrees(output)).toEqual([
      { path: '/a', head: '1', branch: 'main', bare: false, locked: false, prunable: false },
      { path: '/b c', head: '2', branch: null, bare: false, locked: true, prunable: false },
    ]);
  });
});

it.each([
  ['origin\tgit@github.com:o/r.git (fetch)', 'o/r'],
  ['up\thttps://github.com/a/b (fetch)\norigin\thttps://github.com/o/r.git (fetch)', 'o/r'],
  ['origin\tssh://git@github.com/o/r.name.git (push)', 'o/r.name'],
  ['origin\tgit@gitlab.com:o/r.git (fetch)', undefined],
  ['', undefined],
])('the repository of %j is %s', (remotes, repository) => expect(repositoryIn(remotes)).toBe(repository));
