/** What is read of a chat, on its page or from its site's server. Types that need no page, so that decisions can use them. */

export interface Message {
  role: 'user' | 'assistant';
  /** The site's own id; null when the page shows none. It is never made up. */
  id: string | null;
  /** What a person reads, without tool cards, toggles and our own elements. */
  text: string;
  /** A user's only by what it lacks: it may also be something that the site put there. Absent: by what it is. */
  byLack?: true;
}

export interface Messages {
  /** Those that are mounted, oldest first. A virtualised history shows only its end. */
  mounted: readonly Message[];
  /** The largest turn number that the page names, or the number of mounted messages. It only ever understates. */
  turnsSeen: number;
  /**
   * On this site messages have no ids on most days: where none has one, an answer behind a message of ours says that the site
   * has taken it.
   */
  answerProves?: boolean;
  /** Where a person has scrolled, the chat's end may be among what is not mounted. */
  partial?: boolean;
}

/** What the site's own server says of a conversation, read with the page's own credentials and kept nowhere. */
export interface ServerView {
  latestUser: Message | null;
  /** Answers `latestUser`; null while there is none. */
  latestAssistant: Message | null;
  /** Whose message is the conversation's end. */
  currentRole: 'user' | 'assistant' | 'unknown';
  finished: 'finished' | 'unfinished' | 'unknown';
  /** Server time of the newest message in ms since 1970, null when it gives none. */
  updatedAtMs: number | null;
}

/** Stands in a text for a part of it that the page holds back: what such a text says is not known exactly. */
export const UNSHOWN = '\ufffc';
