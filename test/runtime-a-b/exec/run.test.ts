import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { refusal } from '../roots/live-view.ts';
import { finish, never, place, until } from './support.ts';

describe('a command', () => {
  it('runs with its streams apart, in its directory, with closed input, and its end is known', async () => {
    verifies('exec.truth');
    const where = place();
    const exec = where.open();
    const result = await finish(exec, where, 'pwd; echo err >&2; cat; exit 3');
    expect(result).toMatchObject({ stdout: `${where.cwd}\n`, stderr: 'err\n', done: { exitCode: 3, signal: null } });
    expect(result.both).toHaveLength(result.stdout.length + result.stderr.length);
    expect(result.id).toMatch(/^es_a_0123456789ab_[0-9a-f]+$/);
  });

  it.each([
    ['(echo report; exit 4) | tail -1', 0, [4, 0]],
    ['seq 1 60000 | head -2', 0, [141, 0]],
    ['grep nothere /etc/hostname | wc -l', 0, [1, 0]],
    ['set -o pipefail; false | true', 1, [1, 0]],
    ['false || echo fallback', 0, undefined],
    ['false; echo done', 0, undefined],
    ['(exit 3) & echo bg', 0, undefined],
    ['false | true; exit 3', 3, undefined],
    ['true', 0, undefined],
    ['exec true', 0, undefined],
    ['trap "echo mine" EXIT; false | true', 0, undefined],
    ['set -xeu; true | true', 0, [0, 0]],
    ['false | true # a comment', 0, [1, 0]],
    ['cat <<X | tr a b\naa', 0, [0, 0]],
  ])('%s tells the code %s of the shell and of the stages %j', async (command, code, stages) => {
    verifies('exec.truth');
    const where = place();
    const { done, stderr } = await finish(where.open(), where, command);
    expect([done?.exitCode, done?.stages]).toEqual([code, stages]);
    expect(stderr).not.toContain('__herdr');
  });

  it.each([
    ['echo $1 $# "$@"', '0\n'],
    ['echo "a\'b" \'c"d\' $((1+1)) `echo x` $(echo y)', 'a\'b c"d 2 x y\n'],
    ['printf "%s|" "$0" >/dev/null; echo 日本 🙂', '日本 🙂\n'],
    ['echo one\necho two', 'one\ntwo\n'],
    [`echo ${'x'.repeat(200_000)} | wc -c`, '200001\n'],
  ])('is not touched on its way to the shell: %#', async (command, expected) => {
    const where = place();
    expect((await finish(where.open(), where, command)).stdout).toBe(expected);
  });

  it('reports an error at the line where it is', async () => {
    const where = place();
    expect((await finish(where.open(), where, 'true\nnosuchcommand')).stderr).toMatch(
      /line (1|2): nosuchcommand: command not found|nosuchcommand/,
    );
    expect((await finish(where.open(), where, 'if')).done?.exitCode).toBe(2);
  });

  it('may be programs with literal arguments, until one fails', async () => {
    const where = place();
    const exec = where.open();
    const run = async (steps: { program: string; args: string[] }[]) => {
      const { id } = await exec.start({ root: where.cwd, cwd: where.cwd, steps });
      const state = await exec.wait(where.track(id), 20_000, never);
      return { done: state.done, text: exec.read(id, 'stdout', 0, 10_000).text, command: state.command };
    };
    expect(await run([{ program: 'echo', args: ['$HOME', '*', "a'b", '; exit 1', ''] }])).toMatchObject({
      text: "$HOME * a'b ; exit 1 \n",
      command: 'echo "$HOME" "*" "a\'b" "; exit 1" ""'.replace('echo', '"echo"'),
    });
    expect(
      await run([
        { program: 'echo', args: ['1'] },
        { program: 'sh', args: ['-c', 'exit 7'] },
        { program: 'echo', args: ['3'] },
      ]),
    ).toMatchObject({ text: '1\n', done: { exitCode: 7, failedStep: 2 } });
    expect((await run([{ program: 'no-such-program', args: [] }])).done?.exitCode).toBe(127);
    expect((await run([{ program: 'cd', args: ['/'] }])).done?.exitCode).toBe(127);
  });

  it('finds an environment in which nothing pages or prompts', async () => {
    verifies('exec.environment');
    const where = place();
    const { stdout } = await finish(
      where.open(),
      where,
      'echo $PAGER $GIT_PAGER $GIT_TERMINAL_PROMPT $GIT_ASKPASS; test -t 0; echo $?; env',
    );
    expect(stdout).toMatch(/^cat cat 0 true\n1\n/);
    expect(stdout).toMatch(/^HERDR_MCP_EXEC_ID=es_a_/m);
    expect(stdout).not.toMatch(/^VITEST/m);
  });

  it('does not hang where a password is asked', async () => {
    verifies('exec.environment');
    const where = place();
    const { done } = await finish(
      where.open(),
      where,
      'read -r x; git -c credential.helper= ls-remote https://127.0.0.1:1/x.git; (echo x >/dev/tty) 2>/dev/null; echo ended $?',
    );
    expect(done?.exitCode).toBe(0);
  });

  it('that cannot start leaves nothing and says that nothing was run', async () => {
    const where = place();
    const exec = where.open();
    const refused = await refusal(() =>
      exec.start({ root: where.cwd, cwd: join(where.cwd, 'missing'), command: 'true' }),
    );
    expect(refused.code).toBe('exec_start_failed');
    expect(readdirSync(join(where.stateDir, 'exec')).filter((name) => name.startsWith('es_'))).toEqual([]);
  });

  it('keeps its files from other users', async () => {
    const where = place();
    const { id } = await finish(where.open(), where, 'echo x; umask 000');
    const folder = join(where.stateDir, 'exec', id);
    await until(() => existsSync(join(folder, 'done.json')), 'the end is written down');
    for (const name of ['', 'meta.json', 'stdout', 'stderr', 'done.json']) {
      expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
    }
  });

  it.each<[string, { command: string } | { steps: { program: string; args: string[] }[] }, string]>([
    ['stages', { command: 'umask 022; : >made; true | false' }, 'stages'],
    [
      'the step that failed',
      {
        steps: [
          { program: 'touch', args: ['made'] },
          { program: 'false', args: [] },
        ],
      },
      'step',
    ],
  ])('keeps every file of it from others, %s too, and leaves the mask of the command alone', async (_, work, name) => {
    verifies('exec.truth');
    const where = place();
    const before = process.umask(0o022);
    try {
      const exec = where.open();
      const { id } = await exec.start({ root: where.cwd, cwd: where.cwd, ...work });
      where.track(id);
      await exec.wait(id, 20_000, new AbortController().signal);
      const folder = join(where.stateDir, 'exec', id);
      await until(() => existsSync(join(folder, 'done.json')), 'the end is written down');
      const files = readdirSync(folder);
      expect(files).toEqual(expect.arrayContaining(['meta.json', 'pid', 'stdout', 'stderr', 'done.json', name]));
      const open = files.filter((file) => (statSync(join(folder, file)).mode & 0o077) !== 0);
      expect(open).toEqual([]);
      expect(statSync(join(where.cwd, 'made')).mode & 0o777).toBe(0o644);
    } finally {
      process.umask(before);
    }
  });

  it('ten at once do not mix', async () => {
    const where = place();
    const exec = where.open();
    const all = await Promise.all(
      Array.from({ length: 10 }, (_, n) => finish(exec, where, `echo out${n}; echo err${n} >&2; exit ${n}`)),
    );
    expect(all.map(({ stdout, stderr, done }) => [stdout, stderr, done?.exitCode])).toEqual(
      Array.from({ length: 10 }, (_, n) => [`out${n}\n`, `err${n}\n`, n]),
    );
  });

  it('is not waited for longer than asked, and goes on', async () => {
    verifies('exec.timeout');
    const where = place();
    const exec = where.open();
    const gate = join(where.cwd, 'gate');
    const { id } = await exec.start({
      root: where.cwd,
      cwd: where.cwd,
      command: `echo first; until [ -e ${gate} ]; do sleep 0.05; done; echo last`,
    });
    where.track(id);
    expect((await exec.wait(id, 100, never)).running).toBe(true);
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 20);
    expect((await exec.wait(id, 20_000, stop.signal)).running).toBe(true);
    writeFileSync(gate, '');
    expect(await exec.wait(id, 20_000, never)).toMatchObject({ running: false, done: { exitCode: 0 } });
    expect(exec.read(id, 'both', 0, 100).text).toBe('first\nlast\n');
  });

  it('with background children ends at once, and they are told', async () => {
    verifies('exec.background');
    const where = place();
    const exec = where.open();
    const gate = join(where.cwd, 'gate');
    const wait = `until [ -e ${gate} ]; do sleep 0.05; done`;
    const { id, done } = await finish(exec, where, `(${wait}; echo later) & (setsid sh -c '${wait}' &) ; echo now`);
    expect(done).toMatchObject({ exitCode: 0, background: true });
    expect(exec.survivors(id).length).toBeGreaterThanOrEqual(2);
    writeFileSync(gate, '');
    await until(() => exec.survivors(id).length === 0, 'the children end');
    await until(() => exec.read(id, 'both', 0, 100).text === 'now\nlater\n', 'the output of the child is kept');
  });

  it('does not call ended children background', async () => {
    verifies('exec.background');
    const where = place();
    const { done } = await finish(where.open(), where, '(exit 3) & wait; true | cat; echo x');
    expect(done).not.toHaveProperty('background');
  });

  it('by a shell that is no bash still ends and is known', async () => {
    const where = place();
    mkdirSync(join(where.cwd, 'bin'));
    const own = join(where.cwd, 'bin', 'sh');
    writeFileSync(own, '#!/bin/sh\nexec /bin/sh "$@"\n');
    chmodSync(own, 0o755);
    const exec = where.open({ env: { PATH: process.env.PATH, HOME: process.env.HOME, HERDR_MCP_EXEC_SHELL: own } });
    const { done, stdout } = await finish(exec, where, 'false | echo x');
    expect([done?.exitCode, done?.stages, stdout]).toEqual([0, undefined, 'x\n']);
    expect(existsSync(own)).toBe(true);
  });
});
