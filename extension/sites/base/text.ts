/** The text of a message, as its reader sees it. */
import { MESSAGE_MAX_CHARS } from './limits.ts';

const BLOCKS: ReadonlySet<string> = new Set(['P', 'DIV', 'LI', 'PRE', 'H1', 'H2', 'H3', 'H4', 'BLOCKQUOTE', 'TR']);

/** What a person reads there, a paragraph a line, blank lines as they are. `notText`: what is no words of its author. */
export function textOf(message: HTMLElement, notText: readonly string[]): string {
  let text = '';
  const walk = (node: Node, verbatim: boolean): void => {
    if (text.length > MESSAGE_MAX_CHARS) return;
    if (node.nodeType === Node.TEXT_NODE) {
      const said = node.textContent ?? '';
      text += verbatim ? said : said.replaceAll(/\s+/g, ' ');
      return;
    }
    if (!(node instanceof HTMLElement)) return;
    if (notText.some((selector) => node.matches(selector))) return;
    if (node instanceof HTMLBRElement) {
      text += '\n';
      return;
    }
    const block = BLOCKS.has(node.tagName);
    if (block && text !== '') text = `${text.replace(/\n+$/, '')}${node.tagName === 'P' ? '\n\n' : '\n'}`;
    const keeps = verbatim || node.tagName === 'PRE' || node.classList.contains('whitespace-pre-wrap');
    for (const child of node.childNodes) walk(child, keeps);
    if (block && !text.endsWith('\n')) text += '\n';
  };
  walk(message, false);
  return text.replaceAll('\u00a0', ' ').trim().slice(0, MESSAGE_MAX_CHARS);
}
