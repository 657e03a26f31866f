/**
 * Every word that a person sees in the browser, in English, Japanese and Chinese. One folder a surface; English names the
 * keys and the other two must have exactly these, which the compiler holds. `{name}` stands for a value, and
 * `{name|message|messages}` for the word that goes with that number in this language, in the order of {@link FORMS}.
 */
import { AUTO } from './auto/index.ts';
import { BRIDGE } from './bridge/index.ts';
import { CONTROL } from './control/index.ts';
import { HANDOFF } from './handoff/index.ts';
import { HUD } from './hud/index.ts';
import { OPTIONS } from './options/index.ts';
import { PANEL } from './panel/index.ts';
import { RECOVERY } from './recovery/index.ts';
import { START } from './start/index.ts';
import { WAKE } from './wake/index.ts';

export const LANGUAGES = ['en', 'ja', 'zh'] as const;
export type Language = (typeof LANGUAGES)[number];

export const WORDS = {
  auto: AUTO,
  bridge: BRIDGE,
  control: CONTROL,
  handoff: HANDOFF,
  hud: HUD,
  options: OPTIONS,
  panel: PANEL,
  recovery: RECOVERY,
  start: START,
  wake: WAKE,
} as const;
export type Surface = keyof typeof WORDS;

/** The nearest of our languages to what a browser or a system names (`zh-TW`, `ja-JP`); English for all others. */
export function languageOf(tag: string | null | undefined): Language {
  const primary = (tag ?? '').toLowerCase().split(/[-_]/)[0];
  return LANGUAGES.find((language) => language === primary) ?? 'en';
}

/** Which forms a language has, in the order in which its words list them. Japanese and Chinese have one for all numbers. */
const FORMS: Readonly<Record<Language, readonly Intl.LDMLPluralRule[]>> = {
  en: ['one', 'other'],
  ja: ['other'],
  zh: ['other'],
};

/** The one of `forms` that goes with `value`; the last one where the value is no number. */
function formOf(language: Language, forms: readonly string[], value: string | number | undefined): string {
  const rule = new Intl.PluralRules(language).select(Number(value));
  return forms[FORMS[language].indexOf(rule)] ?? forms.at(-1) ?? '';
}

/** A sentence of a surface with its values put in. A value that is not given stays visible as `{name}`. */
export function say<S extends Surface>(
  language: Language,
  surface: S,
  key: keyof (typeof WORDS)[S]['en'],
  values: Readonly<Record<string, string | number>> = {},
): string {
  const words = WORDS[surface][language] as Readonly<Record<PropertyKey, string>>;
  return (words[key] ?? '').replace(HOLE, (whole, name: string, forms: string | undefined) =>
    forms === undefined ? String(values[name] ?? whole) : formOf(language, forms.split('|'), values[name]),
  );
}

const HOLE = /\{(\w+)(?:\|([^{}]*))?\}/g;
