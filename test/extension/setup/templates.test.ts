import { describe, expect, it } from 'vitest';
import { progressText, settledText } from '../../../extension/machines/worker/render.ts';
import { defaultTemplate, fill, PLACEHOLDERS, TEMPLATES } from '../../../extension/machines/worker/template.ts';
import { LANGUAGES } from '../../../look/words/index.ts';
import { verifies } from '../../verifies.ts';
import { world } from '../worker/world.ts';

const agent = (pane: string, status: string) => ({
  pane,
  name: 'builder',
  agent: 'claude',
  status,
  workspace: 'w1',
  cwd: null,
  terminal_title: null,
});
const site = (...statuses: string[]) => ({
  id: 'w1',
  label: 'site',
  agents: statuses.map((status, index) => agent(`w1:p${index}`, status)),
});
const ended = [{ pane: 'w1:p0', name: 'builder', status: 'done' }];

describe('a message in a person’s own words', () => {
  it('holds the facts where their names stand', () => {
    verifies('control-center.options');
    const own = 'Look at {workspace}: {ended}\n{agents}\n{working} busy, {unknown}';
    expect(settledText('en', own, site('done', 'working'), ended, false)).toBe(
      [
        'Look at site (w1): - builder (w1:p0): done',
        'Agents in site (w1):',
        '- w1:p0 builder: done',
        '- w1:p1 builder: working',
        '1 busy, {unknown}',
      ].join('\n'),
    );
    expect(progressText('en', '{output}\nnow', site('working'), 'a\nb', false)).toBe('> a\n> b\nnow');
  });

  it('reads nothing in a fact as a name, and sends no fact twice', () => {
    expect(fill('{output} {workspace}', { output: '{workspace}', workspace: 'w' })).toBe('{workspace} w');
    const odd = '{constructor} {toString} {__proto__} {constructor}';
    expect(fill(odd, { output: 'x' })).toBe(odd);
    const long = fill('{output}\n'.repeat(400), { output: 'x\n'.repeat(2_000) });
    expect(long.length).toBeLessThanOrEqual(24_000);
    expect(long.match(/x/g)).toHaveLength(2_000);
  });

  it('leaves out a line whose fact is empty', () => {
    expect(fill('{state}\n{ended}\n\n{agents}', { state: 's', ended: '', agents: 'a' })).toBe('s\n\na');
  });

  it.each(LANGUAGES)('comes with words of its own in %s, which name only what is replaced', (language) => {
    for (const name of TEMPLATES) {
      const words = defaultTemplate(language, name);
      const names = [...words.matchAll(/\{(\w+)\}/g)].map(([, word]) => word);
      expect(PLACEHOLDERS[name]).toEqual(expect.arrayContaining(names));
    }
    const text = settledText(language, null, site('done'), ended, true);
    expect(text).toBe(settledText(language, defaultTemplate(language, 'settled'), site('done'), ended, true));
    expect(text).toContain('builder (w1:p0): done');
    expect(text).not.toMatch(/\{\w+\}/);
  });

  it('is what Auto sends, kept as a site takes it', async () => {
    verifies('control-center.options');
    const it = world();
    await it.begin();
    await it.bind();
    const settledTemplate = ' Work in {workspace}\u200b is over.\r\n{ended} ';
    await it.take({ type: 'config', config: { settledTemplate } });
    expect((await it.state()).config.settledTemplate).toBe('Work in {workspace}  is over.\n{ended}');
    await it.press({ name: 'auto', on: true });
    await it.agent('w1:p1', 'working', 1);
    await it.agent('w1:p1', 'done', 2);
    expect(it.turns).toEqual(['Work in site (w1)  is over.\n- pi (w1:p1): done']);
    await it.take({
      type: 'config',
      config: { settledTemplate: ' \n ', progressTickSec: -4, progressFallbackSec: 1e9 },
    });
    expect((await it.state()).config).toMatchObject({
      settledTemplate: null,
      progressTickSec: 0,
      progressFallbackSec: 86_400,
    });
  });
});
