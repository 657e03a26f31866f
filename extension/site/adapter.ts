/**
 * What a site's own code must answer. Selectors are data of the site; what to do with an answer is decided elsewhere.
 * Nothing here changes the page except {@link SiteAdapter.insert}, {@link SiteAdapter.clear} and
 * {@link SiteAdapter.press}. Missing or ambiguous is `null` with a reason, and null means: do nothing and say why.
 */
import type { ErrorKind } from '../health.ts';
import type { PageIdentity, ProjectMembership, SiteId } from '../page.ts';
import type { Message, Messages, ServerView } from '../reading.ts';

export type Absence = 'missing' | 'ambiguous' | 'hidden' | 'disabled' | 'unreadable' | 'unsupported';

/** One look at a part of the page. */
export type Look<T> = { found: T; why?: undefined } | { found: null; why: Absence };

export type { Message, Messages, ServerView };

/** Where the Queue button goes. */
export interface Place {
  parent: Element;
  before: Element | null;
}

/** What the site says of itself at the end of a conversation. */
export interface SiteFailure {
  kind: ErrorKind;
  /** The site's own Retry; null when there is none that is certainly it. */
  retry: HTMLElement | null;
}

/** What is read of a page's health, and the pause that its site gets when it refuses. */
export interface HealthLooks {
  /** Null: the site says nothing of a failure, or only that there were too many requests. */
  failure(): SiteFailure | null;
  saysTooMany(): boolean;
  /** Whether an address is the site's own, so that a refusal there is one of the site. */
  isOwn(url: string): boolean;
  /** Asks the site nothing for so long; a longer pause that runs already stays. */
  hold(ms: number): void;
  /** What is left of it. */
  heldMs(): number;
  /** How often a question of ours was refused with 429. */
  refusals(): number;
}

export interface SiteAdapter {
  readonly site: SiteId;

  /** From the address and what is mounted. Null: this page is none of ours. Cheap enough to ask every 800 ms. */
  identity(): PageIdentity | null;
  /** Finds out what {@link identity} left `unknown`, from the site's own list of Projects. Never rejects. */
  membership(conversation: string, signal: AbortSignal): Promise<ProjectMembership>;

  composer(): Look<HTMLElement>;
  /** What a person has written, its lines joined by `\n`. A placeholder, a dim suggestion, no-break spaces and app pills are none. */
  draft(): Look<string>;
  /** Whether a person has put a file, a picture or a pasted text beside the words: it would go out with ours. */
  attached(): boolean;
  /** Puts the text in, every line of it, blank ones too. Resolves with what the composer then holds. Changes nothing when there is a draft. */
  insert(text: string, signal: AbortSignal): Promise<Look<string>>;
  /** Takes exactly this text away again; anything else in the composer stays, and the answer is then false. */
  clear(text: string): Promise<boolean>;

  send(): Look<HTMLElement>;
  stop(): Look<HTMLElement>;
  /** Presses a control of the site once. */
  press(control: HTMLElement): void;
  queuePlace(): Look<Place>;

  messages(): Look<Messages>;
  /** The elements of the mounted messages, in the same order. Absent where nothing on the page is folded. */
  messageElements?(): readonly HTMLElement[];
  /** Whether an answer is being written, a tool runs or a permission card waits. Unreadable is neither yes nor no. */
  streaming(): Look<boolean>;
  toolRunning(): Look<boolean>;
  /** The allow-once controls of cards that name a Herdr tool. Empty where cards are not handled. */
  permissionCards(): readonly HTMLElement[];
  cardWaiting(): boolean;

  /** The selected connector's keyword, read from exactly one pill of the latest user turn. */
  connector(): Look<string>;
  /** Selects that connector for the next message, and reads it back. */
  selectConnector(keyword: string, signal: AbortSignal): Promise<Look<true>>;

  /** Makes sure that what is sent is a message to a chat, where the site has other modes. Absent: it has none. */
  chatMode?(signal: AbortSignal): Promise<Look<true>>;

  /**
   * Who is signed in, as the site itself names its accounts: an id or an address, which never leaves the page. `missing`:
   * certainly nobody; any other reason: it cannot be told. Never rejects. Absent: the site's pages do not say.
   */
  account?(signal: AbortSignal): Promise<Look<string>>;

  snapshot(conversation: string, signal: AbortSignal): Promise<Look<ServerView>>;

  /** Absent: chats of this site are not archived. */
  readonly archive?: {
    /** Opens the chat's own menu and gives its Archive entry, which is not pressed. */
    entry(signal: AbortSignal): Promise<Look<HTMLElement>>;
    /** Closes that menu again; nothing in it was pressed. */
    dismiss(): void;
    /** By the site's own server; null: it does not say. */
    done(conversation: string, signal: AbortSignal): Promise<boolean | null>;
  };

  /** Absent: nothing of its pages' health is looked at, and nothing is healed there. */
  readonly health?: HealthLooks;
}
