/**
 * Permission cards. Only a one-time allow of a card whose own label names Herdr is ever offered to be pressed; a wider
 * grant is a person's. Words that the model, a tool or a person wrote never count as a label, wherever they stand:
 * neither the conversation around a card nor the arguments inside it can make anything be pressed.
 */
import { folded, isEnabled, isVisible, labelOf } from '../base/index.ts';
import { CARD_DEPTH, LABEL_MAX_CHARS } from './limits.ts';
import { ASKS_PERMISSION, LABELS, NAMES_US, SELECTORS } from './selectors.ts';

/** The allow-once controls that may be pressed now, one a card. */
export function permissionCards(document: Document): HTMLElement[] {
  return areas(document).flatMap(({ area, card }) => {
    const allow = buttons(area).filter((button) => says(button, LABELS.allowOnce));
    const [only] = allow;
    if (only === undefined || allow.length !== 1 || !isEnabled(only) || only.hasAttribute('aria-haspopup')) return [];
    const text = prose(card);
    return NAMES_US.test(text) && ASKS_PERMISSION.test(text) ? [only] : [];
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
  return found.filter(
    ({ area }) =>
      area.closest(SELECTORS.authored) === null &&
      isVisible(area) &&
      buttons(area).some((button) => says(button, LABELS.deny)),
  );
}

/** The smallest ancestor that says something besides its buttons; never one that holds a message or another card. */
function cardOf(area: HTMLElement): HTMLElement {
  let card = area;
  for (let depth = 0; depth < CARD_DEPTH; depth += 1) {
    if (prose(card) !== '') return card;
    const parent = card.parentElement;
    if (parent === null || parent.matches(SELECTORS.message) || parent === area.ownerDocument.body) break;
    if (parent.querySelector(SELECTORS.message) !== null || parent.querySelector(SELECTORS.authored) !== null) break;
    if (parent.querySelectorAll(SELECTORS.cardActions).length > 1) break;
    card = parent;
  }
  return card;
}

function buttons(area: HTMLElement): HTMLElement[] {
  return [...area.querySelectorAll<HTMLElement>('button, [role="button"]')].filter(isVisible);
}

/** What it is called and what can be read on it must both be one of these: a hidden name does not make a button another. */
function says(button: HTMLElement, labels: readonly string[]): boolean {
  const called = labelOf(button);
  const shown = folded(written(button, () => true));
  const fits = (label: string) => label.length <= LABEL_MAX_CHARS && labels.includes(label);
  return fits(called) && (shown === '' || fits(shown));
}

/** The label of a card: what can be seen, in its order, and is neither a button's nor somebody's own words. */
function prose(card: HTMLElement): string {
  return written(card, (each) => !each.matches('button, [role="button"]') && !each.matches(SELECTORS.authored))
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** The text of what can be seen below an element, as far as `enter` lets it look. */
function written(element: HTMLElement, enter: (each: HTMLElement) => boolean): string {
  let text = '';
  const walk = (node: Node): void => {
    if (node.nodeType === Node.TEXT_NODE) text += node.textContent ?? '';
    else if (node instanceof HTMLElement && enter(node) && isShown(node)) {
      text += ' ';
      node.childNodes.forEach(walk);
      text += ' ';
    }
  };
  element.childNodes.forEach(walk);
  return text;
}

/** `display: contents` has no box of its own and still shows what it holds. */
function isShown(element: HTMLElement): boolean {
  return isVisible(element) || element.ownerDocument.defaultView?.getComputedStyle(element).display === 'contents';
}
