/** Panes as terminals: their environment, what is read and awaited of them, and how they end. */
import { describe, expect, it } from 'vitest';
import type { PaneInfo } from '../../../contract/herdr/index.ts';
import { verifies } from '../../verifies.ts';
import { theirs, until } from '../harness/index.ts';
import { herdr } from './herdr.ts';

const read = async (
  pane: PaneInfo,
  source: 'visible' | 'recent' | 'recent_unwrapped' | 'detection',
  more: object = {},
) => (await herdr.call('pane.read', { pane_id: pane.pane_id, source, ...more })).read;

describe('the environment of a pane', () => {
  it('names the pane and cannot be overridden there', async () => {
    verifies('embedded.pty');
    const pane = await herdr.open('env', {
      env: { CI: '1', HERDR_PANE_ID: 'forged', HERDR_SOCKET_PATH: '/forged', TERM: 'vt100' },
    });
    const screen = await herdr.run(
      pane.pane_id,
      `echo "[$HERDR_ENV|$HERDR_PANE_ID|$HERDR_TAB_ID|$HERDR_WORKSPACE_ID|$CI|$TERM|$COLORTERM]"; test -S "$HERDR_SOCKET_PATH" && echo sock''et`,
      'socket',
    );
    expect(screen.replaceAll('\n', '')).toContain(
      `[1|${pane.pane_id}|${pane.tab_id}|${pane.workspace_id}|1|vt100|truecolor]`,
    );
    const size = await herdr.run(pane.pane_id, `stty size; echo si''ze`, 'size\n');
    if (herdr.kind === 'embedded') expect(size).toContain('24 80');
  });

  it('says what kind of terminal it is when nobody asks for another', async () => {
    const pane = await herdr.open('term');
    const screen = await herdr.run(pane.pane_id, 'echo "<$TERM>"', '<xterm-256color>');
    expect(screen).toContain('<xterm-256color>');
  });
});

