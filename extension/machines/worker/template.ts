/** Messages as a person may word them: the words are theirs, the facts stand where a name in braces is. Pure. */
import { type Language, say } from '../../../look/words/index.ts';
import { WAKE_CHARS_MAX } from './limits.ts';

export const TEMPLATES = ['settled', 'progress'] as const;
export type TemplateName = (typeof TEMPLATES)[number];

/** What may stand in each; everything else in braces is left as it was written. */
export const PLACEHOLDERS = {
  settled: ['state', 'ended', 'agents', 'workspace', 'working'],
  progress: ['state', 'output', 'agents', 'workspace', 'working'],
} as const satisfies Record<TemplateName, readonly string[]>;

/** The template that comes with the extension, in the language of the surfaces. */
export function defaultTemplate(language: Language, name: TemplateName): string {
  const wake = (key: Parameters<typeof say<'wake'>>[2]) => say(language, 'wake', key);
  return name === 'settled'
    ? ['{state}', '{ended}', '', '{agents}', '', wake('settledTask'), wake('settledCaution')].join('\n')
    : ['{state}', '', wake('progressOutput'), '{output}', '', '{agents}', '', wake('progressTask')].join('\n');
}

/**
 * Each name is replaced once, so that nothing in a value is read as a name, and a value that stands twice is not sent twice.
 * A line that is only a name without a value is left out.
 */
export function fill(template: string, values: Readonly<Record<string, string>>): string {
  const used = new Set<string>();
  // A person may write any name, also one that every object has.
  const factOf = (name: string) => (Object.hasOwn(values, name) ? values[name] : undefined);
  const lines = template.split('\n').flatMap((line) => {
    const alone = /^\{(\w+)\}$/.exec(line.trim())?.[1];
    if (alone !== undefined && factOf(alone) === '') return [];
    return line.replace(/\{(\w+)\}/g, (whole, name: string) => {
      const value = factOf(name);
      if (value === undefined) return whole;
      if (used.has(name) && value.includes('\n')) return '';
      used.add(name);
      return value;
    });
  });
  const text = lines.join('\n').trim();
  return text.length <= WAKE_CHARS_MAX ? text : `${text.slice(0, WAKE_CHARS_MAX - 1)}…`;
}
