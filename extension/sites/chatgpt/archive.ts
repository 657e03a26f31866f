/**
 * Archiving a chat: the entry of the chat's own menu, and the word of the site's server afterwards. Whatever stands beside
 * that entry (Delete is its neighbour) is never taken for it.
 */
import type { Look } from '../../site/index.ts';
import { type Ask, control, labelOf } from '../base/index.ts';
import { awaited, closeMenu, menuItem } from './menu.ts';
import { LABELS, SELECTORS } from './selectors.ts';
import { readConversation } from './snapshot.ts';

/** Opens the menu and finds the entry; it is not pressed. A menu without it is closed again. */
export async function archiveEntry(
  document: Document,
  signal: AbortSignal,
  pause: (ms: number) => Promise<void>,
): Promise<Look<HTMLElement>> {
  const options = control(document, SELECTORS.chatOptions, LABELS.chatOptions);
  if (options.found === null) return options;
  options.found.click();
  const labels: readonly string[] = LABELS.archive;
  const entry = await awaited(() => menuItem(document, (item) => labels.includes(labelOf(item))), signal, pause);
  if (entry.found === null) closeMenu(document, options.found);
  return entry;
}

export function dismissMenu(document: Document): void {
  const options = control(document, SELECTORS.chatOptions, LABELS.chatOptions).found;
  if (options !== null) closeMenu(document, options);
}

/** By the server; null: it does not say. */
export async function isArchived(ask: Ask, id: string, signal: AbortSignal): Promise<boolean | null> {
  const conversation = await readConversation(ask, id, signal);
  const archived = conversation?.is_archived;
  return typeof archived === 'boolean' ? archived : null;
}
