/** What of the page sets a look off: its changes, and a person's own press of Send. */
import type { SiteAdapter } from '../site/index.ts';
import { MUTATIONS_TOGETHER_MS, TYPING_MS } from './limits.ts';

/** Changes of the page are looked at soon, and together. */
export function watchPage(look: () => Promise<void>, mutated: () => void, ended: AbortSignal): void {
  let planned = false;
  const observer = new MutationObserver(() => {
    mutated();
    if (planned) return;
    planned = true;
    setTimeout(() => {
      planned = false;
      if (!ended.aborted) void look();
    }, MUTATIONS_TOGETHER_MS);
  });
  observer.observe(document.documentElement, {
    subtree: true,
    childList: true,
    attributes: true,
    attributeFilter: ['disabled', 'hidden', 'aria-busy', 'data-is-streaming', 'aria-disabled'],
  });
  ended.addEventListener('abort', () => observer.disconnect(), { once: true });
}

/** The browser has kept the page while its tab showed another one, which is who the worker takes the tab for. */
export function watchReturn(returned: () => void, ended: AbortSignal): void {
  addEventListener('pageshow', ({ persisted }) => persisted && returned(), { signal: ended });
}

/** While an input method composes, Enter chooses its words; some browsers say that by the code alone. */
export const isChoosing = ({ isComposing, keyCode }: KeyboardEvent): boolean => isComposing || keyCode === 229;

/**
 * Whether a person writes into anything of the page but its composer: a search, a chat's name. Words of ours would take the
 * focus from there, and what is typed next would stand among them.
 */
export function watchTyping(composer: () => Node | null, now: () => number, ended: AbortSignal): () => boolean {
  let typedAt = Number.NEGATIVE_INFINITY;
  const typed = (event: Event) => {
    const [target] = event.composedPath();
    if (!event.isTrusted || !(target instanceof HTMLElement) || composer()?.contains(target)) return;
    if (target.isContentEditable || target.matches('input, textarea')) typedAt = now();
  };
  document.addEventListener('keydown', typed, { capture: true, signal: ended });
  document.addEventListener('input', typed, { capture: true, signal: ended });
  return () => {
    const since = now() - typedAt;
    return since >= 0 && since < TYPING_MS;
  };
}

/** A person's own press of Send, by mouse or by Enter; what we press is no trusted event. */
export function watchSubmits(
  adapter: SiteAdapter,
  submitted: () => void,
  ours: () => boolean,
  ended: AbortSignal,
): void {
  const options = { capture: true, signal: ended };
  document.addEventListener(
    'click',
    (event) => {
      const send = event.isTrusted && !ours() ? adapter.send().found : null;
      if (send !== null && event.target instanceof Node && send.contains(event.target)) submitted();
    },
    options,
  );
  document.addEventListener(
    'keydown',
    (event) => {
      if (!event.isTrusted || event.key !== 'Enter' || event.shiftKey || isChoosing(event) || ours()) return;
      const composer = adapter.composer().found;
      if (composer !== null && event.target instanceof Node && composer.contains(event.target)) submitted();
    },
    options,
  );
}
