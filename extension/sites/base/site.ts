/**
 * A site whose chats take one whole text and show what comes of it, and nothing more: no bar, no connector, no cards of
 * ours, no server that we ask. A site says where things are ({@link SiteSpec}); how they are read is the same for all.
 */
import type { PageIdentity, ProjectMembership, SiteId } from '../../page.ts';
import type { Look, Message, Messages, SiteAdapter } from '../../site/index.ts';
import { type ComposerPlaces, createComposer, type Editor } from './composer.ts';
import type { Ask } from './fetch-json.ts';
import { control, isVisible } from './find.ts';
import { type CodePlaces, textOf } from './text.ts';

/** What an address of the site says; the chat's key is its shortest address. */
export type Address =
  | { place: 'root'; conversation: null; project: 'none' }
  | { place: 'conversation'; conversation: string; project: ProjectMembership };

export interface SiteSpec {
  site: SiteId;
  /** Null for what is no chat of the site. */
  address(url: URL): Address | null;
  /** The Project that the page itself names. Absent: the site has none, or only the address names it. */
  project?(document: Document): ProjectMembership;
  /** The site's own name, as the tab's title ends with it; what stands before is the chat's. */
  siteName: RegExp;
  editor: Editor;
  places: ComposerPlaces & SitePlaces;
  labels: { send: readonly string[]; stop: readonly string[] };
  /** Who is signed in, see {@link SiteAdapter.account}. Absent: the site's pages do not say. */
  account?(page: { document: Document; ask: Ask }, signal: AbortSignal): Promise<Look<string>>;
  /** See {@link Messages.answerProves}. */
  answerProves?: boolean;
  /** See {@link Messages.partial}. */
  partial?: boolean;
  /** Nothing on the site says that a message is a user's, see {@link Message.byLack}. */
  userByLack?: boolean;
  /** The site's own id of a message; null when the page shows none. */
  idOf(message: HTMLElement, role: Message['role'], url: URL): string | null;
}

export interface SitePlaces {
  send: readonly string[];
  stop: readonly string[];
  user: string;
  assistant: string;
  /** Where the words stand inside a message; the message itself when nothing matches. */
  words: { user: string; assistant: string };
  /** Each of these inside a user's words is one line; absent where the words are one text. */
  line?: string;
  /** Where a user's words stand exactly as they were written, their blanks and line breaks too; absent: the page draws them. */
  written?: string;
  /** What stands in a message and is no words of its author. */
  notText: readonly string[];
  /** Where code stands in an answer; absent: it is read as the rest is. */
  code?: CodePlaces;
  /** What says of itself that it grows. */
  streaming: string;
  /** What a person must answer first. */
  asks: string;
}

export interface SiteParts {
  document: Document;
  /** The address as it is now. */
  address(): URL;
  /** Asks the page's own site. */
  ask: Ask;
  pause(ms: number): Promise<void>;
}

const UNSUPPORTED = { found: null, why: 'unsupported' } as const;

