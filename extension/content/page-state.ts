/** What a page tells of itself: whether it is quiet, and whether a person's words stand in it. */
import { isPartOf } from '../machines/page/index.ts';
import type { PageState } from '../messages.ts';
import type { SiteAdapter } from '../site/index.ts';

/** `under`: the text of ours that is being sent now; null: none is. */
export function pageState(adapter: SiteAdapter, under: string | null): PageState {
  const draft = adapter.draft().found;
  // What we are typing ourselves is nobody's draft, and a page that has lost it again has not become quiet by that.
  const ours = draft !== null && under !== null && isPartOf(draft, under);
  return {
    busy: adapter.streaming().found,
    draft: draft === null ? null : (draft !== '' && !ours) || adapter.attached(),
    card: adapter.cardWaiting(),
    visible: document.visibilityState === 'visible',
  };
}
