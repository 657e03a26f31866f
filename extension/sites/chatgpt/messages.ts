/** The mounted messages and whether an answer is being written. */
import type { Look, Message, Messages } from '../../site/index.ts';
import { isVisible, textOf } from '../base/index.ts';
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
    mounted.push({
      role,
      id: id === null || id === '' || PASSING_ID.test(id) ? null : id,
      text: textOf(element, SELECTORS.notText),
    });
  }
  // Turns of which not one says whose it is: the site has changed. That none was read does not mean that none is there.
  if (mounted.length === 0 && document.querySelector(SELECTORS.anyTurn) !== null)
    return { found: null, why: 'unreadable' };
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
