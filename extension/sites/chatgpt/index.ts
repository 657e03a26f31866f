/** ChatGPT, as the contract in `site/` wants it answered. */
import type { PageIdentity } from '../../page.ts';
import type { SiteAdapter } from '../../site/index.ts';
import { type Ask, control, createComposer, isVisible, richText } from '../base/index.ts';
import { account } from './account.ts';
import { conversationId, readAddress } from './address.ts';
import { archiveEntry, dismissMenu, isArchived } from './archive.ts';
import { cardWaiting, permissionCards } from './cards.ts';
import { connector, selectConnector } from './connector.ts';
import { failure, saysTooMany } from './failures.ts';
import { createGate } from './gate.ts';
import { messages, streaming, toolRunning } from './messages.ts';
import { chatMode } from './mode.ts';
import { openProjects } from './projects.ts';
import { LABELS, SELECTORS } from './selectors.ts';
import { readServer } from './snapshot.ts';

export interface ChatGptParts {
  document: Document;
  /** The address as it is now. */
  address(): URL;
  ask: Ask;
  now(): number;
  pause(ms: number): Promise<void>;
}

export function chatgpt(parts: ChatGptParts): SiteAdapter {
  const { document, pause } = parts;
  const gate = createGate(parts.ask);
  const projects = openProjects(gate.ask, parts.now);
  const { form: around, ...composer } = createComposer(document, SELECTORS, richText(SELECTORS.pill), pause);
  const form = () => around() ?? document;
  const stop = () => control(form(), SELECTORS.stop, LABELS.stop);
  const toolNow = () => toolRunning(document);
  return {
    site: 'chatgpt',
    identity: () => identity(parts, projects.nameOf),
    async membership(conversation, signal) {
      const id = conversationId(conversation);
      return id === null ? 'unknown' : projects.membership(id, signal);
    },
    ...composer,
    send: () => control(form(), SELECTORS.send, LABELS.send),
    stop,
    press: (pressed) => pressed.click(),
    queuePlace() {
      const at = control(form(), SELECTORS.send, LABELS.send).found ?? stop().found ?? lastButton(form());
      return at?.parentElement == null
        ? { found: null, why: 'missing' }
        : { found: { parent: at.parentElement, before: at } };
    },
    messages: () => messages(document),
    streaming() {
      const running = toolNow();
      if (running.found === true || cardWaiting(document)) return { found: true };
      return streaming(document, stop());
    },
    toolRunning: toolNow,
    permissionCards: () => permissionCards(document),
    cardWaiting: () => cardWaiting(document),
    connector: () => connector(document),
    selectConnector: (keyword, signal) => selectConnector(document, keyword, signal, pause),
    chatMode: (signal) => chatMode(document, signal, pause),
    account: (signal) => account(gate.ask, signal),
    async snapshot(conversation, signal) {
      const id = conversationId(conversation);
      return id === null ? { found: null, why: 'unsupported' } : readServer(gate.ask, id, signal);
    },
    archive: {
      entry: (signal) => archiveEntry(document, signal, pause),
      dismiss: () => dismissMenu(document),
      async done(conversation, signal) {
        const id = conversationId(conversation);
        return id === null ? null : isArchived(gate.ask, id, signal);
      },
    },
    health: {
      failure: () => failure(document),
      saysTooMany: () => saysTooMany(document),
      isOwn: (url) => OWN_HOSTS.test(URL.parse(url)?.hostname ?? ''),
      hold: gate.hold,
      heldMs: gate.heldMs,
      refusals: gate.refusals,
    },
  };
}

/** The site itself, and where it keeps what is attached. Others may refuse as they like. */
const OWN_HOSTS = /(?:^|\.)(?:chatgpt\.com|oaiusercontent\.com)$/;

/** Where Send and Stop stand while neither is there: beside whatever control ends the composer. */
function lastButton(form: ParentNode): HTMLElement | null {
  return [...form.querySelectorAll<HTMLElement>('button')].filter(isVisible).at(-1) ?? null;
}

function identity(parts: ChatGptParts, nameOf: (project: string) => string | null): PageIdentity | null {
  const url = parts.address();
  const address = readAddress(url);
  if (address === null) return null;
  const title = parts.document.title.trim();
  const project =
    typeof address.project === 'string'
      ? address.project
      : { ...address.project, name: nameOf(address.project.id) ?? linkName(parts.document, address.project.id) };
  return {
    site: 'chatgpt',
    place: address.place,
    conversation: address.conversation,
    project,
    url: url.href,
    title: title === '' || title === 'ChatGPT' ? null : title,
  };
}

/** The name that the page's own list of Projects shows for it. */
function linkName(document: Document, id: string): string | null {
  const link = [...document.querySelectorAll(SELECTORS.projectLink)].find((each) =>
    new RegExp(`/g/${id}(?:[-/]|$)`).test(each.getAttribute('href') ?? ''),
  );
  return link?.getAttribute('aria-label') ?? link?.textContent?.trim() ?? null;
}