export function createSite(spec: SiteSpec, parts: SiteParts): SiteAdapter {
  const { document } = parts;
  const { places, labels, account } = spec;
  const { form: around, ...composer } = createComposer(document, places, spec.editor, parts.pause);
  const form = () => around() ?? document;
  const stop = () => control(form(), places.stop, labels.stop);
  const cardWaiting = () => [...document.querySelectorAll(places.asks)].some(isVisible);

  function identity(): PageIdentity | null {
    const url = parts.address();
    const address = spec.address(url);
    if (address === null) return null;
    const named = address.place === 'conversation' ? spec.project?.(document) : undefined;
    const project = address.project === 'unknown' ? (named ?? 'unknown') : address.project;
    return {
      site: spec.site,
      ...address,
      project,
      url: url.href,
      title: titleBefore(document.title.trim(), spec.siteName),
    };
  }

  function messages(): Look<Messages> {
    const mounted: Message[] = [];
    for (const element of messageElements()) {
      const role = element.matches(places.user) ? 'user' : 'assistant';
      // One that would be both tells nothing of the conversation any more.
      if (role === 'user' && element.matches(places.assistant)) return { found: null, why: 'ambiguous' };
      const byLack = role === 'user' && spec.userByLack === true ? ({ byLack: true } as const) : {};
      mounted.push({ role, id: spec.idOf(element, role, parts.address()), text: wordsOf(element, role), ...byLack });
    }
    const answerProves = spec.answerProves ?? false;
    return {
      found: {
        mounted: withoutShared(mounted),
        turnsSeen: mounted.length,
        answerProves,
        partial: spec.partial ?? false,
      },
    };
  }

  /** Those that are mounted, oldest first; what stands inside another one is part of it. */
  function messageElements(): HTMLElement[] {
    const both = `${places.user}, ${places.assistant}`;
    return [...document.querySelectorAll<HTMLElement>(both)].filter(
      (element) => element.parentElement?.closest(both) == null,
    );
  }

  function wordsOf(message: HTMLElement, role: Message['role']): string {
    const where = places.words[role];
    const parts = [...message.querySelectorAll<HTMLElement>(where)].filter(
      (part) => part.parentElement?.closest(where) == null,
    );
    const blocks = parts.length > 0 ? parts : [message];
    const text = (element: HTMLElement) => {
      const written = role === 'user' && places.written ? [...element.querySelectorAll(places.written)] : [];
      if (written.length > 0)
        return written
          .map((each) => each.textContent ?? '')
          .join('\n')
          .replaceAll('\u00a0', ' ')
          .trim();
      const lines = role === 'user' && places.line ? [...element.querySelectorAll<HTMLElement>(places.line)] : [];
      if (lines.length > 0)
        return lines
          .map((line) => textOf(line, places.notText, true))
          .join('\n')
          .trim();
      return textOf(element, places.notText, false, role === 'assistant' ? places.code : undefined);
    };
    return blocks.map(text).join('\n\n');
  }

  return {
    site: spec.site,
    identity,
    membership: async () => spec.project?.(document) ?? 'unknown',
    ...composer,
    send: () => control(form(), places.send, labels.send),
    stop,
    press: (pressed) => pressed.click(),
    queuePlace: () => UNSUPPORTED,
    messages,
    messageElements,
    streaming() {
      const stopping = stop();
      if (stopping.found !== null || cardWaiting() || document.querySelector(places.streaming) !== null) {
        return { found: true };
      }
      return stopping.why === 'ambiguous' ? stopping : { found: false };
    },
    toolRunning: () => UNSUPPORTED,
    permissionCards: () => [],
    cardWaiting,
    ...(account === undefined ? {} : { account: (signal) => account(parts, signal) }),
    connector: () => UNSUPPORTED,
    selectConnector: async () => UNSUPPORTED,
    snapshot: async () => UNSUPPORTED,
  };
}

/** An id that two messages share is nobody's. */
function withoutShared(messages: readonly Message[]): Message[] {
  const seen = new Map<string, number>();
  for (const { id } of messages) if (id !== null) seen.set(id, (seen.get(id) ?? 0) + 1);
  return messages.map((message) => ((seen.get(message.id ?? '') ?? 0) > 1 ? { ...message, id: null } : message));
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** In lower case; null for what is none. */
export function uuidOf(text: string | null | undefined): string | null {
  const given = text?.toLowerCase() ?? '';
  return UUID.test(given) ? given : null;
}

/** The path's words, or null for another origin. */
export function pathOf(url: URL, origin: string): readonly string[] | null {
  return url.origin === origin ? url.pathname.split('/').filter((word) => word !== '') : null;
}

/** What stands before the site's own name in a tab's title; null when nothing does. */
function titleBefore(shown: string, siteName: RegExp): string | null {
  const title = shown.replace(siteName, '').trim();
  return title === '' ? null : title;
}
