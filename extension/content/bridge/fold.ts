/**
 * Messages of the protocol are folded to one line: a person reads what was asked and what came of it. Nothing is put into
 * the site's own tree, moved or taken away: a folded message has attributes, and one style sheet of ours hides what is in it.
 */
import { looksLikeCalls, markOf, saidIn } from '../../machines/bridge/index.ts';
import type { Message, SiteAdapter } from '../../site/index.ts';

export interface Labels {
  /** Tool results that were sent. */
  results: string;
  /** A message of ours that carries something else. */
  note: string;
  calls(tools: string): string;
}

const ATTRIBUTE = 'data-herdr-fold';
const LABEL = 'data-herdr-label';

const CSS = `
[${ATTRIBUTE}]::before{content:attr(${LABEL});display:block;white-space:pre-wrap;overflow-wrap:anywhere;cursor:pointer;
font-size:14px;line-height:1.5;text-align:start}
[${ATTRIBUTE}="open"]::before,[${ATTRIBUTE}="closed"][data-herdr-quiet]::before{font-size:12px;opacity:.7}
[${ATTRIBUTE}="closed"]{font-size:0!important}
[${ATTRIBUTE}="closed"]>*{display:none!important}
[${ATTRIBUTE}]:focus-visible{outline:2px solid currentColor;outline-offset:2px}
`;

export function createFolds(adapter: SiteAdapter, ended: AbortSignal) {
  const style = document.createElement('style');
  style.dataset['herdr'] = 'fold';
  style.textContent = CSS;
  /** Messages that a person has opened. The site may build an element anew; then it is folded again. */
  const opened = new WeakSet<Element>();

  function toggle(event: Event): void {
    if (!event.isTrusted || !(event.target instanceof HTMLElement)) return;
    const message = event.target.closest(`[${ATTRIBUTE}]`);
    // In an open one only its own line folds it again: what stands in it can be selected and pressed.
    if (message === null || (opened.has(message) && event.target !== message)) return;
    if (event instanceof KeyboardEvent && ((event.key !== 'Enter' && event.key !== ' ') || event.target !== message))
      return;
    if (event instanceof KeyboardEvent) event.preventDefault();
    if (!opened.delete(message)) opened.add(message);
    show(message);
  }
  document.addEventListener('click', toggle, { signal: ended });
  document.addEventListener('keydown', toggle, { signal: ended });

  function show(message: Element): void {
    const is = opened.has(message) ? 'open' : 'closed';
    set(message, ATTRIBUTE, is);
    set(message, 'aria-expanded', String(is === 'open'));
  }

  function fold(message: HTMLElement, label: string, quiet: boolean): void {
    set(message, LABEL, `${opened.has(message) ? '▾' : '▸'} ${label}`);
    set(message, 'tabindex', '0');
    if (quiet) set(message, 'data-herdr-quiet', '');
    show(message);
  }

  function unfold(message: Element): void {
    for (const name of [ATTRIBUTE, LABEL, 'data-herdr-quiet', 'aria-expanded', 'tabindex'])
      message.removeAttribute(name);
  }

  /** Attributes are written only when they change: the page watches its own tree, and so do we. */
  function set(element: Element, name: string, value: string): void {
    if (element.getAttribute(name) !== value) element.setAttribute(name, value);
  }

  function clear(): void {
    for (const message of document.querySelectorAll(`[${ATTRIBUTE}]`)) unfold(message);
    style.remove();
  }
  ended.addEventListener('abort', clear, { once: true });

  return {
    look(mounted: readonly Message[], labels: Labels): void {
      const elements = adapter.messageElements?.() ?? [];
      if (elements.length !== mounted.length) return;
      if (!style.isConnected) document.documentElement.append(style);
      let ours = false;
      for (const [index, { role, text }] of mounted.entries()) {
        const element = elements[index];
        if (element === undefined) continue;
        if (role === 'user') {
          ours = markOf(text) !== null;
          const said = saidIn(text);
          if (ours)
            fold(element, said ?? (text.includes('\nTOOL_RESULT:') ? labels.results : labels.note), said === null);
          else if (element.hasAttribute(ATTRIBUTE)) unfold(element);
        } else if (ours && looksLikeCalls(text)) fold(element, labels.calls(toolsIn(text)), true);
        else if (element.hasAttribute(ATTRIBUTE)) unfold(element);
      }
    },
    clear,
  };
}

function toolsIn(text: string): string {
  const names = [...text.matchAll(/\{\s*"tool"\s*:\s*"([\w.-]{1,128})"/g)].flatMap(([, name]) => name ?? []);
  return [...new Set(names)].join(', ');
}
