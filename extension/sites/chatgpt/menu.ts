/** Menus of the page: they draw themselves a moment after their button was pressed, and others may stand open. */
import type { Look } from '../../site/index.ts';
import { isVisible } from '../base/index.ts';
import { MENU_LOOK_MS, MENU_LOOKS } from './limits.ts';
import { SELECTORS } from './selectors.ts';

/** The only entry of a visible menu that fits. */
export function menuItem(document: Document, fits: (item: HTMLElement) => boolean): Look<HTMLElement> {
  const menus = [...document.querySelectorAll<HTMLElement>(SELECTORS.menu.join())].filter(isVisible);
  const items = menus
    .flatMap((menu) => [...menu.querySelectorAll<HTMLElement>(SELECTORS.menuItem)])
    .filter((item) => isVisible(item) && fits(item));
  const [found] = items;
  if (found === undefined) return { found: null, why: 'missing' };
  return items.length === 1 ? { found } : { found: null, why: 'ambiguous' };
}

export function closeMenu(document: Document, opener: HTMLElement): void {
  document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
  if (opener.getAttribute('aria-expanded') === 'true') opener.click();
}

/** Looks until something is found or found twice; what is missing may still be drawn. */
export async function awaited<T>(
  look: () => Look<T>,
  signal: AbortSignal,
  pause: (ms: number) => Promise<void>,
): Promise<Look<T>> {
  let last = look();
  for (let looked = 0; looked < MENU_LOOKS && last.found === null && last.why === 'missing'; looked += 1) {
    if (signal.aborted) break;
    await pause(MENU_LOOK_MS);
    last = look();
  }
  return last;
}
