/**
 * Permission cards. Only a one-time allow of a card that names a Herdr tool is ever offered to be pressed; a wider grant
 * is a person's. Anything that is not exactly that shape is left alone.
 */
import { isEnabled, isVisible, labelOf } from './find.ts';
import { CARD_DEPTH, LABEL_MAX_CHARS } from './limits.ts';
import { ASKS_PERMISSION, LABELS, OUR_NAME, SELECTORS } from './selectors.ts';

/** The allow-once controls that may be pressed now, one a card. */
export function permissionCards(document: Document): HTMLElement[] {
  return areas(document).flatMap(({ area, card }) => {
    const allow = buttons(area).filter((button) => says(button, LABELS.allowOnce));
    const [only] = allow;
    if (only === undefined || allow.length !== 1 || !isEnabled(only) || only.hasAttribute('aria-haspopup')) return [];
    const text = prose(card);
    return OUR_NAME.test(text) && ASKS_PERMISSION.test(text) ? [only] : [];
  });
}

/** Whether any card waits for an answer, ours or not: then nothing is typed. */
export function cardWaiting(document: Document): boolean {
  return areas(document).some(({ area }) => buttons(area).some((button) => says(button, LABELS.allowOnce)));
}

/** Places that hold an explicit refusal beside other buttons, with the card whose text belongs to them. */
function areas(document: Document): { area: HTMLElement; card: HTMLElement }[] {
  const rows = [...document.querySelectorAll<HTMLElement>(SELECTORS.cardActions)];
  const dialogs = [...document.querySelectorAll<HTMLElement>(SELECTORS.dialogs)];
  const found = [
    ...rows.map((area) => ({ area, card: cardOf(area) })),
    ...dialogs
      .filter((dialog) => !rows.some((row) => dialog.contains(row)))
      .map((dialog) => ({ area: dialog, card: dialog })),
  ];
  return found.filter(({ area }) => isVisible(area) && buttons(area).some((button) => says(button, LABELS.deny)));
}

/** The smallest ancestor that says something besides its buttons. */
function cardOf(area: HTMLElement): HTMLElement {
  let card = area;
  for (let depth = 0; depth < CARD_DEPTH; depth += 1) {
    if (prose(card) !== '') return card;
    const parent = card.parentElement;
    if (parent === null || parent.matches(SELECTORS.message) || parent === area.ownerDocument.body) break;
    card = parent;
  }
  return card;
}

function buttons(area: HTMLElement): HTMLElement[] {
  return [...area.querySelectorAll<HTMLElement>('button, [role="button"]')].filter(isVisible);
}

function says(button: HTMLElement, labels: readonly string[]): boolean {
  const label = labelOf(button);
  return label.length <= LABEL_MAX_CHARS && labels.includes(label);
}

/** The text that is no button's. */
function prose(card: HTMLElement): string {
  let text = '';
  const walk = (node: Node): void => {
    if (node.nodeType === Node.TEXT_NODE) text += ` ${node.textContent ?? ''}`;
    else if (node instanceof HTMLElement && !node.matches('button, [role="button"]')) node.childNodes.forEach(walk);
  };
  card.childNodes.forEach(walk);
  return text.replaceAll(/\s+/g, ' ').trim();
}
