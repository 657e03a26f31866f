/** The text of a message, as its reader sees it. */
import { UNSHOWN } from '../../reading.ts';
import { MESSAGE_MAX_CHARS } from './limits.ts';

/** Where code stands. `line`: each of these in a block is one line of it. `gap`: what stands there for code that is not drawn. */
export interface CodePlaces {
  block: string;
  line?: string;
  gap?: string;
}

const BLOCKS: ReadonlySet<string> = new Set(['P', 'DIV', 'LI', 'PRE', 'H1', 'H2', 'H3', 'H4', 'BLOCKQUOTE', 'TR']);

/**
 * What a person reads there, a paragraph a line, blank lines as they are. `notText`: what is no words of its author;
 * `verbatim`: its blanks are the author's; `code`: blocks that are given between fences, so that who reads them knows
 * that the page has changed no character.
 */
export function textOf(message: HTMLElement, notText: readonly string[], verbatim = false, code?: CodePlaces): string {
  let text = '';
  const walk = (node: Node, asItStands: boolean): void => {
    if (text.length > MESSAGE_MAX_CHARS) return;
    if (node.nodeType === Node.TEXT_NODE) {
      const said = node.textContent ?? '';
      text += asItStands ? said : said.replaceAll(/\s+/g, ' ');
      return;
    }
    if (!(node instanceof HTMLElement)) return;
    if (notText.some((selector) => node.matches(selector))) return;
    if (code !== undefined && node.matches(code.block)) {
      const said = codeOf(node, code);
      const fence = fenceOf(said);
      text = `${text.replace(/\n+$/, '')}${text === '' ? '' : '\n'}${fence}\n${said}\n${fence}\n`;
      return;
    }
    if (node instanceof HTMLBRElement) {
      text += '\n';
      return;
    }
    const block = BLOCKS.has(node.tagName);
    if (block && text !== '') text = `${text.replace(/\n+$/, '')}${node.tagName === 'P' ? '\n\n' : '\n'}`;
    const keeps = asItStands || node.tagName === 'PRE' || node.classList.contains('whitespace-pre-wrap');
    for (const child of node.childNodes) walk(child, keeps);
    if (block && !text.endsWith('\n')) text += '\n';
  };
  walk(message, verbatim);
  const said = text.replaceAll('\u00a0', ' ');
  return (verbatim ? said.replaceAll('\n', '') : said.trim()).slice(0, MESSAGE_MAX_CHARS);
}

/** Longer than any that stands in the code itself. */
function fenceOf(code: string): string {
  const inside = [...code.matchAll(/^\s*(`{3,})/gm)].map(([, ticks = '']) => ticks.length);
  return '`'.repeat(Math.max(2, ...inside) + 1);
}

function codeOf(block: HTMLElement, { line, gap }: CodePlaces): string {
  const unshown = gap !== undefined && block.querySelector(gap) !== null ? UNSHOWN : '';
  const lines = line === undefined ? [] : [...block.querySelectorAll(line)];
  const text = lines.length > 0 ? lines.map((each) => each.textContent ?? '').join('\n') : (block.textContent ?? '');
  return text.replace(/\n$/, '') + unshown;
}
