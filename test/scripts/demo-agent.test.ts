import { join } from 'node:path';
import { type IPty, spawn } from '@lydell/node-pty';
import { Terminal } from '@xterm/headless';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readComposer } from '../../runtime-a-b/tools/agents/composer.ts';

const SCRIPT = join(import.meta.dirname, '..', '..', 'scripts', 'demo-agent', 'pi');

/** Longer than any machine is too busy to draw a line. */
const SOON = { timeout: 20_000 };

let agent: IPty;
let terminal: Terminal;
beforeEach(async () => {
  terminal = new Terminal({ cols: 60, rows: 24, allowProposedApi: true });
  agent = spawn(process.execPath, [SCRIPT], { cols: 60, rows: 24 });
  agent.onData((piece) => terminal.write(piece));
  await shows('❯');
});
afterEach(() => {
  agent.kill('SIGKILL');
  terminal.dispose();
});

function screen(): string {
  const { active } = terminal.buffer;
  const rows = Array.from({ length: active.length }, (_, i) => active.getLine(i)?.translateToString(true) ?? '');
  return rows.join('\n');
}

/** Wraps are undone; the test's own time limit is the only bound. */
async function shows(text: string): Promise<void> {
  while (!screen().replaceAll('\n', '').includes(text)) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** A frame may reach the screen in two pieces: the box is waited for like any text. */
async function boxIsEmpty(): Promise<void> {
  await vi.waitFor(() => expect(readComposer(screen())).toEqual({ state: 'empty' }), SOON);
}

const answers = () => screen().match(/Scripted answer \d+/g);

describe('the demo agent', () => {
  it('takes a paste of several lines as one prompt, and then has an empty box again', async () => {
    expect(terminal.modes.bracketedPasteMode).toBe(true);
    agent.write('\x1b[200~one\ntwo\n\nthree\x1b[201~');
    await shows('❯ one⏎two⏎⏎three');
    expect(readComposer(screen())).toMatchObject({ state: 'draft' });
    agent.write('\r');
    await shows('Working...');
    await boxIsEmpty();
    await shows('Scripted answer 1: I read 14 characters: "one\\ntwo\\n\\nthree".');
    await boxIsEmpty();
    expect(screen()).not.toContain('Working...');
    expect(answers()).toHaveLength(1);
  });

  it('takes lines that come in one burst without marks as one prompt', async () => {
    agent.write('one\ntwo\r');
    await shows('I read 7 characters: "one\\ntwo".');
    expect(answers()).toHaveLength(1);
  });

  it('answers prompts that came during a turn one after the other, and keeps what is half typed', async () => {
    agent.write('first\r');
    await shows('Working...');
    agent.write('second');
    await shows('❯ second');
    agent.write('\r');
    await boxIsEmpty();
    agent.write('hal');
    await shows('❯ hal');
    await shows('Scripted answer 2: I read 6 characters: "second".');
    expect(answers()).toEqual(['Scripted answer 1', 'Scripted answer 2']);
    expect(readComposer(screen())).toMatchObject({ state: 'draft', text: 'hal' });
  });

  it('shows the end of a long draft in one row, and Ctrl-C ends it', async () => {
    agent.write(`\x1b[200~${'x'.repeat(200)}end\x1b[201~`);
    await shows('xend');
    // It is drawn in several pieces: what stands there in the end counts.
    const rows = () =>
      screen()
        .split('\n')
        .filter((row) => row.includes('x'));
    await vi.waitFor(() => expect(rows()).toHaveLength(1), SOON);
    const ended = new Promise((resolve) => agent.onExit(resolve));
    agent.write('\x03');
    await ended;
    // What it wrote last is read after it has ended.
    await vi.waitFor(() => expect(terminal.modes.bracketedPasteMode).toBe(false), SOON);
  });
});
