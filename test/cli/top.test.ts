/** `herdr-mcp status` and `herdr-mcp top`: the pure screen, then the built command beside a real runtime and a scripted Herdr. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import * as pty from '@lydell/node-pty';
import { Terminal } from '@xterm/headless';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { draw, rowText } from '../../cli/top/draw.ts';
import { keysOf } from '../../cli/top/keys.ts';
import { type PaneRow, type View, WATCH_PANES_MAX } from '../../contract/control/index.ts';
import type { AgentStatus } from '../../contract/herdr/index.ts';
import { run } from '../../local/spawn/index.ts';
import { build } from '../../scripts/build/index.ts';
import {
  agent,
  type FakeHerdr,
  fakeHerdr,
  pane,
  paneRead,
  snapshotOf,
  type TestRuntime,
  tempFolder,
  testRuntime,
  until,
  workspace,
} from '../runtime-a-b/support/index.ts';
import { verifies } from '../verifies.ts';
import { COMMAND } from './fake-edge.ts';

const row = (id: string, more: Partial<PaneRow> = {}): PaneRow => ({
  id,
  workspace: 'w1',
  agent: 'builder',
  status: 'working',
  since: 0,
  cwd: '/work',
  line: '12 passed',
  focused: false,
  revision: 'btr1_x',
  capabilities: [],
  ...more,
});
const viewWith = (rows: PaneRow[], state: View['herdr']['state'] = 'live'): View => ({
  herdr: { state, problem: null, server: 'embedded' },
  counts: { working: rows.length, blocked: 0, done: 0, idle: 0, unknown: 0, terminal: 0 },
  workspaces: [
    {
      id: 'w1',
      label: 'site',
      status: 'working',
      counts: { working: rows.length, blocked: 0, done: 0, idle: 0, unknown: 0, terminal: 0 },
      panes: rows.map(({ id }) => id),
      rows,
    },
  ],
});
/** The screen that a terminal makes of a frame. */
function lines(frame: string): string[] {
  return frame
    .split(/\u001b\[\d+;1H/)
    .slice(1)
    .map((line) => line.replace(/\u001b\[[0-9;]*[mK]/g, ''));
}
const shown = (view: View | undefined, more: Partial<Parameters<typeof draw>[0]> = {}, rows = 10) =>
  draw({ view, live: true, now: 42_000, scroll: 0, colours: false, ...more }, { columns: 80, rows });

describe('the screen', () => {
  it('shows each pane with status, time and last line, and what can be pressed', () => {
    verifies('control-center.panel');
    const { frame, panes } = shown(viewWith([row('w1:p1'), row('w1:p2', { agent: null, status: null, since: null })]));
    const [head, , first, second, third] = lines(frame);
    expect(head).toBe('2 working, 0 waiting for you, 2 panes in 1 workspace');
    expect(first).toBe('site (w1)');
    expect(second).toMatch(/^ {2}w1:p1 +builder +working +0:42 +12 passed$/);
    expect(third).toMatch(/^ {2}w1:p2 +terminal +- /);
    expect(lines(frame).at(-1)).toContain('q leaves');
    expect(panes).toEqual(['w1:p1', 'w1:p2']);
  });

  it.each<[string, View | undefined, boolean, RegExp]>([
    ['nothing yet', undefined, true, /^Asking/],
    ['no runtime', undefined, false, /herdr-mcp up, in a clone npm start$/],
    ['a runtime that went', viewWith([row('w1:p1')]), false, /last seen. 1 working/],
    ['a Herdr that went', viewWith([row('w1:p1')], 'stale'), true, /^Herdr does not answer/],
  ])('says what is known: %s', (_, view, live, head) => {
    expect(lines(shown(view, { live }).frame)[0]).toMatch(head);
  });

  it('fits any terminal, goes as far as there are rows, and watches what stands on it', () => {
    const many = viewWith(Array.from({ length: 200 }, (_, i) => row(`w1:p${i}`)));
    for (const rows of [1, 2, 3, 4, 24, 400])
      expect(lines(shown(many, {}, rows).frame).length).toBeLessThanOrEqual(rows);
    const end = shown(many, { scroll: 10_000 }, 24);
    expect(end.panes.at(-1)).toBe('w1:p199');
    expect(end.last).toBe(201 - 21);
    expect(shown(many, { scroll: 5 }, 24).panes[0]).toBe('w1:p4');
    expect(WATCH_PANES_MAX).toBeGreaterThanOrEqual(end.panes.length);
  });

  it('lets no text of a pane move the cursor', () => {
    const text = rowText(row('w1:p1\u009b2J', { line: 'a\u001b[2Jb\nc\u009b3J', agent: 'x\u0007y\u061c' }), 0);
    expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u061c]/);
    const view = viewWith([row('w1:p1')]);
    const named = {
      ...view,
      workspaces: view.workspaces.map((one) => ({ ...one, label: 'a\u009b2J', id: 'w\u001bc1' })),
    };
    expect(lines(shown(named).frame)[1 + 1]).toBe('  a 2J (w c1)'.trim());
  });

  it.each([
    ['q', 'leave'],
    ['\u0003', 'leave'],
    ['\u001b[B', 1],
    ['k', -1],
    [' ', 20],
    ['G', Number.POSITIVE_INFINITY],
    ['x', 0],
    // A wheel's three rows, a held key, a page and back, and the way out after them.
    ['\u001b[A\u001b[A\u001b[A', -3],
    ['\u001bOB\u001bOB', 2],
    ['jj\u001b[6~k', 21],
    ['Gk', Number.POSITIVE_INFINITY],
    ['jjq', 'leave'],
    // The bytes of a sequence are no keys of their own.
    ['\u001b[1;5q', 0],
    ['\u001bq', 0],
    ['\u001b', 'leave'],
  ] as const)('the keys %j', (key, wanted) => expect(keysOf(key, 24)).toBe(wanted));
});

