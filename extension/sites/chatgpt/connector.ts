/** The connector's pill: learnt from one turn, selected through the "+" menu, read back. Nothing is guessed from a name. */
import type { Look } from '../../site/index.ts';
import { only } from '../base/index.ts';
import { awaited, closeMenu, menuItem } from './menu.ts';
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
  const item = await awaited(
    () => menuItem(document, (item) => (item.textContent ?? '').trim() === keyword),
    signal,
    pause,
  );
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
