/** What no caller should send and no workstation should be in, for every tool: a clear refusal, and nothing half-done. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { classify } from '../../../contract/call.ts';
import { TOOLS as catalog } from '../../../contract/catalog/index.ts';
import { OutcomeError } from '../../../contract/outcome.ts';
import { checkCall } from '../../../runtime-a-b/tools/check.ts';
import type { ToolHandlers } from '../../../runtime-a-b/tools/context.ts';
import { execTools } from '../../../runtime-a-b/tools/exec/index.ts';
import { fileTools } from '../../../runtime-a-b/tools/files/index.ts';
import { gitTools } from '../../../runtime-a-b/tools/git/index.ts';
import { verifies } from '../../verifies.ts';
import { place } from '../exec/support.ts';
import { git, liveView, repository, temporaryFolder } from '../roots/live-view.ts';
import { envelopeFor } from '../support/index.ts';
import { testTools } from './context.ts';

const handlers: ToolHandlers = { ...execTools, ...fileTools, ...gitTools };

function setUp(files: Record<string, string> = { 'a.txt': 'one\n' }, policy = {}) {
  const where = place();
  const root = repository(join(temporaryFolder(), 'r'), files);
  const tools = testTools(handlers, liveView([{ cwd: root }]), {
    exec: where.open(),
    stateDir: where.stateDir,
    policy,
  });
  const call = async (tool: string, args: Record<string, unknown>): Promise<Record<string, unknown>> => {
    try {
      const { body } = await tools.call(tool, args);
      const answer: Record<string, unknown> = { ok: true, ...body };
      if (typeof answer.session_id === 'string') where.track(answer.session_id);
      return answer;
    } catch (error) {
      if (!(error instanceof OutcomeError)) throw error;
      return { ok: false, code: error.code, message: error.message, delivery: error.delivery, next: error.next };
    }
  };
  return { root, call };
}

/** A call of each tool that would do something, in a root with `a.txt`. */
const calls = (root: string): [tool: string, args: Record<string, unknown>][] => [
  ['herdr_fs_read', { path: join(root, 'a.txt') }],
  ['herdr_fs_list', { path: root }],
  ['herdr_fs_grep', { root, pattern: 'one' }],
  ['herdr_fs_image', { path: join(root, 'a.png') }],
  ['herdr_git', { root, action: 'status' }],
  ['herdr_fs_edit', { path: join(root, 'a.txt'), old_string: 'one', new_string: 'two' }],
  ['herdr_fs_write', { path: join(root, 'b.txt'), content: 'new\n' }],
  ['herdr_fs_patch', { root, patch: '*** Begin Patch\n*** Add File: c.txt\n+x\n*** End Patch' }],
  ['herdr_exec', { workspace: 'w1', command: 'touch d.txt' }],
  ['herdr_exec_start', { root, command: 'touch e.txt' }],
];

describe.each(catalog.map((tool) => [tool.name, tool] as const))('the arguments of %s', (name, tool) => {
  const schema = tool.input as unknown as {
    properties: Record<string, { type?: string }>;
    required?: string[];
  };
  const wrong: Record<string, unknown> = {
    string: 7,
    integer: 'x',
    number: 'x',
    boolean: 'yes',
    array: {},
    object: [],
  };
  const refusal = (args: Record<string, unknown>): OutcomeError | undefined => {
    try {
      checkCall(envelopeFor(name, args, { class: classify(name, args) }), args);
      return undefined;
    } catch (error) {
      return error as OutcomeError;
    }
  };

  it('are refused by name when one is missing, unknown or of another type; no value is repeated', () => {
    verifies('runtime.bad-input');
    for (const missing of schema.required ?? []) expect(refusal({})?.message).toContain(`"${missing}"`);
    expect(refusal({ surprise: 'hunter2' })).toMatchObject({ code: 'invalid_params', delivery: 'not_delivered' });
    expect(refusal({ surprise: 'hunter2' })?.message).toContain('"surprise"');
    expect(refusal({ surprise: 'hunter2' })?.message).not.toContain('hunter2');
    for (const [property, { type = '' }] of Object.entries(schema.properties)) {
      for (const value of [wrong[type], null]) {
        const error = refusal({ [property]: value });
        expect(error?.code, `${property}: ${JSON.stringify(value)}`).toBe('invalid_params');
        expect(error?.delivery).toBe('not_delivered');
      }
    }
  });

  it('are refused where a text holds half of a character, which would be written as another one', () => {
    verifies('runtime.bad-input');
    for (const [property, { type = '' }] of Object.entries(schema.properties)) {
      for (const half of ['\ud800', 'a\udfffb']) {
        const value = { array: [half], object: { [half]: half } }[type] ?? half;
        const error = refusal({ [property]: value });
        expect(error, property).toMatchObject({ code: 'invalid_params', delivery: 'not_delivered' });
        expect(error?.message, property).toContain('half of a character');
      }
    }
  });
});

