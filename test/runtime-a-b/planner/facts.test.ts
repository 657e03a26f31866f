import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { answers } from '../semantic/provider.ts';
import { DEVICE } from '../support/index.ts';
import { type Desk, openDesk } from './desk.ts';

type Json = Record<string, unknown>;
let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.close());

/** A `gh` that answers from files in the folder of what was seen, and writes down what it was asked. */
const GH = `
echo "$@" >> $SEEN_FOLDER/gh-asked
for last; do :; done
case "$last" in
  */branches/main) cat $SEEN_FOLDER/gh-branch ;;
  *state=open*) cat $SEEN_FOLDER/gh-open ;;
  *pulls\\?*) echo '[{"number":7}]' ;;
  */pulls/7) cat $SEEN_FOLDER/gh-pull ;;
  */check-runs*) cat $SEEN_FOLDER/gh-checks ;;
  *) echo "gh: Not Found (HTTP 404)" >&2; exit 1 ;;
esac`;
const answer = (name: string, value: unknown) =>
  writeFileSync(join(desk.home, '..', 'seen', `gh-${name}`), JSON.stringify(value));
const sha = () => desk.git('rev-parse', 'HEAD').trim();

describe('github.status', () => {
  it('without gh says that GitHub is not known, and with one gives pull request, checks and a fingerprint', async () => {
    verifies('runtime.github');
    desk.git('remote', 'add', 'origin', 'git@github.com:acme/shop.git');
    const params = { project_root: desk.repo };
    expect(await desk.method('herdr_mcp.github.status', params)).toMatchObject({
      ok: false,
      code: 'github_unavailable',
      reason: 'gh_not_installed',
    });
    desk.program('gh', GH);
    const pull = {
      number: 7,
      title: 'T',
      state: 'open',
      draft: false,
      head: { ref: 'main', sha: 'abc' },
      auto_merge: { merge_method: 'squash' },
      body: 'x'.repeat(9000),
    };
    answer('pull', pull);
    const runs = [
      { name: 'lint', status: 'completed', conclusion: 'success' },
      { name: 'unit', status: 'completed', conclusion: 'failure' },
      { name: 'e2e', status: 'in_progress', conclusion: null },
    ];
    answer('checks', { total_count: 3, check_runs: runs });
    const first = await desk.method('herdr_mcp.github.status', params);
    expect(first).toMatchObject({
      ok: true,
      source: 'local_gh_api',
      cache_policy: 'bypass_connector_cache',
      repository: 'acme/shop',
      branch: 'main',
      changed: true,
      pr: { number: 7, state: 'open', auto_merge: { method: 'squash' } },
      checks: { total: 3, counts: { success: 1, failure: 1, in_progress: 1 }, truncated: false },
    });
    expect((first.checks as { runs: { name: string }[] }).runs.map(({ name }) => name)).toEqual([
      'unit',
      'e2e',
      'lint',
    ]);
    const again = { ...params, previous_fingerprint: first.fingerprint };
    const same = await desk.method('herdr_mcp.github.status', { ...again, wait_ms: 1 });
    expect(same).toMatchObject({ changed: false, fingerprint: first.fingerprint });
    expect(same).not.toHaveProperty('pr');
    const waiting = desk.method('herdr_mcp.github.status', { ...again, wait_ms: 20_000 });
    answer('checks', { total_count: 1, check_runs: [runs[0]] });
    expect(await waiting).toMatchObject({ changed: true, checks: { total: 1 } });
    expect(desk.seen('gh-asked')).not.toMatch(/POST|PUT|PATCH|DELETE/);
  });

  it('refuses a wait without a fingerprint, a made-up repository and a root that is none', async () => {
    const params = { project_root: desk.repo };
    for (const more of [{ wait_ms: 10 }, { repository: '--help' }, { repository: 'a/b/../c' }, { extra: 1 }]) {
      expect(await desk.method('herdr_mcp.github.status', { ...params, ...more })).toMatchObject({
        code: 'invalid_params',
      });
    }
    expect(await desk.method('herdr_mcp.github.status', { project_root: '/etc' })).toMatchObject({
      code: 'outside_managed_roots',
    });
  });
});

