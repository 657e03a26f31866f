/**
 * What a page and its site's server say of a turn's health, and what a page may be asked to do about it. All durations
 * are ms that the page script has watched itself: a clock that jumps, and a page that slept, add nothing to them. Types
 * only: nothing here runs.
 */
import type { Reason } from './reason.ts';

export type ErrorKind =
  /** The site says that sending took too long. */
  | 'send_timeout'
  /** The site says that the answer's stream was cut. */
  | 'interrupted'
  /** The site's error card at the end of the thread. */
  | 'thread_error';

export type Fault = 'render_stall' | 'memory_pressure';

/** What is wrong, as a person is told. */
export type Found = ErrorKind | Fault | 'no_answer' | 'server_ahead' | 'server_stalled' | 'retry_failed';

/** What the bar shows of it: what was found, what is being done about it, and what stands in the way. */
export interface RecoveryView {
  phase: 'suspect' | 'held' | 'offered' | 'ordered' | 'acted' | 'exhausted';
  found: Found;
  /** What would help, is being done, or was done. */
  act: 'reload' | 'retry' | null;
  hold: Reason | null;
}

export interface PageEvidence {
  /** What the site itself says has failed; `retry`: its own Retry can be pressed. */
  error: { kind: ErrorKind; retry: boolean; shownMs: number } | null;
  /** An answer is expected: one is shown as being written, or the last message is a person's. */
  pending: boolean;
  /** Shown as being written; null when that cannot be told. */
  streaming: boolean | null;
  tool: boolean | null;
  card: boolean;
  /** Null when the composer cannot be read. */
  draft: boolean | null;
  /** A message of ours is being put in or looked for. */
  delivering: boolean;
  /** For how long the answer's text has not changed. A Stop control or an error is no progress. */
  stillMs: number;
  /** Since the last user turn appeared; null: it stood there when this page script came. */
  turnMs: number | null;
  loadedMs: number;
  /** Since this page script took the step that it was last ordered; null: it has taken none. */
  actedMs: number | null;
  /** The server has said that the answer is complete, and all of it stands here. */
  confirmed: boolean;
  /** How heavy the page is, and for how long it has been so without a break. */
  ui: { level: 'unknown' | 'ok' | 'warning' | 'high'; forMs: number };
  heap: { level: 'unknown' | 'ok' | 'warning' | 'critical'; forMs: number };
}

/** The server's view of the conversation against what the page shows. */
export interface ServerEvidence {
  view: 'ahead' | 'same' | 'unknown';
  current: 'user' | 'assistant' | 'unknown';
  finished: 'finished' | 'unfinished' | 'unknown';
}

/** `reload`: the page loads itself anew. `retry`: the site's own Retry, once. `tab`: may the browser reload this tab? */
export type RecoveryAct = 'reload' | 'retry' | 'tab';

export interface RecoveryOrder {
  /** Acted on once a document, however often it is told. */
  id: string;
  act: RecoveryAct;
  /** The page refuses when the site does not say this (any more). */
  error: ErrorKind | null;
  /** The page refuses when the text has changed within this time. */
  stillMs: number;
  /** What the site says is terminal, or its server has finished: the page's own "streaming" counts for nothing. */
  ignoreStreaming: boolean;
}
