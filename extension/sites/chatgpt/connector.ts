/** The connector's pill: learnt from one turn, selected through the "+" menu, read back. Nothing is guessed from a name. */
import type { Look } from '../../site/index.ts';
import { isVisible, only } from '../base/index.ts';
import { MENU_LOOK_MS, MENU_LOOKS } from './limits.ts';
import { SELECTORS } from './selectors.ts';

/** The keyword of the only pill of the latest user turn. */
export function connector(document: Document): Look<string> {
  const turns = [...document.querySelectorAll<HTMLElement>(SELECTORS.message)].filter(
    (turn) => turn.getAttribute('data-message-author-role') === 'user',
  );
  const latest = turns.at(-1);
  if (latest === undefined) return { found: null, why: 'missing' };
  const keywords = keywordsIn(latest);
  const [keyword] = keywords;
  if (keyword === undefined) return { found: null, why: 'missing' };
  return keywords.length === 1 ? { found: keyword } : { found: null, why: 'ambiguous' };
}

function keywordsIn(element: HTMLElement): string[] {
  return [...element.querySelectorAll(SELECTORS.pill)]
    .map((pill) => pill.getAttribute('data-keyword') ?? '')
    .filter((keyword) => keyword !== '');
}

/** Selects `keyword` for the next message; true once exactly that pill stands in the composer. */
export async function selectConnector(
  document: Document,
  keyword: string,
  signal: AbortSignal,
  pause: (ms: number) => Promise<void>,
): Promise<Look<true>> {
  const editor = only(document, SELECTORS.composer);
  if (editor.found === null) return editor;
  const selected = () => {
    const now = only(document, SELECTORS.composer);
    return now.found === null ? [] : keywordsIn(now.found);
  };
  if (selected().length > 0) return selected().join() === keyword ? { found: true } : { found: null, why: 'ambiguous' };
  const plus = only(document, SELECTORS.plus);
  if (plus.found === null) return plus;
  plus.found.click();
  const item = await awaited(() => menuItem(document, keyword), signal, pause);
  if (item.found === null) {
    closeMenu(document, plus.found);
    return item;
  }
  item.found.click();
  return awaited<true>(
    () => (selected().join() === keyword ? { found: true } : { found: null, why: 'missing' }),
    signal,
    pause,
  );
}

/** The only entry of a visible menu that says exactly this. */
function menuItem(document: Document, keyword: string): Look<HTMLElement> {
  const menus = [...document.querySelectorAll<HTMLElement>(SELECTORS.menu.join())].filter(isVisible);
  const items = menus
    .flatMap((menu) => [...menu.querySelectorAll<HTMLElement>(SELECTORS.menuItem)])
    .filter((item) => isVisible(item) && (item.textContent ?? '').trim() === keyword);
  const [found] = items;
  if (found === undefined) return { found: null, why: 'missing' };
  return items.length === 1 ? { found } : { found: null, why: 'ambiguous' };
}

function closeMenu(document: Document, plus: HTMLElement): void {
  document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
  if (plus.getAttribute('aria-expanded') === 'true') plus.click();
}

/** Looks until something is found or found twice; what is missing may still be drawn. */
async function awaited<T>(
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
