import { describe, expect, it } from 'vitest';
import { LANGUAGES, languageOf, type Surface, say, WORDS } from '../../look/words/index.ts';
import { verifies } from '../verifies.ts';

const surfaces = Object.keys(WORDS) as Surface[];
const holes = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();

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
