/** What the worker remembers of the health of conversations and of sites. Plain JSON, written before anything is done. */
import type { Fault, Found, PageEvidence, RecoveryAct, RecoveryOrder, ServerEvidence } from '../../health.ts';
import type { Reason } from '../../messages.ts';
import type { SiteId } from '../../page.ts';

export type Phase =
  /** Nothing is wrong, as far as known. */
  | 'well'
  /** Something is wrong; its time has not come, or the server is asked. */
  | 'suspect'
  /** It is known what would help, and something stands in the way. */
  | 'held'
  /** It is known what would help, and Auto is off: a person may press it. */
  | 'offered'
  /** Written down as done, and the page was told. */
  | 'ordered'
  /** Done; what comes of it is watched. */
  | 'acted'
  /** Everything that may be done was done, and it is still wrong. */
  | 'exhausted';

export interface Health {
  /** The user turn that the budgets below are for. */
  turn: { id: string | null; hash: string; at: number } | null;
  phase: Phase;
  found: Found | null;
  /** What would help, is ordered, or was done. */
  act: RecoveryAct | null;
  /** Why nothing is done now. */
  hold: Reason | null;
  /** The tab that it was seen in. */
  tab: number | null;
  order: Order | null;
  /** Of this turn. */
  reloads: number;
  retries: number;
  /** A person kept the page when its site asked whether to leave: of this turn nothing is loaded anew by itself any more. */
  stays: boolean;
  /** The last reload of ours here, whatever it was for. */
  reloadedAt: number | null;
  actedAt: number | null;
  /** When the server was last asked, how often in this trouble, and whether the answer is still awaited. */
  asked: { at: number; times: number; open: boolean };
  /** The page's own two levels. */
  page: {
    fault: Fault | null;
    since: number;
    level1At: number | null;
    level2At: number | null;
    /** The browser's last reload of this tab, ever. */
    tabAt: number | null;
    /** Since when no fault was seen; null while there is one, or never was one. */
    wellAt: number | null;
  };
  updatedAt: number;
}

/** An act as it was written down, or as it is offered (then without an id). */
export interface Order extends RecoveryOrder {
  document: string;
  at: number;
  toldAt: number;
  /** Given back when the page certainly did nothing. */
  before: { reloadedAt: number | null; tabAt: number | null };
  /** One of the page's own two levels, not one of the turn. */
  level: boolean;
  byPerson: boolean;
}

export interface BackOff {
  count: number;
  at: number;
  until: number;
}

export interface Recovery {
  chats: Readonly<Record<string, Health>>;
  backOff: Readonly<Partial<Record<SiteId, BackOff>>>;
}

export const NO_RECOVERY: Recovery = { chats: {}, backOff: {} };

export const WELL: Health = {
  turn: null,
  phase: 'well',
  found: null,
  act: null,
  hold: null,
  tab: null,
  order: null,
  reloads: 0,
  retries: 0,
  stays: false,
  reloadedAt: null,
  actedAt: null,
  asked: { at: 0, times: 0, open: false },
  page: { fault: null, since: 0, level1At: null, level2At: null, tabAt: null, wellAt: null },
  updatedAt: 0,
};

/** What the machine must know of the rest. */
export interface Context {
  now: number;
  /** Recovery acts by itself. */
  auto: boolean;
  /** A message of ours is on its way here, or was submitted and never seen. */
  doubtful: boolean;
  /** This conversation is being handed over. */
  transferring: boolean;
  /** The site refuses: nothing is asked of it. */
  backingOff: boolean;
  /** Whether this tab still shows the conversation. */
  isOpen(tab: number): boolean;
}

export type RecoveryEvent =
  | { type: 'turn'; id: string | null; hash: string }
  | { type: 'evidence'; tab: number; document: string; evidence: PageEvidence }
  /** The page has asked its site's server. Null: it could not, or the answer could not be read. */
  | { type: 'examined'; tab: number; document: string; evidence: PageEvidence; server: ServerEvidence | null }
  /** What a page made of an order. `gone`: nobody heard it. */
  | { type: 'answered'; id: string; answer: 'done' | 'gone' | Reason }
  /** It had agreed to be loaded anew, and when the moment came it was not: certainly nothing was done. */
  | { type: 'declined'; id: string; reason: Reason }
  /** A person pressed the offered step. */
  | { type: 'pressed'; tab: number; document: string }
  | { type: 'tick' };

export type RecoveryEffect =
  | { type: 'examine'; tab: number; document: string }
  | { type: 'recover'; tab: number; order: Order }
  | { type: 'reload_tab'; tab: number };

export interface Advice {
  health: Health;
  effects: readonly RecoveryEffect[];
  /** Why a press came to nothing. */
  refused: Reason | null;
}
