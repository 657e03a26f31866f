/**
 * Messages of the protocol are folded to one line: a person reads what was asked and what came of it. Nothing is put into
 * the site's own tree, moved or taken away: a folded message has attributes, and one style sheet of ours hides what is in it.
 */
import { markOf, saidIn, shownCalls } from '../../machines/bridge/index.ts';
import type { Message, SiteAdapter } from '../../site/index.ts';
import { FOLD_PAUSE_MS } from './limits.ts';

export interface Labels {
  /** Tool results that were sent. */
  results: string;
  /** A message of ours that carries something else. */
  note: string;
  calls(tools: string): string;
}

const ATTRIBUTE = 'data-herdr-fold';
const LABEL = 'data-herdr-label';
const OURS = [ATTRIBUTE, LABEL, 'data-herdr-quiet', 'aria-expanded', 'tabindex'] as const;

const CSS = `
[${ATTRIBUTE}]::before{content:attr(${LABEL});display:block;white-space:pre-wrap;overflow-wrap:anywhere;cursor:pointer;
font-size:14px;line-height:1.5;text-align:start}
[${ATTRIBUTE}="open"]::before,[${ATTRIBUTE}="closed"][data-herdr-quiet]::before{font-size:12px;opacity:.7}
[${ATTRIBUTE}="closed"]{font-size:0!important}
[${ATTRIBUTE}="closed"]>*{display:none!important}
[${ATTRIBUTE}]:focus-visible{outline:2px solid currentColor;outline-offset:2px}
`;

/** What a message is folded to. */
interface Fold {
  label: string;
  quiet: boolean;
}

export function createFolds(adapter: SiteAdapter, ended: AbortSignal, labels: () => Labels) {
  const style = document.createElement('style');
  style.dataset['herdr'] = 'fold';
  style.textContent = CSS;
  /** Messages that a person has opened. The site may build an element anew; then it is folded again. */
  const opened = new WeakSet<Element>();
  /** What was found out of an element, while its text has the same length. */
  const known = new WeakMap<Element, { size: number; role: Message['role']; fold: Fold | null }>();
  let active = false;

  function toggle(event: Event): void {
    if (!event.isTrusted || !(event.target instanceof HTMLElement)) return;
    const message = event.target.closest(`[${ATTRIBUTE}]`);
    // In an open one only its own line folds it again: what stands in it can be selected and pressed.
    if (message === null || (opened.has(message) && event.target !== message)) return;
    if (event instanceof KeyboardEvent) {
      if ((event.key !== 'Enter' && event.key !== ' ') || event.target !== message) return;
      event.preventDefault();
    }
    if (!opened.delete(message)) opened.add(message);
    look();
  }
  document.addEventListener('click', toggle, { signal: ended });
  document.addEventListener('keydown', toggle, { signal: ended });

  /** Attributes are written only when they change: the page watches its own tree, and so do we. */
  function set(element: Element, name: string, value: string | null): void {
    if (element.getAttribute(name) === value) return;
    if (value === null) element.removeAttribute(name);
    else element.setAttribute(name, value);
  }

  function show(element: Element, fold: Fold | null): void {
    if (fold === null) {
      if (element.hasAttribute(ATTRIBUTE)) for (const name of OURS) element.removeAttribute(name);
      return;
    }
    const isOpen = opened.has(element);
    set(element, LABEL, `${isOpen ? '▾' : '▸'} ${fold.label}`);
    set(element, 'tabindex', '0');
    set(element, 'data-herdr-quiet', fold.quiet ? '' : null);
    set(element, 'aria-expanded', String(isOpen));
    set(element, ATTRIBUTE, isOpen ? 'open' : 'closed');
  }

  function look(): void {
    const elements = adapter.messageElements?.() ?? [];
    if (!style.isConnected) document.documentElement.append(style);
    let mounted: readonly Message[] | null = null;
    let ours = false;
    for (const [index, element] of elements.entries()) {
      const size = element.textContent?.length ?? 0;
      let found = known.get(element);
      if (found?.size !== size) {
        mounted ??= adapter.messages().found?.mounted ?? [];
        const message = mounted.length === elements.length ? mounted[index] : undefined;
        if (message === undefined) return;
        found = { size, role: message.role, fold: foldOf(message, labels()) };
        known.set(element, found);
      }
      if (found.role === 'user') ours = found.fold !== null;
      // A model's JSON counts only as the answer to a message of ours.
      show(element, ours ? found.fold : null);
    }
  }

  // Before the page is drawn, so that nothing is seen to unfold and fold again.
  let again: ReturnType<typeof setTimeout> | undefined;
  let lookedAt = Number.NEGATIVE_INFINITY;
  const observer = new MutationObserver(() => {
    if (!active || again !== undefined) return;
    const wait = lookedAt + FOLD_PAUSE_MS - performance.now();
    if (wait <= 0) return now();
    again = setTimeout(now, wait);
  });
  function now(): void {
    clearTimeout(again);
    again = undefined;
    lookedAt = performance.now();
    if (active) look();
  }
  observer.observe(document.documentElement, { subtree: true, childList: true });

  function clear(): void {
    active = false;
    for (const message of document.querySelectorAll(`[${ATTRIBUTE}]`)) show(message, null);
    style.remove();
  }
  ended.addEventListener(
    'abort',
    () => {
      observer.disconnect();
      clear();
    },
    { once: true },
  );

  return {
    look(): void {
      active = true;
      now();
    },
    clear,
  };
}

function foldOf({ role, text }: Message, labels: Labels): Fold | null {
  if (role === 'assistant') {
    const calls = shownCalls(text);
    if (calls === null) return null;
    const label = labels.calls(calls.tools.join(', '));
    return calls.words === '' ? { label, quiet: true } : { label: `${calls.words}\n${label}`, quiet: false };
  }
  if (markOf(text) === null) return null;
  const said = saidIn(text);
  if (said !== null) return { label: said, quiet: false };
  return { label: text.includes('\nTOOL_RESULT:') ? labels.results : labels.note, quiet: true };
}
