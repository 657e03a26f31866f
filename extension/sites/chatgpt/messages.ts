/** The mounted messages and whether an answer is being written. */
import type { Look, Message, Messages } from '../../site/index.ts';
import { isVisible } from './find.ts';
import { MESSAGE_MAX_CHARS } from './limits.ts';
import { SELECTORS } from './selectors.ts';

/** Ids that stand only until the server has answered. */
const PASSING_ID = /^(placeholder|request)-/;

export function messages(document: Document): Look<Messages> {
  const elements = [...document.querySelectorAll<HTMLElement>(SELECTORS.message)].filter(
    (element) => element.parentElement?.closest(SELECTORS.message) == null,
  );
  const mounted: Message[] = [];
  for (const element of elements) {
    const role = element.getAttribute('data-message-author-role');
    if (role !== 'user' && role !== 'assistant') continue;
    const id = element.getAttribute('data-message-id');
    mounted.push({ role, id: id === null || id === '' || PASSING_ID.test(id) ? null : id, text: textOf(element) });
  }
  return { found: { mounted, turnsSeen: Math.max(mounted.length, highestTurn(document)) } };
}

function highestTurn(document: Document): number {
  let highest = 0;
  for (const turn of document.querySelectorAll(SELECTORS.turn)) {
    const number = Number(turn.getAttribute('data-testid')?.match(/(\d+)$/)?.[1]);
    if (Number.isSafeInteger(number)) highest = Math.max(highest, number + 1);
  }
  return highest;
}

/** What a person reads there, a paragraph a line, blank lines as they are. */
export function textOf(message: HTMLElement): string {
  let text = '';
  const walk = (node: Node, verbatim: boolean): void => {
    if (text.length > MESSAGE_MAX_CHARS) return;
    if (node.nodeType === Node.TEXT_NODE) {
      const said = node.textContent ?? '';
      text += verbatim ? said : said.replaceAll(/\s+/g, ' ');
      return;
    }
    if (!(node instanceof HTMLElement)) return;
    if (SELECTORS.notText.some((selector) => node.matches(selector))) return;
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

const BLOCKS: ReadonlySet<string> = new Set(['P', 'DIV', 'LI', 'PRE', 'H1', 'H2', 'H3', 'H4', 'BLOCKQUOTE', 'TR']);

/** A Stop control that can be seen, or a message that says of itself that it grows. */
export function streaming(document: Document, stop: Look<HTMLElement>): Look<boolean> {
  if (stop.found !== null || document.querySelector(SELECTORS.streaming) !== null) return { found: true };
  return stop.why === 'ambiguous' ? stop : { found: false };
}

/** A tool card that says that it is at work. */
export function toolRunning(document: Document): Look<boolean> {
  const cards = [...document.querySelectorAll<HTMLElement>(SELECTORS.toolCard)];
  return {
    found: cards.some(
      (card) =>
        isVisible(card) &&
        (card.getAttribute('aria-busy') === 'true' ||
          card.querySelector('[aria-busy="true"], [class*="animate-spin"], [class*="animate-pulse"]') !== null),
    ),
  };
}
