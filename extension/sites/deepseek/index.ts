/**
 * DeepSeek: a text area that Enter sends, answers in Markdown. A chat is what its address names; whether messages have
 * numbers depends on the page of the day. Experimental; the site itself speaks no MCP.
 */
import { POLICIES } from '../../policy.ts';
import type { SiteAdapter } from '../../site/index.ts';
import { type Address, createSite, pathOf, plainText, type SiteParts, type SiteSpec, uuidOf } from '../base/index.ts';
import { LABELS, PLACES } from './selectors.ts';

const { origin } = POLICIES.deepseek;

const SPEC: SiteSpec = {
  site: 'deepseek',
  address: deepseekAddress,
  siteName: /(^|\s*[-–—|]\s*)DeepSeek$/i,
  editor: plainText,
  places: PLACES,
  labels: LABELS,
  answerProves: true,
  partial: true,
  userByLack: true,
  idOf: (message) => {
    const row = message.closest(PLACES.numbered);
    const number = row?.getAttribute('data-message-id') ?? row?.getAttribute('data-virtual-list-item-key') ?? '';
    return /^[\w-]{1,64}$/.test(number) ? number : null;
  },
};

export function deepseek(parts: SiteParts): SiteAdapter {
  const site = createSite(SPEC, parts);
  return {
    ...site,
    /** The button where it is named, else the composer itself, which takes Enter. */
    send() {
      const named = site.send();
      if (named.found !== null || named.why !== 'missing') return named;
      const draft = site.draft();
      return draft.found === null || draft.found === '' ? { found: null, why: 'disabled' } : site.composer();
    },
    press(control) {
      if (!(control instanceof HTMLTextAreaElement)) return site.press(control);
      const enter = { key: 'Enter', code: 'Enter', keyCode: 13, bubbles: true, cancelable: true };
      control.dispatchEvent(new KeyboardEvent('keydown', enter));
    },
  };
}

/** The id that the address names is the chat's identity, and nothing else is: not the tab, not the bare origin. */
export function deepseekAddress(url: URL): Address | null {
  const words = pathOf(url, origin);
  if (words === null) return null;
  if (words.length === 0) return { place: 'root', conversation: null, project: 'none' };
  const [a, chat, s, given] = words;
  const id = words.length === 4 && a === 'a' && chat === 'chat' && s === 's' ? uuidOf(given) : null;
  return id === null ? null : { place: 'conversation', conversation: `${origin}/a/chat/s/${id}`, project: 'none' };
}
