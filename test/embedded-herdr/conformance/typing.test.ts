/** What reaches the program in a pane: text, keys, pastes, and answers to what it asks its terminal. */
import { describe, expect, it } from 'vitest';
import type { PaneInfo } from '../../../contract/herdr/index.ts';
import { verifies } from '../../verifies.ts';
import { theirs, until } from '../harness/index.ts';
import { herdr } from './herdr.ts';

/** Starts `cat -vt` in raw mode, which shows every byte that it gets; `modes` is printed first. */
async function byteViewer(label: string, modes = ''): Promise<PaneInfo> {
  const pane = await herdr.open(label);
  const command = `stty raw -echo; printf '${modes}see''ing\\r\\n'; exec cat -vt`;
  await herdr.run(pane.pane_id, command, 'seeing\n');
  return pane;
}

const shows = (pane: PaneInfo, text: string) =>
  until(`${text} in ${pane.pane_id}`, async () => {
    const screen = (await herdr.screen(pane.pane_id)).replaceAll('\n', '');
    return screen.includes(text) ? screen : undefined;
  });

describe('typing', () => {
  it('sends text as it is, without Enter', async () => {
    verifies('embedded.pty');
    const pane = await byteViewer('text');
    await herdr.call('pane.send_text', { pane_id: pane.pane_id, text: 'a\tb\x1b[1mö\n' });
    await shows(pane, 'a^Ib^[[1mM-CM-6');
  });

  const combos: [string, string][] = [
    ['enter', '^M'],
    ['esc', '^['],
    ['tab', '^I'],
    ['shift+tab', '^[[Z'],
    ['backspace', '^?'],
    ['ctrl+c', '^C'],
    ['C-c', '^C'],
    ['ctrl+d', '^D'],
    ['ctrl+u', '^U'],
    ['alt+b', '^[b'],
    ['up', '^[[A'],
    ['down', '^[[B'],
    ['right', '^[[C'],
    ['left', '^[[D'],
    ['ctrl+right', '^[[1;5C'],
    ['shift+up', '^[[1;2A'],
    ['f1', '^[OP'],
    ['f4', '^[OS'],
    ['f5', '^[[15~'],
    ['f12', '^[[24~'],
    ['space', ' .'],
    ['x', 'x'],
    ['X', 'X'],
    ['shift+x', 'X'],
    ['+', '+'],
    ['plus', '+'],
    ['minus', '-'],
    ['semicolon', ';'],
    ['backtick', '`'],
    ['ENTER', '^M'],
    ['Ctrl+A', '^A'],
  ];
  it('sends every key of the table as a terminal would', async () => {
    const pane = await byteViewer('keys');
    const plainTab = theirs(herdr, 'shift-tab-is-tab');
    for (const [combo, usual] of combos) {
      const bytes = combo === 'shift+tab' && plainTab ? '^I' : usual;
      await herdr.call('pane.send_text', { pane_id: pane.pane_id, text: `<${combo}:` });
      await herdr.call('pane.send_keys', { pane_id: pane.pane_id, keys: [combo] });
      await herdr.call('pane.send_text', { pane_id: pane.pane_id, text: combo === 'space' ? '.>' : '>' });
      await shows(pane, `<${combo}:${bytes}>`);
    }
  });

  it('follows application cursor keys', async () => {
    const pane = await byteViewer('cursor', '\\033[?1h');
    await herdr.call('pane.send_keys', { pane_id: pane.pane_id, keys: ['up', 'left'] });
    await shows(pane, '^[OA^[OD');
  });

  it('validates every key before any byte is written', async () => {
    verifies('embedded.refusals');
    const pane = await byteViewer('validated');
    const { pane_id } = pane;
    for (const bad of ['home', 'end', 'pageup', 'delete', 'prefix+c', 'ctrl+', 'wat', 'nope+x', '']) {
      expect(`${bad}: ${await herdr.refusal('pane.send_keys', { pane_id, keys: ['q', bad] })}`).toBe(
        `${bad}: invalid_key`,
      );
    }
    expect(await herdr.refusal('pane.send_input', { pane_id, text: 'q', keys: ['home'] })).toBe('invalid_key');
    await herdr.call('pane.send_text', { pane_id, text: 'z' });
    expect(await shows(pane, 'z')).not.toContain('q');
  });

  it('wraps input as a paste only where the program asked for it', async () => {
    const plain = await byteViewer('no-paste');
    await herdr.call('pane.send_input', { pane_id: plain.pane_id, text: 'hello', keys: ['enter'] });
    await shows(plain, 'hello^M');
    const pasting = await byteViewer('paste', '\\033[?2004h');
    await herdr.call('pane.send_input', { pane_id: pasting.pane_id, text: 'hello', keys: ['enter'] });
    await shows(pasting, '^[[200~hello^[[201~^M');
    await herdr.call('pane.send_text', { pane_id: pasting.pane_id, text: 'raw' });
    await shows(pasting, '^Mraw');
  });

  it('lets no text break out of its paste', async () => {
    verifies('embedded.refusals');
    const pane = await byteViewer('break-out', '\\033[?2004h');
    const text = 'a\x1b[201~rm -rf\x1b[20\x1b[201~1~b';
    await herdr.call('pane.send_input', { pane_id: pane.pane_id, text, keys: ['enter'] });
    const expected = theirs(herdr, 'paste-end-in-text') ? '^[[200~a^[[201~rm -rf' : '^[[200~arm -rfb^[[201~^M';
    await shows(pane, expected);
  });
});

describe('device queries', () => {
  const queries: [string, string, RegExp][] = [
    ['cursor position', '\\033[6n', /\^\[\[\d+;\d+R/],
    ['device attributes', '\\033[c', /\^\[\[\?[\d;]+c/],
    ['secondary attributes', '\\033[>c', /\^\[\[>[\d;]+c/],
    ['terminal version', '\\033[>q', /\^\[P>\|.+\^\[\\/],
    ['kitty keyboard', '\\033[?u', /\^\[\[\?\d+u/],
    ['background colour', '\\033]11;?\\033\\\\', /\^\[\]11;rgb:[0-9a-f/]+/],
  ];
  it.for(queries)('are answered: %s', async ([name, query, expected], { skip }) => {
    if (name === 'background colour' && theirs(herdr, 'colour-without-client')) skip();
    const pane = await byteViewer(name, query);
    await until(`an answer for ${name}`, async () =>
      expected.test((await herdr.screen(pane.pane_id)).replaceAll('\n', '')),
    );
  });
});
