/** What can happen to the worker, and what it can decide to do. Both are plain values. */
import type { TasksAnswer } from '../../../contract/extension/tasks.ts';
import type {
  Action,
  Baseline,
  DeliveryOutcome,
  Delivery as Order,
  PageState,
  Reason,
  RuntimeStatus,
  WorkspaceSeen,
} from '../../messages.ts';
import type { PageIdentity } from '../../page.ts';
import type { RosterAgent } from './render.ts';
import type { Config, QueueEntry, Stale, State } from './state.ts';

/** `/push/state`, as far as it is used. */
export interface Fresh {
  boot: string;
  server: string | null;
  herdr: string;
  workspaces: readonly { id: string; label: string }[];
  agents: readonly (RosterAgent & { seq: number | null; last_activity_at: number })[];
}

/** Where a page's message comes from. */
export interface From {
  tab: number;
  document: string;
  version: string;
  page: PageIdentity;
}

export type Event =
  /** The worker has read its storage, or a minute's alarm rang. */
  | { type: 'started' }
  | { type: 'tick' }
  | { type: 'link'; status: RuntimeStatus }
  /** A message that was refused before it came here: it changes nothing and is counted. */
  | { type: 'ignored'; why: Stale }
  | { type: 'hello'; boot: string; position: number; replaying: boolean; fresh: Fresh; at: number }
  | { type: 'pushed'; boot: string; position: number; name: string; data: Readonly<Record<string, unknown>> }
  | { type: 'looked'; binding: string; revision: number; fresh: Fresh | null; inbox: TasksAnswer | 'none' | null }
  | { type: 'output'; binding: string; revision: number; fresh: Fresh | null; output: string }
  | { type: 'acknowledged'; delivery: string }
  | { type: 'session'; conversation: string; ref: string }
  | { type: 'inbox'; conversation: string; inbox: TasksAnswer }
  | { type: 'here'; from: From; state: PageState }
  | { type: 'page'; from: From; state: PageState }
  | { type: 'tab_gone'; tab: number }
  | { type: 'no_receiver'; tab: number; document: string }
  | { type: 'bind'; tab: number; page: PageIdentity; workspace: string; continuityId: string }
  | { type: 'unbind'; binding: string }
  | { type: 'config'; config: Partial<Config> }
  | { type: 'queue_add'; from: From; entry: QueueEntry }
  | { type: 'queue_flush'; from: From }
  | { type: 'queue_clear'; from: From }
  | { type: 'action'; from: From; action: Action; id: string; fresh: Fresh | null }
  /** The first wake, sent by hand from the page of the first steps. */
  | { type: 'trial'; tab: number; id: string; fresh: Fresh | null }
  | { type: 'turn_accepted'; from: From; text: string }
  | { type: 'turn_ended'; from: From }
  | { type: 'canonical'; was: string; continuityId: string }
  | { type: 'connector'; conversation: string; keyword: string }
  | { type: 'claim'; from: From; id: string; attempt: number; baseline: Baseline }
  | { type: 'done'; from: From; id: string; attempt: number; outcome: DeliveryOutcome }
  | { type: 'refused'; id: string; attempt: number; reason: Reason }
  | { type: 'probed'; id: string; arrived: 'yes' | 'unknown' };

export type Effect =
  | { type: 'deliver'; tab: number; conversation: string; order: Order }
  | { type: 'probe'; id: string; tab: number; conversation: string; text: string; baseline: Baseline }
  /** What is the page's state now? */
  | { type: 'ask'; tab: number }
  | { type: 'look'; binding: string; revision: number; workspace: string; session: string | null }
  | { type: 'output'; binding: string; revision: number; workspace: string; panes: readonly string[] }
  | { type: 'acknowledge'; delivery: string; session: string; tasks: readonly string[] }
  /** The stream belongs to a runtime that is gone. */
  | { type: 'reconnect' }
  | { type: 'keep_tab'; tab: number; keep: boolean };

/** What the one who asked is told. */
export type Reply =
  | { ok: true; seen: readonly WorkspaceSeen[] | null; notSent: Reason | null }
  | { ok: false; reason: Reason };

export interface Step {
  state: State;
  effects: readonly Effect[];
  reply: Reply;
}

export const DONE: Reply = { ok: true, seen: null, notSent: null };
