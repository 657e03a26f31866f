import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as pty from '@lydell/node-pty';
import { Terminal } from '@xterm/headless';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PaneInfo } from '../../../contract/herdr/index.ts';
import { run } from '../../../local/spawn/index.ts';
import { build } from '../../../scripts/build/index.ts';
import { endHerdr, type Herdr, startAgent, startHerdr } from '../../embedded-herdr/harness/index.ts';
import { until } from '../../embedded-herdr/harness/poll.ts';
import { verifies } from '../../verifies.ts';
import { COMMAND } from '../fake-edge.ts';

/** A real Herdr process and the built command beside it. */
let herdr: Herdr;
let home: string;
let shell: PaneInfo;
beforeAll(async () => {
  await build({ parts: ['node'] });
  herdr = await startHerdr();
  home = realpathSync(mkdtempSync(join(tmpdir(), 'hm-person-')));
  shell = await herdr.open('desk');
}, 120_000);
afterAll(async () => {
  await endHerdr(herdr);
  rmSync(home, { recursive: true, force: true });
});

const env = () => ({
  PATH: process.env['PATH'] ?? '',
  HOME: home,
  HERDR_MCP_STATE_DIR: join(home, 'state'),
  HERDR_SOCKET_PATH: herdr.path,
  TERM: 'xterm-256color',
});

async function cli(...args: string[]) {
  const result = await run(process.execPath, [COMMAND, 'herdr', ...args], { env: env(), cwd: home });
  return { code: result.code, out: result.stdout.toString(), err: result.stderr.toString() };
}

/** A person's terminal with the command in it, and the screen that he sees. */
function sit(args: string[], size = { cols: 100, rows: 30 }) {
  const seen = new Terminal({ ...size, allowProposedApi: true });
  const terminal = pty.spawn(process.execPath, [COMMAND, 'herdr', ...args], { ...size, cwd: home, env: env() });
  let raw = '';
  terminal.onData((text) => {
    raw += text;
    seen.write(text);
  });
  const ended = new Promise<number>((done) => terminal.onExit(({ exitCode }) => done(exitCode)));
  const row = (n: number) => seen.buffer.active.getLine(seen.buffer.active.baseY + n)?.translateToString(true) ?? '';
  const text = () => Array.from({ length: seen.rows }, (_, n) => row(n)).join('\n');
  return {
    pid: terminal.pid,
    ended,
    raw: () => raw,
    text,
    row,
    type: (keys: string) => terminal.write(keys),
    shows: (what: string) => until(`${what} in ${text()}`, () => text().includes(what)),
    isAlternate: () => seen.buffer.active.type === 'alternate',
    resize(cols: number, rows: number) {
      seen.resize(cols, rows);
      terminal.resize(cols, rows);
    },
  };
}

const restored = '\u001b[?7h\u001b[?25h\u001b[?1049l';