describe('cleanup.preview', () => {
  it('judges worktrees and branches from evidence, deletes nothing, and advice changes no flag', async () => {
    verifies('runtime.cleanup', 'tasks.advice');
    desk.program('gh', GH);
    desk.git('update-ref', 'refs/remotes/origin/main', sha());
    answer('branch', { commit: { sha: sha() } });
    answer('open', [{ head: { ref: 'reviewed' } }]);
    const at = (name: string) => join(desk.home, name);
    for (const name of ['merged', 'dirty', 'reviewed']) desk.git('worktree', 'add', '-q', '-b', name, at(name));
    writeFileSync(join(at('dirty'), 'new.txt'), 'x');
    desk.git('branch', 'old');
    desk.git('branch', 'unmerged');
    desk.git('worktree', 'add', '-q', at('ahead'), 'unmerged');
    writeFileSync(join(at('ahead'), 'b.txt'), 'x');
    desk.git('-C', at('ahead'), 'add', '.');
    desk.git('-C', at('ahead'), 'commit', '-qm', 'own');
    const ask = (more: Json = {}) => desk.method('herdr_mcp.cleanup.preview', { project_root: desk.repo, ...more });
    const preview = await ask();
    expect(preview).toMatchObject({ ok: true, read_only: true, target: { ref: 'origin/main', fresh: true } });
    const reasons = (answered: Json, list: string, key: string) =>
      Object.fromEntries((answered[list] as Json[]).map((one) => [String(one[key]).split('/').at(-1), one.reasons]));
    expect(reasons(preview, 'worktrees', 'path')).toEqual({
      repo: ['primary_worktree', 'workspace_present', 'agent_present'],
      merged: [],
      dirty: ['worktree_dirty'],
      reviewed: ['open_pr_reference'],
      ahead: ['not_reachable_from_target'],
    });
    expect(reasons(preview, 'branches', 'name')).toMatchObject({
      main: ['target_branch', 'checked_out_in_worktree'],
      old: [],
    });
    desk.routes(desk.providers.route('judge'));
    desk.providers.at('judge', answers(1));
    const advised = await desk.advised('herdr_mcp.cleanup.preview', { project_root: desk.repo, advisory: true });
    expect(advised).toMatchObject({ advice: { used: true, advisory_only: true } });
    expect(advised.worktrees).toEqual(preview.worktrees);
    expect(advised.branches).toEqual(preview.branches);
    answer('branch', { commit: { sha: 'f'.repeat(40) } });
    expect(reasons(await ask(), 'worktrees', 'path')).toMatchObject({ merged: ['target_ref_not_fresh'] });
    desk.program('gh', 'exit 4');
    const blind = await ask();
    expect(blind).toMatchObject({ github: { unavailable: 'gh_failed' } });
    expect((blind.worktrees as { safe_to_delete: boolean }[]).some((one) => one.safe_to_delete)).toBe(false);
    for (const name of ['merged', 'dirty', 'reviewed', 'ahead']) expect(existsSync(at(name))).toBe(true);
  });

  it('takes no option for a target', async () => {
    const params = { project_root: desk.repo, target_ref: '--exec=touch' };
    expect(await desk.method('herdr_mcp.cleanup.preview', params)).toMatchObject({ code: 'invalid_params' });
  });
});

