/** Which chat was begun in this very page: a launcher that shows a chat right after a message was sent from it. */
import { SUBMIT_EXPLAINS_MS } from '../machines/page/index.ts';
import type { PageIdentity } from '../page.ts';

export function createBirth(now: () => number) {
  let sentAt = Number.NEGATIVE_INFINITY;
  let born: string | null = null;
  const known = (page: PageIdentity | null): PageIdentity | null =>
    page !== null && page.conversation !== null && page.conversation === born ? { ...page, born: true } : page;
  return {
    /** A message was sent from this page, by whom ever. */
    sent(): void {
      sentAt = now();
    },
    known,
    /** The page was `before` and is this now. */
    moved(before: PageIdentity | null, page: PageIdentity | null): PageIdentity | null {
      const begun = before?.place === 'root' && page?.place === 'conversation' && before.site === page.site;
      if (begun && now() - sentAt <= SUBMIT_EXPLAINS_MS) born = page.conversation;
      return known(page);
    },
  };
}
