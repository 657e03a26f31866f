import { describe, expect, it } from 'vitest';
import { LANGUAGES, languageOf, type Surface, say, WORDS } from '../../look/words/index.ts';
import { verifies } from '../verifies.ts';

const surfaces = Object.keys(WORDS) as Surface[];
const holes = (text: string) => [...text.matchAll(/\{(\w+)(?:\|[^{}]*)?\}/g)].map(([, name]) => name).sort();

describe.each(surfaces)('the words of %s', (surface) => {
  const english: Readonly<Record<string, string>> = WORDS[surface].en;

  it.each(LANGUAGES)('are complete in %s: the same keys, no empty sentence, the same values put in', (language) => {
    verifies('control-center.languages');
    const words: Readonly<Record<string, string>> = WORDS[surface][language];
    expect(Object.keys(words).sort()).toEqual(Object.keys(english).sort());
    for (const [key, text] of Object.entries(words)) {
      expect([key, text.trim()]).not.toEqual([key, '']);
      expect([key, [...new Set(holes(text))]]).toEqual([key, [...new Set(holes(english[key] ?? ''))]]);
    }
  });

  it('are written in each language, not left in English', () => {
    const left = Object.entries(english).filter(
      ([key, text]) =>
        text.split(' ').length > 2 &&
        LANGUAGES.some((language) => language !== 'en' && Reflect.get(WORDS[surface][language], key) === text),
    );
    expect(left).toEqual([]);
  });
});

describe.each(LANGUAGES)('in %s a person', (language) => {
  it('reads of the bridge that it is an experiment, no MCP of the site, and that a connector is the better way', () => {
    verifies('bridge.said-plainly');
    const experimental = { en: /experimental/i, ja: /実験/, zh: /实验/ }[language];
    const better = { en: /native connector|better way/, ja: /コネクタ|よい|良い/, zh: /连接器|更好/ }[language];
    expect(say(language, 'bridge', 'name')).toMatch(experimental);
    for (const text of [say(language, 'bridge', 'title'), say(language, 'options', 'sitesHint')]) {
      expect(text).toMatch(experimental);
      expect(text).toMatch(better);
    }
    expect(say(language, 'bridge', 'title')).toContain('MCP');
  });
});

describe('a number', () => {
  const noun = (name: string, count: number, expected: string) => ({ name, count, expected });
  it.each([
    noun('control', 1, '1 working, 1 waiting for you, 1 pane in 1 workspace'),
    noun('control', 0, '0 working, 0 waiting for you, 0 panes in 0 workspaces'),
    noun('control', 21, '21 working, 21 waiting for you, 21 panes in 21 workspaces'),
  ])('has its noun in the form that goes with it: $expected', ({ count, expected }) => {
    verifies('control-center.languages');
    const values = { working: count, blocked: count, panes: count, workspaces: count };
    expect(say('en', 'control', 'counts', values)).toBe(expected);
  });

  it('reads well in English for one and for many, in every sentence that counts', () => {
    verifies('control-center.languages');
    const counted = surfaces.flatMap((surface) =>
      Object.entries<string>(WORDS[surface].en).map(([key, text]) => ({ surface, key, text })),
    );
    // A number right before a noun in the plural needs the other form too.
    const left = counted.filter(({ text }) =>
      /\{(count|panes|workspaces|messages|tokens|rounds|open)\} (?!of |more \{|kept \{|open \{)[a-z]+s\b/.test(text),
    );
    expect(left).toEqual([]);
    expect(say('en', 'options', 'why.pages_old', { count: 1, open: 1 })).toBe(
      '1 of 1 open chat does not answer. Reload it: it was opened before this version.',
    );
    expect(say('en', 'bridge', 'waiting', { count: 2 })).toBe('2 of your messages wait');
  });

  it.each(['ja', 'zh'] as const)('needs no forms in %s', (language) => {
    const forms = surfaces
      .flatMap((surface) => Object.values<string>(WORDS[surface][language]))
      .filter((text) => /\{\w+\|/.test(text));
    expect(forms).toEqual([]);
  });
});

describe('a language', () => {
  it('is the nearest of ours to what a browser names; English for all others', () => {
    verifies('control-center.languages');
    expect(['ja-JP', 'zh_TW', 'ZH', 'de', '', null, undefined].map(languageOf)).toEqual([
      'ja',
      'zh',
      'zh',
      'en',
      'en',
      'en',
      'en',
    ]);
  });

  it('says a value as it is: nothing in it is read as a name', () => {
    expect(say('en', 'panel', 'bindLabel', { label: '{label} $& <b>' })).toContain('{label} $& <b>');
  });
});