describe('the command', () => {
  let herdr: FakeHerdr;
  let rt: TestRuntime;
  let folder: ReturnType<typeof tempFolder>;
  let status: AgentStatus = 'idle';
  let seq = 1;
  const set = (next: AgentStatus) => {
    status = next;
    seq += 1;
    herdr.push('pane.updated', {});
  };
  const env = () => ({
    PATH: process.env['PATH'] ?? '',
    HOME: folder.path,
    HERDR_MCP_STATE_DIR: join(folder.path, 's'),
    HERDR_MCP_SECRETS: 'file',
    TERM: 'xterm-256color',
  });

  beforeAll(async () => {
    await build({ parts: ['node'] });
    folder = tempFolder();
    herdr = await fakeHerdr({
      'session.snapshot': () =>
        snapshotOf({
          workspaces: [workspace('w1', { label: 'site' })],
          panes: [pane('w1:p1', { agent: 'claude', agent_status: status }), pane('w1:p2')],
          agents: [agent('w1:p1', { name: 'builder', agent_status: status, state_change_seq: seq })],
        }),
      'agent.list': () => ({
        type: 'agent_list',
        agents: [agent('w1:p1', { name: 'builder', agent_status: status, state_change_seq: seq })],
      }),
      'pane.read': ({ params }) => paneRead(params.pane_id, 'npm test'),
    });
    rt = await testRuntime({ herdrSocket: herdr.path, stateDir: join(folder.path, 's') });
  }, 120_000);
  afterAll(async () => {
    await rt.end();
    await herdr.stop();
    folder.remove();
  });

  const cli = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(process.execPath, [COMMAND, ...args], { env: env() });
    return { code, out: stdout.toString(), err: stderr.toString() };
  };

  it('status says what the agents do, and the same as JSON', async () => {
    verifies('control-center.panel');
    await until('the picture', async () => (await cli('status')).out.includes('2 panes in 1 workspace'));
    const { out } = await cli('status');
    expect(out).toMatch(/w1:p1 +builder +idle +\d+:\d\d/);
    const json = JSON.parse((await cli('status', '--json')).out) as { view: View; fleet: { code: string } };
    expect(json.view.workspaces[0]?.rows.map(({ id, status: now }) => [id, now])).toEqual([
      ['w1:p1', 'idle'],
      ['w1:p2', null],
    ]);
    expect(json.fleet.code).toBe('not_paired');
  });

  it('top --json says the whole once, then each change, and that the runtime went and came back', async () => {
    verifies('control-center.panel');
    const child = spawn(process.execPath, [COMMAND, 'top', '--json'], {
      env: env(),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    const told = () =>
      text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    const heard = (what: string, fits: (one: Record<string, unknown>) => boolean) =>
      until(what, () => told().find(fits));
    await heard('the view', ({ event }) => event === 'view');
    expect(told()[0]).toMatchObject({ event: 'view', counts: { idle: 1, terminal: 1 } });
    set('working');
    await heard('the work', (one) => one['event'] === 'pane' && JSON.stringify(one['pane']).includes('"working"'));
    await heard('the line', (one) => JSON.stringify(one['pane'] ?? '').includes('npm test'));
    await rt.end();
    await heard('away', ({ event }) => event === 'away');
    rt = await testRuntime({ herdrSocket: herdr.path, stateDir: join(folder.path, 's') });
    await until('back', () => told().filter(({ event }) => event === 'view').length === 2);
    expect(told().filter(({ event }) => event === 'away')).toHaveLength(1);
    child.kill('SIGINT');
    expect(await ended).toBe(0);
  });

  it('top draws it live in a terminal and gives the terminal back', async () => {
    set('idle');
    const size = { cols: 90, rows: 20 };
    const seen = new Terminal({ ...size, allowProposedApi: true });
    const person = pty.spawn(process.execPath, [COMMAND, 'top'], { ...size, env: env() });
    let raw = '';
    person.onData((data) => {
      raw += data;
      seen.write(data);
    });
    const ended = new Promise<number>((done) => person.onExit(({ exitCode }) => done(exitCode)));
    const screen = () =>
      Array.from({ length: seen.rows }, (_, n) => seen.buffer.active.getLine(n)?.translateToString(true) ?? '').join(
        '\n',
      );
    await until('the agent', () => /builder +idle/.test(screen()));
    set('working');
    await until('the work', () => /builder +working/.test(screen()));
    await until('the line', () => screen().includes('npm test'));
    person.write('q');
    expect(await ended).toBe(0);
    expect(raw.endsWith('\u001b[?1049l')).toBe(true);
  });

  it('top without a terminal says what to use instead', async () => {
    const { code, err } = await cli('top');
    expect(code).toBe(2);
    expect(err).toContain('herdr-mcp top --json');
  });
});