describe('a root that has vanished', () => {
  it('is refused by every tool, with a next step, and nothing is made in its place', async () => {
    verifies('runtime.bad-input');
    const { root, call } = setUp();
    expect(await call('herdr_fs_read', { path: join(root, 'a.txt') })).toMatchObject({ ok: true });
    rmSync(root, { recursive: true });
    for (const [tool, args] of calls(root)) {
      const answer = await call(tool, args);
      expect(answer, tool).toMatchObject({ ok: false, next: expect.stringMatching(/\w/) });
      expect(answer.code, tool).not.toBe('internal_error');
    }
    expect(existsSync(root)).toBe(false);
  });
});

describe('read-only mode', () => {
  it('refuses every tool that changes or runs something, and serves every other', async () => {
    verifies('runtime.bad-input', 'gates.write');
    const { root, call } = setUp(undefined, { readOnly: true });
    for (const [tool, args] of calls(root)) {
      const answer = await call(tool, args);
      if (classify(tool, args) === 'write') expect(answer, tool).toMatchObject({ ok: false, code: 'readonly_mode' });
      else expect(answer.code, tool).not.toBe('readonly_mode');
    }
    expect(readdirSync(root).sort()).toEqual(['.git', 'a.txt']);
  });
});

describe('a repository with a running rebase', () => {
  it('says so, shows the conflict, and changes a file of it only when told', async () => {
    verifies('runtime.bad-input');
    const { root, call } = setUp();
    git(root, 'checkout', '-q', '-b', 'side');
    writeFileSync(join(root, 'a.txt'), 'side\n');
    git(root, 'commit', '-qam', 'side');
    git(root, 'checkout', '-q', '-');
    writeFileSync(join(root, 'a.txt'), 'main\n');
    git(root, 'commit', '-qam', 'main');
    git(root, 'checkout', '-q', 'side');
    expect(spawnSync('git', ['rebase', '-q', '@{-1}'], { cwd: root }).status).not.toBe(0);
    const status = await call('herdr_git', { root, action: 'status' });
    expect(status).toMatchObject({ ok: true, output: expect.stringContaining('a.txt') });
    expect(JSON.stringify(status)).toContain('"rebase"');
    expect(await call('herdr_fs_read', { path: join(root, 'a.txt') })).toMatchObject({
      content: expect.stringContaining('<<<<<<<'),
    });
    const before = readFileSync(join(root, 'a.txt'), 'utf8');
    const edit = { path: join(root, 'a.txt'), old_string: '=======\n', new_string: '' };
    expect(await call('herdr_fs_edit', edit)).toMatchObject({ code: 'file_dirty_confirmation_required' });
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe(before);
    expect(await call('herdr_fs_edit', { ...edit, confirm_dirty: true })).toMatchObject({ ok: true });
    expect(existsSync(join(root, '.git', 'index.lock'))).toBe(false);
  });
});

