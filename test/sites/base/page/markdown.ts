/**
 * Markdown as these sites draw it: outside of code blocks stars, underscores, dollars and backslashes mean something and are
 * gone from what can be read; inside of one every character stays.
 */
import { el } from './element.ts';

/** `code` draws a block: its lines, and the word behind its fence. */
export function markdown(
  text: string,
  code: (lines: readonly string[], language: string) => HTMLElement,
): HTMLElement[] {
  const parts: HTMLElement[] = [];
  const lines = text.split('\n');
  let words: string[] = [];
  const flush = () => {
    for (const paragraph of words.join('\n').split(/\n{2,}/)) {
      if (paragraph.trim() !== '') parts.push(el('p', {}, inline(paragraph)));
    }
    words = [];
  };
  for (let at = 0; at < lines.length; at += 1) {
    const fence = /^\s*```([\w-]*)\s*$/.exec(lines[at] ?? '');
    if (fence === null) {
      words.push(lines[at] ?? '');
      continue;
    }
    flush();
    const end = lines.findIndex((line, index) => index > at && /^\s*```\s*$/.test(line));
    const last = end < 0 ? lines.length : end;
    parts.push(code(lines.slice(at + 1, last), fence[1] ?? ''));
    at = last;
  }
  flush();
  return parts;
}

function inline(paragraph: string): (HTMLElement | string)[] {
  const plain = paragraph
    .replaceAll(/\\([\\`*_{}[\]()#+\-.!"$])/g, '$1')
    .replaceAll(/\*([^*\n]+)\*/g, '$1')
    .replaceAll(/\$([^$\n]+)\$/g, '$1')
    .replaceAll(/\s*\n\s*/g, ' ');
  return [plain];
}
