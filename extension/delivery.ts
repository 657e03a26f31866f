/** What is to be written into a chat, once. Types only. */
export type DeliveryKind =
  | 'settled'
  | 'progress'
  | 'tasks'
  | 'queue'
  | 'continue'
  | 'check'
  | 'decide'
  | 'judge'
  | 'handoff'
  | 'dispatch'
  | 'bridge';

/** An account of a chat site as pages and worker speak of it: a digest under this browser profile's own salt. */
export interface AccountMark {
  salt: string;
  digest: string;
}

export interface Delivery {
  id: string;
  /** From 1. A claim or an outcome of another attempt than the current one changes nothing. */
  attempt: number;
  kind: DeliveryKind;
  text: string;
  /** How long the page may wait for an idle moment before it answers `turn_in_progress`, in ms. */
  waitMs: number;
  /** The connector to select first; null: none is required. */
  connector: string | null;
  /** Whoever else is signed in, nothing is typed and nothing sent. Absent: the message is for no account. */
  account?: AccountMark;
  /** The number of our message that stands in the chat: a view of it that ends earlier is not written to. */
  after?: number;
  /** The message begins a chat: the page shows none yet, and stands in this Project (its key), or in none. */
  opens?: { project: string | null };
}
