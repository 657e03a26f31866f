/**
 * What the site itself says has failed: its error cards, its line below a cut answer, its word about too many requests.
 * What a person, the model or a tool wrote is never taken for it, wherever it stands.
 */
import type { SiteFailure } from '../../site/index.ts';
import { folded, isEnabled, isVisible, labelOf, only } from '../base/index.ts';
import { FAILURE_MAX_CHARS, FAILURES_READ } from './limits.ts';
import { LABELS, SAYS, SELECTORS } from './selectors.ts';

export function failure(document: Document): SiteFailure | null {
  const said = notices(document).filter(({ text }) => !SAYS.tooMany.test(text));
  const retry = retryControl(document, said);
  if (said.some(({ text }) => SAYS.sendTimeout.test(text))) return { kind: 'send_timeout', retry };
  // A card about too many requests has a Retry too, and it must not be pressed.
  if (retry !== null) return { kind: 'thread_error', retry };
  return said.some(({ text }) => SAYS.interrupted.test(text)) ? { kind: 'interrupted', retry: null } : null;
}

export function saysTooMany(document: Document): boolean {
  return notices(document).some(({ text }) => SAYS.tooMany.test(text));
}

interface Notice {
  element: HTMLElement;
  text: string;
}

/** The last things that the site says of itself, short as such things are. */
function notices(document: Document): Notice[] {
  const last = [...document.querySelectorAll(`${SELECTORS.message}[data-message-author-role="assistant"]`)].at(-1);
  const inAnswer = last ? [...last.querySelectorAll<HTMLElement>('div, p, span')] : [];
  return [...document.querySelectorAll<HTMLElement>(SELECTORS.notice), ...inAnswer]
    .filter((element) => element.closest(SELECTORS.authored) === null && isVisible(element))
    .filter((element) => element.querySelector(SELECTORS.authored) === null)
    .map((element) => ({ element, text: folded(element.textContent ?? '') }))
    .filter(({ text }) => text !== '' && text.length <= FAILURE_MAX_CHARS)
    .slice(-FAILURES_READ);
}

/** The Retry of the one error card: by its test id, else by its label inside what the site says. Two are none. */
function retryControl(document: Document, said: readonly Notice[]): HTMLElement | null {
  const named = only(document, SELECTORS.retry);
  if (named.found !== null) {
    const around = named.found.parentElement;
    const card = around?.closest<HTMLElement>(SELECTORS.notice) ?? around;
    const refusing = card !== null && SAYS.tooMany.test(folded(card.textContent ?? ''));
    return refusing || !isEnabled(named.found) ? null : named.found;
  }
  if (named.why !== 'missing') return null;
  const labelled = said.flatMap(({ element }) =>
    [...element.querySelectorAll<HTMLElement>('button')].filter(
      (button) => LABELS.retry.some((label) => label === labelOf(button)) && isVisible(button) && isEnabled(button),
    ),
  );
  const [first, ...others] = new Set(labelled);
  return first !== undefined && others.length === 0 ? first : null;
}