describe('text.read and text.write', () => {
  const digest = (text: string) => createHash('sha256').update(text).digest('hex');
  const write = (path: string, content: string, more: Json = {}) =>
    desk.method('herdr_mcp.text.write', { device: 'local', path, content, sha256: digest(content), ...more });
  const read = (path: string, more: Json = {}) =>
    desk.method('herdr_mcp.text.read', { device: 'local', path, ...more });
  // The envelope of these tests names this device.
  const here = { device: DEVICE };

  it('writes a note, reads it back, keeps the old one when it is replaced', async () => {
    const note = join(desk.home, 'notes', 'plan.md');
    mkdirSync(join(desk.home, 'notes'));
    expect(await write(note, 'one\n', here)).toMatchObject({ ok: true, created: true, bytes: 4 });
    expect(statSync(note).mode & 0o777).toBe(0o600);
    expect(await read(note, here)).toMatchObject({ ok: true, content: 'one\n', sha256: `sha256:${digest('one\n')}` });
    expect(await write(note, 'two\n', here)).toMatchObject({ code: 'overwrite_confirmation_required' });
    // What the system refused touched nothing, and says so: its key is free for the next try.
    const unnameable = join(desk.home, 'notes', `${'n'.repeat(250)}.markdown`);
    expect(await write(unnameable, 'x\n', here)).toMatchObject({ code: 'write_failed', delivery: 'not_delivered' });
    const replaced = await write(note, 'two\n', { ...here, overwrite: true });
    expect(replaced).toMatchObject({ ok: true, created: false });
    expect(readFileSync(String(replaced.backup), 'utf8')).toBe('one\n');
    await write(note, 'three\n', { ...here, overwrite: true, backup: false });
    expect(readdirSync(join(desk.home, 'notes'))).toHaveLength(2);
  });

  it('touches nothing that is a secret, a link, a project’s, ours, elsewhere, binary, damaged or on no named device', async () => {
    verifies('runtime.home-text', 'roots.secrets', 'roots.boundary');
    const at = (name: string) => join(desk.home, name);
    const outside = join(desk.home, '..', 'outside.txt');
    writeFileSync(outside, 'outside\n');
    symlinkSync(outside, at('link.txt'));
    symlinkSync(join(desk.home, '..'), at('up'));
    writeFileSync(at('bin.dat'), Buffer.from([0xff, 0, 1]));
    writeFileSync(at('keys.txt'), 'my key: ghp_abcdefghijklmnopqrstuvwxyz0123456789\n');
    const cases: [string, Json, string][] = [
      [at('x.txt'), { device: 'dev_other' }, 'device_required'],
      ['/etc/hosts', here, 'outside_managed_roots'],
      [desk.home, here, 'outside_managed_roots'],
      [at('.ssh/id_ed25519'), here, 'parent_not_found'],
      [at('my-token.txt'), here, 'secret_path_denied'],
      [at('link.txt'), here, 'symlink_escape'],
      [at('up/outside.txt'), here, 'symlink_escape'],
      [join(desk.repo, 'a.txt'), here, 'invalid_params'],
      [at('absent/x.txt'), here, 'parent_not_found'],
    ];
    for (const [path, more, code] of cases) {
      expect(await read(path, more), `${path} ${code}`).toMatchObject({ ok: false, code });
      expect(await write(path, 'x\n', { ...more, overwrite: true }), `${path} ${code}`).toMatchObject({
        ok: false,
        code,
      });
    }
    expect(await read(at('bin.dat'), here)).toMatchObject({ code: 'binary_file' });
    expect(await read(at('keys.txt'), here)).toMatchObject({ code: 'secret_path_denied' });
    expect(await write(at('y.txt'), 'api_key = "abcdefgh12345"\n', here)).toMatchObject({ code: 'secret_path_denied' });
    expect(await write(at('y.txt'), 'x', { ...here, sha256: digest('y') })).toMatchObject({ code: 'invalid_params' });
    expect(await write(at('y.txt'), 'x'.repeat(300_000), here)).toMatchObject({ code: 'invalid_params' });
    expect(existsSync(at('y.txt'))).toBe(false);
    expect(readFileSync(outside, 'utf8')).toBe('outside\n');
  });
});
