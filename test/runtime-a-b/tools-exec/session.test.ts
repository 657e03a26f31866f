import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { until } from '../exec/support.ts';
import { setUp } from './set-up.ts';

describe('herdr_exec_start, _read and _kill', () => {
  it('start at once, page both streams, and end with the truth', async () => {
    verifies('exec.output-kept');
    const { root, call } = setUp();
    const started = await call('herdr_exec_start', { root, command: 'echo äöü; echo err >&2; sleep 600' });
    expect(started).toMatchObject({
      runningSession: started.body.session_id,
      body: { phase: 'started', cwd: root, pid: expect.any(Number), backend: 'native' },
    });
    const id = started.body.session_id;
    await until(
      async () => (await call('herdr_exec_read', { session_id: id })).body.bytes_total === 11,
      'both streams have come',
    );
    expect((await call('herdr_exec_read', { session_id: id, stream: 'stderr' })).body).toMatchObject({
      text: 'err\n',
      stream: 'stderr',
    });
    expect((await call('herdr_exec_read', { session_id: id, stream: 'stdout', limit: 3 })).body).toMatchObject({
      text: 'ä',
      next_offset: 2,
      truncated: true,
    });
    const killed = (await call('herdr_exec_kill', { session_id: id })).body;
    expect(killed).toMatchObject({ killed: true, running: false, still_running: [] });
    expect(killed.forced === true ? killed.signal : killed.exit_code).toBe(killed.forced === true ? 'SIGKILL' : 143);
    const { exit_code } = killed;
    expect((await call('herdr_exec_kill', { session_id: id })).body).toMatchObject({ killed: false, exit_code });
    expect((await call('herdr_exec_read', { session_id: id })).body).toMatchObject({
      running: false,
      phase: 'completed',
      exit_code,
    });
  });

  it('say what still runs after a kill and how to stop it', async () => {
    verifies('exec.background');
    const { root, call } = setUp();
    // It says so itself, once it has left the group that a kill ends.
    const command = `setsid sh -c 'echo up; exec sleep 600' & wait`;
    const started = await call('herdr_exec_start', { root, command });
    const id = started.body.session_id;
    await until(async () => (await call('herdr_exec_read', { session_id: id })).body.text === 'up\n', 'it is up');
    const { body } = await call('herdr_exec_kill', { session_id: id });
    expect(body).toMatchObject({
      killed: true,
      still_running: [{ command: expect.stringContaining('sleep 600') }],
      next: expect.stringMatching(/kill \d+/),
    });
    expect((await call('herdr_exec_read', { session_id: id })).body).toMatchObject({ running: false });
    process.kill((body.still_running as { pid: number }[])[0]?.pid ?? 0, 'SIGKILL');
  });

  it('know no session that never was', async () => {
    const { root, refused } = setUp();
    expect((await refused('herdr_exec_read', { session_id: 'es_a_b_1' })).code).toBe('session_not_found');
    expect((await refused('herdr_exec_kill', { session_id: '../../etc' })).code).toBe('session_not_found');
    expect((await refused('herdr_exec_start', { root: join(root, 'sub'), command: 'true' })).code).toBe(
      'root_not_project_root',
    );
    expect((await refused('herdr_exec_start', { root: '/etc', command: 'true' })).code).toBe('outside_managed_roots');
  });
});
