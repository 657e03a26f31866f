/**
 * Commands in a protected folder: a runtime that cannot read the folder, and a real Herdr whose shells can. What they print
 * and how they end must come back as it does from everywhere else.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endHerdr, type Herdr, startHerdr } from '../embedded-herdr/harness/index.ts';
import { until } from '../runtime-a-b/support/index.ts';
import { verifies } from '../verifies.ts';
import { type Confined, canRead, end, startConfined } from './confined-runtime.ts';

let base: string;
let guarded: string;
let herdr: Herdr;
let runtime: Confined;

const project = (name = '') => join(guarded, 'work', name);
const start = () =>
  startConfined({ stateDir: join(base, 's'), guarded, home: base, herdrSocket: join(herdr.base, 'herdr.sock') });
const exec = (command: string, more: object = {}) => runtime.call('herdr_exec', { workspace: 'w1', command, ...more });
const tabs = async () =>
  (await herdr.call('tab.list', { workspace_id: 'w1' })).tabs.filter(({ label }) => label === 'herdr-mcp:utility');

beforeAll(async () => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'hm-pane-')));
  chmodSync(base, 0o755);
  guarded = join(base, 'guarded');
  mkdirSync(project(), { recursive: true });
  chmodSync(guarded, 0o700);
  mkdirSync(join(base, 's'), { mode: 0o700 });
  writeFileSync(project('secret.txt'), 'only the terminal reads this\n');
  herdr = await startHerdr();
  await herdr.open('Guarded', { cwd: project() });
  runtime = await start();
  await until('the picture', async () => (await runtime.call('herdr_inspect', {})).ok);
}, 60_000);

afterAll(async () => {
  await end(runtime.child);
  await endHerdr(herdr);
  rmSync(base, { recursive: true, force: true });
});

describe('a command in a protected folder', () => {
  it('runs where the runtime cannot look, before a person’s eyes, and its output and exit code come back', async () => {
    verifies('roots.protected-exec');
    expect(await canRead(project('secret.txt'), guarded)).toBe(false);
    const answer = await exec('cat secret.txt; echo oops >&2; pwd; exit 7');
    expect(answer).toMatchObject({
      ok: true,
      backend: 'utility_pane',
      effective_cwd: project(),
      exit_code: 7,
      exit_code_of: 'shell',
      failure_origin: 'child_process',
      output: expect.stringContaining('only the terminal reads this\n'),
    });
    expect(answer.output).toContain('oops\n');
    expect(answer.output).toContain(`${project()}\n`);
    const screen = await herdr.screen(String(answer['pane']));
    expect(screen).toContain('cat secret.txt');
    await until('the end on the screen', async () =>
      (await herdr.screen(String(answer['pane']))).includes('ended with exit code 7'),
    );
  }, 60_000);

  it('uses its pane again, takes no focus, and asks nothing of standard input', async () => {
    verifies('roots.protected-exec');
    const before = await tabs();
    expect(await exec('read -r x; echo "got [$x]"; echo $GIT_TERMINAL_PROMPT $PAGER')).toMatchObject({
      output: 'got []\n0 cat\n',
      exit_code: 0,
    });
    expect(await tabs()).toHaveLength(before.length);
    expect(before.every(({ focused }) => !focused)).toBe(true);
  }, 60_000);

  it('drops what somebody had half typed there instead of running it', async () => {
    verifies('roots.protected-exec');
    const { pane } = await exec('true');
    await herdr.call('pane.send_text', { pane_id: String(pane), text: `touch ${project('half-typed')} ; ` });
    await until('the draft on the screen', async () => (await herdr.screen(String(pane))).includes('half-typed'));
    expect(await exec('echo clean')).toMatchObject({ output: 'clean\n', exit_code: 0 });
    expect(existsSync(project('half-typed'))).toBe(false);
  }, 60_000);

  it('pages a long output, and tells the stages of a pipe where the shell can', async () => {
    verifies('roots.protected-exec');
    const {
      session_id,
      bytes_total: _,
      ...answer
    } = await exec('i=0; while [ $i -lt 30000 ]; do echo "line $i"; i=$((i+1)); done');
    expect(answer).toMatchObject({ truncated: true, exit_code: 0 });
    let text = '';
    for (let offset = 0, more = true, pages = 0; more && pages < 20; pages += 1) {
      const page = await runtime.call('herdr_exec_read', { session_id, offset, limit: 90_000 });
      text += String(page['text']);
      offset = Number(page['next_offset']);
      more = page['truncated'] === true;
    }
    const lines = text.trimEnd().split('\n');
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([30_000, 'line 0', 'line 29999']);
    expect(await exec('exit 3 | true')).toMatchObject({ exit_code: 0 });
  }, 60_000);

  it('goes on while another one runs, in a pane of its own, and is ended by Ctrl-C', async () => {
    verifies('roots.protected-exec');
    const long = await runtime.call('herdr_exec_start', { root: project(), command: 'echo up; sleep 600' });
    expect(long).toMatchObject({ ok: true, backend: 'utility_pane', phase: 'started' });
    const other = await exec('echo beside');
    expect(other).toMatchObject({ output: 'beside\n' });
    expect(other['pane']).not.toBe(long['pane']);
    const killed = await runtime.call('herdr_exec_kill', { session_id: long['session_id'] });
    expect(killed).toMatchObject({ killed: true, running: false });
    expect(killed['exit_code']).not.toBe(0);
    expect(await runtime.call('herdr_exec_read', { session_id: long['session_id'] })).toMatchObject({
      running: false,
      text: 'up\n',
    });
  }, 60_000);

  it('outlives a runtime that is killed: its output and its end are known to the next one', async () => {
    verifies('roots.protected-exec', 'exec.survives-runtime');
    const gate = project('gate');
    const { session_id } = await runtime.call('herdr_exec_start', {
      root: project(),
      command: `echo before; until [ -e ${gate} ]; do sleep 0.05; done; echo after; exit 4`,
    });
    await end(runtime.child, 'SIGKILL');
    runtime = await start();
    const read = () => runtime.call('herdr_exec_read', { session_id });
    await until('the output of before', async () => (await read())['text'] === 'before\n');
    expect(await read()).toMatchObject({ running: true });
    writeFileSync(gate, '');
    await until('its end', async () => (await read())['running'] === false);
    expect(await read()).toMatchObject({ exit_code: 4, text: 'before\nafter\n' });
  }, 60_000);

  it('is certainly not run when the pane does not take it, and when no Herdr answers', async () => {
    verifies('roots.protected-exec');
    await until('the picture', async () => (await runtime.call('herdr_inspect', {})).ok);
    const list = await tabs();
    const busy = await Promise.all(
      Array.from({ length: 4 }, () => runtime.call('herdr_exec_start', { root: project(), command: 'sleep 600' })),
    );
    expect(busy.map(({ ok }) => ok)).toEqual([true, true, true, true]);
    expect((await tabs()).length).toBe(Math.max(4, list.length));
    expect(await exec('touch fifth')).toMatchObject({
      code: 'utility_pane_not_ready',
      delivery: 'not_delivered',
    });
    for (const { session_id } of busy) await runtime.call('herdr_exec_kill', { session_id });
    await herdr.stop();
    expect(await exec('touch made', { confirm_busy: true })).toMatchObject({
      code: expect.stringMatching(/^(utility_pane_unavailable|herdr_unavailable)$/),
      delivery: 'not_delivered',
    });
    for (const name of ['fifth', 'made']) expect(existsSync(project(name))).toBe(false);
    expect(readFileSync(project('secret.txt'), 'utf8')).toContain('only the terminal');
  }, 60_000);
});