describe('reading', () => {
  it('gives rendered rows: control sequences act, trailing blanks go, the text ends with one newline', async () => {
    const pane = await herdr.open('rows');
    await herdr.run(
      pane.pane_id,
      `clear; printf 'ab\\bc   \\r\\n\\033[3Cx\\r\\nwi\\344\\275\\240de\\r\\ne''nd\\r\\n'`,
      'end\n',
    );
    const { text, revision, truncated, source, format } = await read(pane, 'visible');
    expect(text.startsWith('ac\n   x\nwi你de\nend\n')).toBe(true);
    expect(text.endsWith('\n') && !text.endsWith('\n\n')).toBe(true);
    expect({ revision, truncated, source, format }).toEqual({
      revision: 0,
      truncated: false,
      source: 'visible',
      format: 'text',
    });
  });

  it('counts blank rows at the bottom for recent sources, and cuts text for the others', async () => {
    const pane = await herdr.open('counting');
    await herdr.run(pane.pane_id, `clear; printf 'one\\r\\ntwo\\r\\nth''ree\\r\\n'`, 'three\n');
    expect((await read(pane, 'recent', { lines: 10 })).text).toBe('');
    expect((await read(pane, 'recent', { lines: 200 })).text).toContain('one\ntwo\nthree\n');
    const last = await read(pane, 'visible', { lines: 2 });
    expect(last.text.startsWith('three\n')).toBe(true);
    expect(last.truncated).toBe(!theirs(herdr, 'truncated-always-false'));
  });

  it('keeps what has scrolled away, at most 1000 rows a read', async () => {
    const pane = await herdr.open('scrollback');
    await herdr.run(pane.pane_id, `seq 1 2000; echo fin''ished`, 'finished\n');
    const { text, truncated } = await read(pane, 'recent', { lines: 5000 });
    const rows = text.trimEnd().split('\n');
    expect(rows.length).toBeLessThanOrEqual(1000);
    expect(rows.length).toBeGreaterThan(900);
    expect(rows).toContain('1999');
    expect(truncated).toBe(!theirs(herdr, 'truncated-always-false'));
    const { pane: info } = await herdr.call('pane.get', { pane_id: pane.pane_id });
    expect(info.scroll?.offset_from_bottom).toBe(0);
    expect(info.scroll?.max_offset_from_bottom).toBeGreaterThan(1900);
  });

  it('joins soft-wrapped rows only when asked to', async () => {
    const pane = await herdr.open('wrapping');
    await herdr.run(pane.pane_id, `clear; printf '%0300d%s\\n' 7 t''ail`, 'tail');
    const long = `${'0'.repeat(299)}7tail`;
    expect((await read(pane, 'recent_unwrapped', { lines: 200 })).text).toContain(long);
    expect((await read(pane, 'recent', { lines: 200 })).text).not.toContain(long);
  });

  it('reproduces colours as SGR sequences when asked for ansi, and never for detection', async () => {
    const pane = await herdr.open('colours');
    await herdr.run(
      pane.pane_id,
      `clear; printf '\\033[1;31mred\\033[0m \\033[38;5;200mpink\\033[0m \\033[48;2;1;2;3mdeep\\033[0m plain e''nd\\r\\n'`,
      'plain end',
    );
    const { text } = await read(pane, 'visible', { format: 'ansi' });
    expect(text).toMatch(/\x1b\[(?:\d+;)*1(?:;\d+)*m(?:\x1b\[[\d;]*m)*red/);
    expect(text).toMatch(/38;5;200/);
    expect(text).toMatch(/48;2;1;2;3/);
    expect(text.replace(/\x1b\[[0-9;:]*m/g, '')).toContain('red pink deep plain end');
    const detection = await read(pane, 'detection', { format: 'ansi' });
    expect(detection.text).not.toContain('\x1b');
    expect(detection.format).toBe('ansi');
  });
});

describe('waiting for output', () => {
  it('matches what is there already at once, and what comes later when it comes', async () => {
    const { pane_id } = await herdr.open('matching');
    await herdr.run(pane_id, `echo al''ready`, 'already\n');
    const now = await herdr.call('pane.wait_for_output', {
      pane_id,
      source: 'recent',
      match: { type: 'substring', value: 'already' },
      timeout_ms: 20_000,
    });
    expect(now).toMatchObject({ type: 'output_matched', pane_id, revision: 0 });
    expect(now.matched_line).toContain('already');
    const later = herdr.call('pane.wait_for_output', {
      pane_id,
      source: 'recent',
      match: { type: 'regex', value: '^bu(i|o)lt \\d+$' },
      timeout_ms: 30_000,
    });
    await herdr.call('pane.send_input', { pane_id, text: "sleep 0.3; echo bui''lt 42", keys: ['enter'] });
    expect((await later).matched_line).toBe('built 42');
  });

  it('still sees the last output of a shell that ends', async ({ skip }) => {
    if (theirs(herdr, 'last-output')) skip();
    const { pane_id } = await herdr.open('last-output');
    const wait = herdr.call('pane.wait_for_output', {
      pane_id,
      source: 'recent',
      match: { type: 'substring', value: 'last-words' },
      timeout_ms: 40_000,
    });
    await herdr.call('pane.send_input', { pane_id, text: `seq 1 500; echo last-wo''rds; exit`, keys: ['enter'] });
    expect((await wait).matched_line).toBe('last-words');
  });

  it('ends with timeout, with pane_not_found, or with invalid_regex', async () => {
    verifies('embedded.refusals');
    const { pane_id } = await herdr.open('refusing');
    const wait = (match: object, more: object = {}) =>
      herdr.refusal('pane.wait_for_output', { pane_id, source: 'visible', match, ...more });
    expect(await wait({ type: 'substring', value: 'never' }, { timeout_ms: 150 })).toBe('timeout');
    expect(await wait({ type: 'regex', value: '(' }, { timeout_ms: 150 })).toBe('invalid_regex');
    expect(await wait({ type: 'regex', value: '(?=x)' }, { timeout_ms: 150 })).toBe('invalid_regex');
    expect(await wait({ type: 'regex', value: '(a)\\1' }, { timeout_ms: 150 })).toBe('invalid_regex');
    const vanished = wait({ type: 'substring', value: 'never' });
    await herdr.call('pane.close', { pane_id });
    expect(await vanished).toBe('pane_not_found');
  });

  it('does not let a regex hold up everybody else', async () => {
    const { pane_id } = await herdr.open('slow-regex');
    await herdr.run(pane_id, `printf 'a%.0s' $(seq 40); echo b; echo do''ne`, 'done\n');
    const refused = await herdr.refused('pane.wait_for_output', {
      pane_id,
      source: 'visible',
      match: { type: 'regex', value: '^(a+)+$' },
      timeout_ms: 2_000,
    });
    expect(refused.code).toBe(theirs(herdr, 'slow-regex') ? 'timeout' : 'invalid_regex');
  });
});

describe('closing', () => {
  it('ends processes that ignore a hang-up, and those in the background', async () => {
    const { pane_id } = await herdr.open('stubborn');
    const screen = await herdr.run(
      pane_id,
      `sh -c 'trap "" HUP TERM; echo "pid=$$="; while :; do sleep 0.1; done' & sleep 1; echo started''`,
      'started\n',
    );
    const pid = /pid=(\d+)=/.exec(screen)?.[1];
    expect(pid).toBeDefined();
    await herdr.call('pane.close', { pane_id });
    await until('the end of the stubborn process', () => {
      try {
        process.kill(Number(pid), 0);
        return false;
      } catch {
        return true;
      }
    });
  });
});
