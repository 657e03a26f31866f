import { describe, expect, it } from 'vitest';
import { clean, frame } from '../../../cli/herdr/frame.ts';
import { pressesOf } from '../../../cli/herdr/keys.ts';
import { choosePane } from '../../../cli/herdr/pane.ts';
import { agent, pane } from '../../runtime-a-b/support/objects.ts';

describe('keys of a terminal', () => {
  it.each([
    ['ls\r', [{ text: 'ls\r' }], false],
    ['\u0003', [{ text: '\u0003' }], false],
    ['あé', [{ text: 'あé' }], false],
    ['\u001b[A', [{ keys: ['up'] }], false],
    ['\u001bOD', [{ keys: ['left'] }], false],
    ['a\u001b[A\u001b[Bb', [{ text: 'a' }, { keys: ['up', 'down'] }, { text: 'b' }], false],
    ['\u001b[5~', [{ text: '\u001b[5~' }], false],
    ['\u001b', [{ text: '\u001b' }], false],
    ['\u001d', [], true],
    ['ab\u001dcd', [{ text: 'ab' }], true],
  ])('%j', (input, presses, detach) => {
    expect(pressesOf(input)).toEqual({ presses, detach });
  });
});

describe('a frame', () => {
  it('keeps colours and takes out whatever else could act on the terminal', () => {
    expect(clean('\u001b[1;31mred\u001b[0m \u001b[2J\u001b[5;5Hx\u001b]0;title\u0007y\u001bcz\u0007\u0008\n')).toBe(
      '\u001b[1;31mred\u001b[0m xyz\n',
    );
  });

  it('shows the last rows of what is taller, and cuts its own row to the width', () => {
    const shown = frame('one\ntwo\nthree\n', 'a long status', { columns: 6, rows: 3 });
    expect(shown).not.toContain('one');
    expect(shown).toContain('\u001b[1;1H\u001b[0mtwo');
    expect(shown).toContain('\u001b[2;1H\u001b[0mthree');
    expect(shown).toContain('\u001b[3;1H\u001b[7ma long\u001b[0m');
  });

  it.each([1, 2, 50])('fits %d rows', (rows) => {
    const positions = [...frame('a\nb\nc\n', 's', { columns: 10, rows }).matchAll(/\u001b\[(\d+);1H/g)];
    expect(Math.max(...positions.map(([, row]) => Number(row)))).toBe(rows);
  });
});

describe('which pane is meant', () => {
  const panes = [pane('w1:p1'), pane('w2:p1')];
  const agents = [agent('w2:p1', { name: 'fixer' })];

  it.each([
    ['its id', 'w1:p1', undefined, 'w1:p1'],
    ['an agent’s name', 'fixer', undefined, 'w2:p1'],
    ['the focused one', undefined, 'w2:p1', 'w2:p1'],
  ])('%s', (_, named, focused, expected) => {
    const seen = { panes, agents, ...(focused === undefined ? {} : { focused_pane_id: focused }) };
    expect(choosePane(seen, named).pane_id).toBe(expected);
  });

  it('the only one, but none of several', () => {
    expect(choosePane({ panes: panes.slice(0, 1), agents: [] }, undefined).pane_id).toBe('w1:p1');
    expect(() => choosePane({ panes, agents }, undefined)).toThrow(/none has the focus/);
    expect(() => choosePane({ panes, agents }, 'w9:p9')).toThrow(/neither a pane nor an agent/);
    expect(() => choosePane({ panes: [], agents: [] }, undefined)).toThrow(/no pane open/);
  });
});