describe('herdr-mcp herdr attach', () => {
  it('shows a pane live, says how to leave, sends keys in order, and gives the terminal back', async () => {
    verifies('embedded.person');
    const person = sit(['attach', shell.pane_id]);
    await person.shows('ready>');
    expect(person.row(29)).toContain(shell.pane_id);
    expect(person.row(29)).toContain('Ctrl-] detaches');
    expect(person.isAlternate()).toBe(true);
    person.type('echo "a""b" ');
    person.type('c\r');
    await person.shows('ab c');
    // What somebody else does in the pane is seen too.
    await herdr.run(shell.pane_id, 'echo from""elsewhere', 'fromelsewhere');
    await person.shows('fromelsewhere');
    // Ctrl-C is the program's in the pane, not the command's.
    person.type('sleep 600\r');
    await until('a running command', async () => {
      const { process_info } = await herdr.call('pane.process_info', { pane_id: shell.pane_id });
      return JSON.stringify(process_info).includes('sleep');
    });
    person.type('\u0003');
    await until('the shell again', async () => {
      const { process_info } = await herdr.call('pane.process_info', { pane_id: shell.pane_id });
      return !JSON.stringify(process_info).includes('sleep');
    });
    person.type('\u001d');
    expect(await person.ended).toBe(0);
    expect(person.raw()).toContain(restored);
    await person.shows('Detached');
    expect(person.isAlternate()).toBe(false);
    expect((await herdr.call('pane.get', { pane_id: shell.pane_id })).pane.pane_id).toBe(shell.pane_id);
  });

  it('shows an agent by its name while it works', async () => {
    verifies('embedded.person');
    const pane = await herdr.open('agent');
    await startAgent(herdr, pane, 'fixer');
    const person = sit(['attach', 'fixer']);
    await person.shows('pi (scripted)');
    expect(person.row(29)).toContain('fixer');
    person.type('hello\r');
    await person.shows('answered: hello');
    person.type('\u001d');
    expect(await person.ended).toBe(0);
  });

  it('draws only what changed, and anew after a resize, with its own row at the new bottom', async () => {
    const person = sit(['attach', shell.pane_id], { cols: 90, rows: 20 });
    await person.shows('Ctrl-] detaches');
    person.resize(60, 12);
    await until('its row at the bottom', () => person.row(11).includes('Ctrl-] detaches'));
    const bars = person.raw().split('detaches').length;
    await herdr.run(shell.pane_id, 'echo mark""ed', 'marked');
    await person.shows('marked');
    // Typing, its echo and the output: a handful of frames, however often it looked.
    expect(person.raw().split('detaches').length - bars).toBeLessThan(10);
    person.type('\u001d');
    expect(await person.ended).toBe(0);
  });

  it.each([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('gives the terminal back on %s', async (signal, code) => {
    const person = sit(['attach', shell.pane_id]);
    await person.shows('Ctrl-] detaches');
    process.kill(person.pid, signal);
    expect(await person.ended).toBe(code);
    expect(person.raw()).toContain(restored);
  });

  it('ends when its pane is closed, and says so', async () => {
    const pane = await herdr.open('closing');
    const person = sit(['attach', pane.pane_id]);
    await person.shows('ready>');
    await herdr.call('pane.close', { pane_id: pane.pane_id });
    expect(await person.ended).toBe(0);
    await person.shows(`The pane ${pane.pane_id} is closed.`);
  });

  it('needs a terminal', async () => {
    expect(await cli('attach', shell.pane_id)).toMatchObject({
      code: 2,
      err: expect.stringContaining('needs a terminal'),
    });
  });
});

describe('herdr-mcp herdr for scripts', () => {
  it('opens, runs, reads and lists', async () => {
    verifies('embedded.person');
    const opened = await cli('open', herdr.work, '--label', 'scripted');
    expect(opened).toMatchObject({ code: 0, err: expect.stringContaining('scripted') });
    const pane = opened.out.trim();
    await until('a prompt', async () => (await cli('read', pane)).out.includes('ready>'));
    expect(await cli('run', pane, 'echo "x""y"')).toMatchObject({ code: 0, out: '' });
    await until('its output', async () => /^xy$/m.test((await cli('read', pane)).out));
    expect((await cli('read', pane, '--lines', '2')).out).toMatch(/^xy\nready>\n$/);
    const listed = (await cli('ls')).out;
    expect(listed.split('\n')[0]).toMatch(/^PANE +WORKSPACE +AGENT +STATUS +DIRECTORY$/);
    expect(listed).toMatch(new RegExp(`^${pane}( \\*)? +scripted +- +- +${herdr.work}$`, 'm'));
    const { panes } = JSON.parse((await cli('ls', '--json')).out) as { panes: { pane_id: string }[] };
    expect(panes.map(({ pane_id }) => pane_id)).toContain(pane);
  });

  it.each([
    [['read', 'w99:p9'], 1, 'neither a pane nor an agent'],
    [['read', '--lines', '0'], 2, 'from 1 to 1000'],
    [['run', 'w99:p9', 'true'], 1, 'neither a pane nor an agent'],
    [['ls', '--socket', '/nowhere/herdr.sock'], 1, 'No Herdr answers at /nowhere/herdr.sock'],
  ])('%j is refused with a sentence', async (args, code, sentence) => {
    const answer = await cli(...args);
    expect(answer).toMatchObject({ code, out: '', err: expect.stringContaining(sentence) });
    expect(answer.err).not.toMatch(/\n\s+at /);
  });
});
