/**
 * Whether this page still shows the end of its conversation. A tab that was open while somebody went on with the chat on a
 * phone shows an older end, and what is sent from there begins another branch. Before anything is typed the site's server
 * is asked, unless the chat has just moved here; a page that is behind is loaded anew, and what waits comes after that.
 */
import { wentOnElsewhere } from '../machines/recovery/index.ts';
import type { Messages, SiteAdapter } from '../site/index.ts';
import { MOVED_LATELY_MS, RELOADED_LATELY_MS } from './limits.ts';
import { reloadPage } from './reload.ts';

export interface ElsewhereParts {
  adapter: SiteAdapter;
  ended: AbortSignal;
  /** The wall clock, ms: a machine that slept was away for as long as it says. */
  now?: () => number;
  reload?: () => void;
  /** When this document was loaded anew; null: it came in another way. */
  reloadedAt?: () => number | null;
}

export function createElsewhere(parts: ElsewhereParts) {
  const { adapter, ended, now = Date.now, reload = reloadPage, reloadedAt = documentReloadedAt } = parts;
  let seen = { conversation: null as string | null, end: '', turns: 0, movedAt: now() };

  return {
    /** Called at every look at the page. */
    seen(conversation: string | null, { mounted, turnsSeen }: Messages): void {
      const last = mounted.at(-1);
      const end = `${last?.id ?? ''}:${last?.text.length ?? 0}`;
      const before = seen.conversation === conversation ? seen : { end: null, turns: 0, movedAt: now() };
      const movedAt = before.end === end ? before.movedAt : now();
      seen = { conversation, end, turns: Math.max(before.turns, turnsSeen), movedAt };
    },
    /** Whether the chat has gone on elsewhere. What cannot be known is no. */
    async isAhead(conversation: string): Promise<boolean> {
      if ((adapter.health?.heldMs() ?? 0) > 0 || seen.conversation !== conversation) return false;
      if (now() - seen.movedAt < MOVED_LATELY_MS) return false;
      const reloaded = reloadedAt();
      if (reloaded !== null && now() - reloaded < RELOADED_LATELY_MS) return false;
      const view = (await adapter.snapshot(conversation, ended)).found;
      const messages = adapter.messages().found;
      if (view === null || messages === null || seen.conversation !== conversation) return false;
      const { mounted, turnsSeen } = messages;
      return wentOnElsewhere({ mounted, atEnd: turnsSeen >= seen.turns }, view);
    },
    /** Loads the page anew, unless something is going on in it, or a person has begun something that would be lost. */
    renew(): void {
      const isQuiet = adapter.streaming().found === false && adapter.toolRunning().found === false;
      if (isQuiet && adapter.draft().found === '' && !adapter.attached() && !adapter.cardWaiting()) reload();
    },
  };
}

function documentReloadedAt(): number | null {
  const [entry] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return entry?.type === 'reload' ? performance.timeOrigin : null;
}