describe('names that mean something elsewhere', () => {
  it.each(['-rf', 'new\nline', `q"u'o`, '🙂', '$(touch x)', 'a b', '*', '[x]', 'ä\u0301'])(
    '%j is a name and nothing else, for every tool',
    async (name) => {
      verifies('runtime.bad-input');
      const { root, call } = setUp({ 'a.txt': 'one\n', [name]: 'needle\n' });
      const path = join(root, name);
      expect(await call('herdr_fs_read', { path })).toMatchObject({ content: 'needle\n' });
      expect(await call('herdr_fs_grep', { root, pattern: 'needle' })).toMatchObject({ matches: [{ file: name }] });
      expect(await call('herdr_fs_edit', { path, old_string: 'needle', new_string: 'thread' })).toMatchObject({
        ok: true,
      });
      expect(await call('herdr_git', { root, action: 'diff', path: name })).toMatchObject({
        output: expect.stringContaining('+thread'),
      });
      expect(
        await call('herdr_exec', { workspace: 'w1', steps: [{ program: '/bin/cat', args: ['--', name] }] }),
      ).toMatchObject({ output: 'thread\n' });
      expect(readdirSync(root).sort()).toEqual(['.git', 'a.txt', name].sort());
    },
  );

  it('a name that is no UTF-8 is listed as far as it can be told, and keeps nobody from the others', async () => {
    verifies('runtime.bad-input');
    const { root, call } = setUp();
    writeFileSync(Buffer.concat([Buffer.from(`${root}/bad-`), Buffer.from([0xff, 0xfe])]), 'needle\n');
    const listed = await call('herdr_fs_list', { path: root });
    expect(listed).toMatchObject({ ok: true, count: 2 });
    expect(await call('herdr_git', { root, action: 'status' })).toMatchObject({ ok: true });
    expect(await call('herdr_fs_grep', { root, pattern: 'needle' })).toMatchObject({ ok: true });
  });
});

describe.runIf(process.getuid?.() === 0 && process.platform === 'linux')('a full disk', () => {
  it('runs no command, changes no file, and says so', async () => {
    verifies('runtime.bad-input');
    const disk = join(temporaryFolder(), 'disk');
    mkdirSync(disk);
    expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'none', disk]).status).toBe(0);
    onTestFinished(() => void spawnSync('umount', ['-l', disk]));
    const where = place();
    const root = repository(join(disk, 'r'), { 'a.txt': 'one\n' });
    const exec = where.open({ stateDir: join(disk, 's') });
    const tools = testTools(handlers, liveView([{ cwd: root }]), { exec, stateDir: join(disk, 's') });
    const fill = spawnSync('sh', ['-c', 'cat /dev/zero >"$0" 2>/dev/null; true', join(disk, 'filler')]);
    expect(fill.status).toBe(0);
    const codeOf = (tool: string, args: Record<string, unknown>) =>
      tools.call(tool, args).then(
        () => 'done',
        (error: OutcomeError) => `${error.code} ${error.delivery}${error.delivery ? '' : error.stack}`,
      );
    expect(await codeOf('herdr_exec', { workspace: 'w1', command: `echo ran >>${where.cwd}/ran` })).toBe(
      'disk_full not_delivered',
    );
    expect(existsSync(join(where.cwd, 'ran'))).toBe(false);
    const edit = { path: join(root, 'a.txt'), old_string: 'one', new_string: 'x'.repeat(100_000) };
    expect(await codeOf('herdr_fs_edit', edit)).toBe('disk_full not_delivered');
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('one\n');
    expect(readdirSync(root).sort()).toEqual(['.git', 'a.txt']);
    await exec.close();
  });

  it('that a command fills itself is that command’s trouble: its code and what it printed are told', async () => {
    verifies('runtime.bad-input', 'exec.truth');
    const disk = join(temporaryFolder(), 'disk');
    mkdirSync(disk);
    expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'none', disk]).status).toBe(0);
    onTestFinished(() => void spawnSync('umount', ['-l', disk]));
    const where = place();
    const root = repository(join(temporaryFolder(), 'r'), { 'a.txt': 'one\n' });
    const exec = where.open({ stateDir: join(disk, 's') });
    const tools = testTools(handlers, liveView([{ cwd: root }]), { exec, stateDir: join(disk, 's') });
    const command = 'echo begin; yes | head -c 5000000; exit 9';
    const { body } = await tools.call('herdr_exec', { workspace: 'w1', command });
    expect(body).toMatchObject({ exit_code: 9, output: expect.stringMatching(/^begin\n/) });
    await exec.close();
  });
});
