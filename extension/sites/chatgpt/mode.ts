/**
 * Chat or Work, on the days that the page has that switch: a message of ours is one to a chat. Only a whole switch that
 * stands there once is one; what only looks like a part of it is nobody's to press.
 */
import type { Look } from '../../site/index.ts';
import { isVisible, labelOf } from '../base/index.ts';
import { awaited } from './menu.ts';
import { LABELS, SELECTORS } from './selectors.ts';

const SET = { found: true } as const;
const MOVING = { found: null, why: 'missing' } as const;

/** True when the page has no such switch, or it stands at Chat (by now). */
export async function chatMode(
  document: Document,
  signal: AbortSignal,
  pause: (ms: number) => Promise<void>,
): Promise<Look<true>> {
  const [chat, ...moreChat] = modes(document, LABELS.chatMode);
  const [work, ...moreWork] = modes(document, LABELS.workMode);
  if (chat === undefined || work === undefined) return { found: true };
  if (moreChat.length + moreWork.length > 0) return { found: null, why: 'ambiguous' };
  if (isChosen(chat)) return isChosen(work) ? { found: null, why: 'ambiguous' } : { found: true };
  chat.click();
  const chosen = await awaited((): Look<true> => (isSet(chat, work) ? SET : MOVING), signal, pause);
  return chosen.found === null ? { found: null, why: 'disabled' } : chosen;
}

function modes(document: Document, labels: readonly string[]): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(SELECTORS.mode)].filter(
    (radio) => isVisible(radio) && labels.includes(labelOf(radio)),
  );
}

const isSet = (chat: HTMLElement, work: HTMLElement): boolean => isChosen(chat) && !isChosen(work);

const isChosen = (radio: HTMLElement): boolean =>
  radio instanceof HTMLInputElement
    ? radio.checked
    : radio.getAttribute('aria-checked') === 'true' || radio.getAttribute('data-state') === 'checked';
