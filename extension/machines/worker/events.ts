/** What can happen to the worker, and what it can decide to do. Both are plain values. */
import type { DispatchView } from '../../../contract/browser/dispatch.ts';
import type { TasksAnswer } from '../../../contract/extension/tasks.ts';
import type { PageEvidence, RecoveryOrder, ServerEvidence } from '../../health.ts';
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
import type { ActuationEffect, ActuationEvent } from '../actuation/index.ts';
import type { AutoEffect, AutoEvent, JudgedTurn, Services, Verdict } from '../auto/index.ts';
import type { BridgeCall, BridgeEvent } from '../bridge/index.ts';
import type { Cutover, HandoffEffect, HandoffEvent } from '../handoff/index.ts';
import type { RolloverReason, SeenTurn } from '../pressure/index.ts';
import type { RosterAgent } from './render.ts';
import type { Config, QueueEntry, Stale, State } from './state.ts';

/** `/push/state`, as far as it is used. */
export interface Fresh {
  boot: string;
  server: string | null;
  herdr: string;
  workspaces: readonly { id: string; label: string }[];
  agents: readonly (RosterAgent & { seq: number | null; last_activity_at: number; terminal?: string })[];
}

/** Where a page's message comes from. */
export interface From {
  tab: number;
  document: string;
  version: string;
  page: PageIdentity;
}

/** What a page says of its health, and what it made of what it was told to do. */
export type HealthEvent =
  | { type: 'health'; from: From; evidence: PageEvidence }
  | { type: 'examined'; from: From; evidence: PageEvidence; server: ServerEvidence | null }
  | { type: 'recovered'; conversation: string; id: string; answer: 'done' | 'gone' | Reason }
  | { type: 'declined'; from: From; id: string; reason: Reason }
  /** Its site has refused with 429. */
  | { type: 'site_refused'; from: From };

export type Event =
  | HealthEvent
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
  /** `verdict`: what the judge said that a person asked; null: it said nothing. */
  | { type: 'action'; from: From; action: Action; id: string; fresh: Fresh | null; verdict?: Verdict | null }
  /** The first wake, sent by hand from the page of the first steps. */
  | { type: 'trial'; tab: number; id: string; fresh: Fresh | null }
  /** `ours`: the delivery whose words it holds, where that is known. */
  | {
      type: 'turn_accepted';
      from: From;
      text: string;
      id?: string | null;
      submitted?: 'person' | 'extension';
      ours?: string;
    }
  /** `turn`: what was said, where the page knows; `confirmed`: the site's server says that it is complete. */
  | { type: 'turn_ended'; from: From; turn?: JudgedTurn; confirmed?: boolean }
  /** What came of something that Auto wanted. */
  | { type: 'judged'; conversation: string; event: AutoEvent }
  /** What a page shows of its conversation's history. */
  | { type: 'history'; from: From; turns: readonly SeenTurn[]; turnsNamed: number }
  | { type: 'services'; services: Services }
  /** `from`: the page that says it; null: the worker itself. */
  | { type: 'bridge'; event: BridgeEvent; from: From | null }
  /** What waits for this browser at the delivery service; `claimant` names this life of the worker. */
  | { type: 'actuations'; waiting: readonly string[]; claimant: string }
  /** `dispatch` and `applied`: what the runtime made of a report. */
  | { type: 'actuation'; id: string; event: ActuationEvent; dispatch?: string; applied?: boolean }
  /** The answer to a dispatch was told, or can never be. */
  | { type: 'awaited_over'; dispatch: string }
  | { type: 'handoff'; transfer: string; event: HandoffEvent }
  /** What the service says of a handoff that a person has ended; null: nobody answered. */
  | { type: 'handoff_ended'; transfer: string; answer: DispatchView | 'never' | null }
  /** The runtime has confirmed what was moved. */
  | { type: 'cut_over'; id: string; target: string }
  | { type: 'canonical'; was: string; continuityId: string }
  | { type: 'connector'; conversation: string; keyword: string }
  | { type: 'claim'; from: From; id: string; attempt: number; baseline: Baseline }
  | { type: 'done'; from: From; id: string; attempt: number; outcome: DeliveryOutcome }
  | { type: 'refused'; id: string; attempt: number; reason: Reason }
  /** Another browser tells it, has told it or may have. */
  | { type: 'told_elsewhere'; id: string; attempt: number; as: 'held' | 'sent' | 'uncertain' }
  | { type: 'probed'; id: string; arrived: 'yes' | 'unknown'; messageId?: string | null };

export type Effect =
  /** What is this page's health, by its site's server too? */
  | { type: 'examine'; tab: number; conversation: string; document: string }
  /** One safe step: the page reloads itself, presses the site's Retry, or says whether its tab may be reloaded. */
  | { type: 'recover'; tab: number; conversation: string; order: RecoveryOrder }
  | { type: 'reload_tab'; tab: number; conversation: string }
  | { type: 'deliver'; tab: number; conversation: string; order: Order }
  | { type: 'probe'; id: string; tab: number; conversation: string; text: string; baseline: Baseline }
  /** Is the answer complete that the delivery service waits for there? */
  | { type: 'answer'; tab: number; conversation: string; messages: readonly string[] }
  /** What is the page's state now? */
  | { type: 'ask'; tab: number }
  | { type: 'look'; binding: string; revision: number; workspace: string; session: string | null }
  | { type: 'output'; binding: string; revision: number; workspace: string; panes: readonly string[] }
  | { type: 'acknowledge'; delivery: string; session: string; tasks: readonly string[] }
  /** The stream belongs to a runtime that is gone. */
  | { type: 'reconnect' }
  | BridgeCall
  /** Auto wants to know or to write something. */
  | {
      type: 'judge';
      conversation: string;
      tab: number | null;
      continuityId: string | null;
      session: string | null;
      workspaces: readonly string[];
      wants: Exclude<AutoEffect, { type: 'send' | 'rollover' }>;
    }
  | { type: 'services' }
  /** The conversation is to be handed over now, at a safe moment. */
  | { type: 'rollover.due'; conversation: string; reason: RolloverReason }
  /** For the delivery service; what sends is a `deliver`. */
  | { type: 'actuate'; wants: Exclude<ActuationEffect, { type: 'send' }> }
  | { type: 'hand_over'; wants: HandoffEffect }
  | { type: 'cut_over'; cutover: Cutover }
  /** The source of a handoff may be put away, never closed, and never under a person's eyes. */
  | { type: 'retire_tab'; tab: number; conversation: string }
  | { type: 'keep_tab'; tab: number; keep: boolean };

/** What the one who asked is told. */
export type Reply =
  | { ok: true; seen: readonly WorkspaceSeen[] | null; notSent: Reason | null }
  | { ok: false; reason: Reason };

/** A step before anything is answered. */
export type Planned = { state: State; effects: readonly Effect[] };

export interface Step {
  state: State;
  effects: readonly Effect[];
  reply: Reply;
}

export const DONE: Reply = { ok: true, seen: null, notSent: null };
