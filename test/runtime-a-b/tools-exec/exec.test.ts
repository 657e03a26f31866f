import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { until } from '../exec/support.ts';
import { type PaneSketch, repository, temporaryFolder } from '../roots/live-view.ts';
import { setUp } from './set-up.ts';

describe('herdr_exec', () => {
  it('runs in the project and calls the exit code the shell’s', async () => {
    verifies('exec.truth');
    const { root, run } = setUp();
    expect(await run('pwd')).toMatchObject({
      backend: 'native',
      workspace: 'w1',
      command: 'pwd',
      phase: 'completed',
      exit_code: 0,
      exit_code_of: 'shell',
      output: `${root}\n`,
      effective_cwd: root,
      project_root: root,
      effective_timeout_ms: 30_000,
      truncated: false,
      execution: { started: true, completed: true, exit_code: 0 },
      progress: { bytes_total: root.length + 1 },
    });
    const failed = await run('echo no >&2; exit 3', { intent: 'read_only' });
    expect(failed).toMatchObject({
      exit_code: 3,
      output: 'no\n',
      failure_origin: 'child_process',
      intent: 'read_only',
    });
    expect(failed).toHaveProperty('op_id', failed.session_id);
    expect(await run('kill -TERM $$')).toMatchObject({
      exit_code: 143,
      exit_code_hint: '128 + 15: usually ended by SIGTERM',
    });
  });

  it.each<[string, Record<string, unknown>, number]>([
    ['a command', { command: `: ${'x'.repeat(900_000)}` }, 900_002],
    ['steps', { steps: Array.from({ length: 16 }, () => ({ program: 'true', args: ['"'.repeat(30_000)] })) }, 960_204],
  ])('names %s that is long by its beginning and its length', async (_, work, length) => {
    verifies('exec.truth');
    const { call } = setUp();
    const { body } = await call('herdr_exec', { workspace: 'w1', ...work });
    expect(body).toMatchObject({ exit_code: 0, command: expect.stringContaining(`… (${length} characters in all)`) });
    expect(JSON.stringify(body).length).toBeLessThan(2_000);
  });

  it('names a long command as shortly when it is started, still runs, or left something running', async () => {
    verifies('exec.truth', 'exec.timeout');
    const { root, call, refused } = setUp();
    const long = `: ${'x'.repeat(90_000)}`;
    const started = await call('herdr_exec_start', { root, command: long });
    expect(started.body.command).toContain('… (90002 characters in all)');
    const late = await refused('herdr_exec', { workspace: 'w1', command: `sleep 60; ${long}`, timeout_ms: 1 });
    expect(late.code).toBe('exec_timeout');
    expect(JSON.stringify(late).length).toBeLessThan(3_000);
    const { body } = await call('herdr_exec', { workspace: 'w1', command: `(sleep 60; true) & ${long}` });
    // The subshell is there from the fork on; what it runs may not be yet.
    expect(body.background_children).toEqual(
      expect.arrayContaining([{ pid: expect.any(Number), command: expect.stringMatching(/ characters in all\)$/) }]),
    );
    expect(JSON.stringify(body).length).toBeLessThan(3_000);
  });

  it('does not hide a failing stage, nor the line in the middle that tells of it', async () => {
    verifies('exec.truth');
    const { run } = setUp();
    const body = await run(
      '(for i in $(seq 200); do echo "ok $i"; [ $i = 100 ] && echo "FAILED case 100"; done; exit 1) | cat',
    );
    expect(body).toMatchObject({ exit_code: 0, pipe_exit_codes: [1, 0] });
    expect(body.output).toContain('FAILED case 100');
    expect(body.output.split('\n')).toHaveLength(202);
  });

  it('gives the beginning of 10 MB, its end, and where to go on', async () => {
    verifies('exec.truth', 'exec.output-kept');
    const { run, call } = setUp();
    const body = await run('seq 1 1400000; echo the end');
    expect(body.output.length).toBeLessThanOrEqual(100_000);
    expect(body.output.startsWith('1\n2\n')).toBe(true);
    expect(body).toMatchObject({ truncated: true, tail: expect.stringMatching(/1400000\nthe end\n$/) });
    const more = await call('herdr_exec_read', {
      session_id: body.session_id,
      offset: body.next_offset,
      limit: 262_144,
    });
    expect(body.output + more.body.text).toBe(
      Array.from({ length: 1_400_000 }, (_, n) => `${n + 1}\n`)
        .join('')
        .slice(0, more.body.next_offset as number),
    );
  });

  it('takes longer than asked: it goes on and is followed by its id', async () => {
    verifies('exec.timeout');
    const { root, refused, call } = setUp();
    const gate = join(root, 'gate');
    const failure = await refused('herdr_exec', {
      workspace: 'w1',
      command: `echo begun; until [ -e ${gate} ]; do sleep 0.05; done; echo done`,
      timeout_ms: 300,
    });
    expect(failure).toMatchObject({
      code: 'exec_timeout',
      details: {
        phase: 'running',
        effective_timeout_ms: 300,
        partial_output: 'begun\n',
        failure_origin: 'timeout',
        execution: { started: true, completed: false },
      },
    });
    const id = failure.details.session_id as string;
    expect(failure.next).toContain(id);
    expect((await call('herdr_exec_read', { session_id: id })).body).toMatchObject({
      running: true,
      phase: 'running',
      exit_code: null,
      text: 'begun\n',
    });
    writeFileSync(gate, '');
    const ended = await until(async () => {
      const { body } = await call('herdr_exec_read', { session_id: id, offset: 6 });
      return body.running === false && body;
    }, 'it ends');
    expect(ended).toMatchObject({ text: 'done\n', exit_code: 0, offset: 6, next_offset: 11, bytes_total: 11 });
  });

  it('cuts a wait above 40 s and says so', async () => {
    verifies('exec.timeout');
    const { run } = setUp();
    expect(await run('true', { timeout_ms: 60_000 })).toMatchObject({ effective_timeout_ms: 40_000 });
  });

  it('names background children', async () => {
    verifies('exec.background');
    const { run, call } = setUp();
    const body = await run('sleep 600 & echo bg');
    expect(body).toMatchObject({ exit_code: 0, output: 'bg\n', background_children: [{ pid: expect.any(Number) }] });
    const id = body.session_id;
    // Seen this early, the child may still be the shell that is about to become the program.
    const children = async () => (await call('herdr_exec_read', { session_id: id })).body.background_children;
    await until(
      async () => ((await children()) as { command: string }[] | undefined)?.[0]?.command === 'sleep 600',
      'its name',
    );
    const killed = await call('herdr_exec_kill', { session_id: id });
    expect(killed.body).toMatchObject({ killed: true, still_running: [], exit_code: 0 });
  });

  it('runs steps literally, and needs exactly one of command and steps', async () => {
    const { call, refused } = setUp();
    const steps = [
      { program: 'echo', args: ['$HOME; false'] },
      { program: 'false' },
      { program: 'echo', args: ['never'] },
    ];
    expect((await call('herdr_exec', { workspace: 'w1', steps })).body).toMatchObject({
      output: '$HOME; false\n',
      exit_code: 1,
      failed_step: 2,
    });
    for (const args of [
      {},
      { command: 'true', steps },
      { command: 'a\0b' },
      { steps: [{ program: '-x' }] },
      { steps: [{ program: 'a', args: ['\0'] }] },
    ]) {
      expect((await refused('herdr_exec', { workspace: 'w1', ...args })).code).toBe('invalid_params');
    }
  });

  it('shows one JSON object also as an object', async () => {
    const { run } = setUp();
    expect(await run('echo warn >&2; echo \'{"a": [1]}\'')).toMatchObject({
      structured_output: { a: [1] },
      structured_output_stream: 'stdout',
    });
    expect(await run('echo \'{"a": \'')).not.toHaveProperty('structured_output');
    expect(await run('echo \'{"a": 1}\'; echo x')).not.toHaveProperty('structured_output');
  });

  it('needs a workspace, and the project where there are several', async () => {
    const other = repository(join(temporaryFolder(), 'other'));
    const { root, run, refused } = setUp((first) => [
      { cwd: first },
      { cwd: other },
      { cwd: other, workspace: 'w2' },
      { workspace: 'w3' },
    ]);
    const several = await refused('herdr_exec', { workspace: 'w1', command: 'true' });
    expect(several.code).toBe('project_root_required');
    expect(several.details.candidates).toEqual(
      expect.arrayContaining([expect.objectContaining({ root }), expect.objectContaining({ root: other })]),
    );
    expect(await run('pwd', { project_root: other })).toMatchObject({ output: `${other}\n` });
    expect(await run('pwd', { workspace: 'label-w2' })).toMatchObject({ output: `${other}\n`, workspace: 'w2' });
    expect((await refused('herdr_exec', { workspace: 'w2', command: 'true', project_root: root })).code).toBe(
      'project_root_not_in_workspace',
    );
    expect((await refused('herdr_exec', { workspace: 'w3', command: 'true' })).code).toBe('project_root_required');
    expect((await refused('herdr_exec', { workspace: 'nope', command: 'true' })).code).toBe('workspace_not_found');
  });

  it('is held by the gates', async () => {
    verifies('gates.write');
    const working = (root: string): PaneSketch[] => [{ cwd: root, agent: { name: 'builder', status: 'working' } }];
    const busy = setUp(working);
    expect(await busy.refused('herdr_exec', { workspace: 'w1', command: 'true' })).toMatchObject({
      code: 'agent_working',
      details: { working: [{ pane: 'p1', agent: 'builder' }] },
    });
    expect(await busy.run('true', { confirm_busy: true })).toMatchObject({
      exit_code: 0,
      warnings: { working: [{ pane: 'p1', agent: 'builder' }] },
    });
    expect(
      (await setUp(undefined, { readOnly: true }).refused('herdr_exec', { workspace: 'w1', command: 'true' })).code,
    ).toBe('readonly_mode');
    expect(
      (
        await setUp(undefined, { writeRoots: ['/elsewhere'] }).refused('herdr_exec', {
          workspace: 'w1',
          command: 'true',
        })
      ).code,
    ).toBe('root_not_whitelisted');
    expect((await setUp(undefined, {}, 'stale').refused('herdr_exec', { workspace: 'w1', command: 'true' })).code).toBe(
      'busy_state_unknown',
    );
    expect(
      (await setUp(undefined, {}, 'unknown').refused('herdr_exec', { workspace: 'w1', command: 'true' })).code,
    ).toBe('herdr_unavailable');
  });

  it('runs in an operational root', async () => {
    verifies('roots.operational');
    const plain = join(temporaryFolder(), 'plain');
    mkdirSync(plain);
    expect(await setUp(() => [{ cwd: plain }]).run('pwd')).toMatchObject({ output: `${plain}\n` });
  });
});
