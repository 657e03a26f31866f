/** What our own pages (Side Panel, Options) ask of the worker. Types only, and the name of a port. */
import type {
  ControlAnswer,
  ControlRequest,
  ControlTarget,
  FleetAnswer,
  LookupAnswer,
  PictureEvent,
  PushState,
  WatchRequest,
} from '../contract/control/index.ts';
import type { Check } from './checks.ts';
import type { Answer, HandoffView, PROTOCOL, Reason, RuntimeStatus, WorkspaceStatus } from './messages.ts';
import type { PageIdentity, SiteId } from './page.ts';

export interface FromPanel<K extends keyof PanelAsks = keyof PanelAsks> {
  herdr: typeof PROTOCOL;
  to: 'worker';
  from: 'panel';
  kind: K;
  body: PanelAsks[K]['ask'];
}

export interface PanelAsks {
  'panel.state': { ask: { tab: number | null }; answer: Answer<PanelState> };
  'panel.bind': { ask: { tab: number; workspace: string }; answer: Answer<null> };
  'panel.unbind': { ask: { binding: string }; answer: Answer<null> };
  /** The workstations of the fleet; null: nobody could be asked. */
  'panel.fleet': { ask: null; answer: Answer<FleetAnswer | null> };
  /** Does it, once. Without an answer nobody knows whether it was done: {@link PanelAsks} `panel.lookup` asks. */
  'panel.act': { ask: ControlRequest; answer: Answer<ControlAnswer> };
  /** Describes a method of Herdr; nothing is carried out. */
  'panel.describe': { ask: { target: ControlTarget; method: string }; answer: Answer<ControlAnswer | null> };
  'panel.lookup': { ask: { key: string }; answer: Answer<LookupAnswer | null> };
  'panel.watch': { ask: WatchRequest; answer: Answer<null> };
  /** What the person allows in this browser; with `set` it is changed when it still stands at that revision. */
  'panel.consent': {
    ask: { set: { webchat: boolean; revision: number } | null };
    answer: Answer<ConsentView | null>;
  };
  /** Asks every piece of the way once. */
  'panel.check': { ask: null; answer: Answer<Check[]> };
  /** How far the set-up is; listens to the runtime from now on. */
  'panel.first': { ask: null; answer: Answer<FirstRun> };
  'panel.trial': { ask: { tab: number }; answer: Answer<null> };
  'panel.config': { ask: { config: Partial<PanelConfig> }; answer: Answer<PanelConfig> };
}

export interface PanelConfig {
  projectPermission: boolean;
  progressTickSec: number;
  progressFallbackSec: number;
  continueMessage: string | null;
  settledTemplate: string | null;
  progressTemplate: string | null;
  language: 'en' | 'ja' | 'zh' | null;
  /** Sites that are switched on, of those that are asked for one by one. The browser's own permission comes first. */
  sites: readonly SiteId[];
}

export interface PanelState {
  language: 'en' | 'ja' | 'zh';
  runtime: RuntimeStatus;
  herdr: string | null;
  /** What the tab shows; null: no chat page of ours. */
  page: PageIdentity | null;
  workspaces: readonly {
    id: string;
    label: string;
    status: WorkspaceStatus;
    /** The row that binds it to this page; null: it may be bound. */
    binding: string | null;
  }[];
  /** Bound to this page, but Herdr does not show it now: it stays, so that it can be ended. */
  hidden: readonly { binding: string; label: string }[];
  /** A handoff that this page is the source of, for the eye only: it is begun and gone on with on the page. */
  handoff: HandoffView | null;
  /** Rows that are bound elsewhere, so that they can be seen and ended. */
  elsewhere: readonly { binding: string; label: string; scopeKey: string; status: WorkspaceStatus }[];
  retired: readonly { label: string; why: 'workspace_closed' | 'server_changed'; at: number }[];
  /** Events that came too late or twice and changed nothing, by why. */
  stale: Readonly<Record<string, number>>;
  config: PanelConfig;
}

/** What the person allows local agents to do in the chats of this browser. */
export interface ConsentView {
  webchat: boolean;
  revision: number;
  /** It stood at another revision: nothing was changed, and this is what stands. */
  conflict: boolean;
}

/** A Side Panel opens a port of this name and is told the state, then each event. */
export const CONTROL_PORT = 'herdr.control';
/** `away`: no runtime answers now; the state follows when one does. */
export type ToPanel = { kind: 'state'; state: PushState } | { kind: 'event'; event: PictureEvent } | { kind: 'away' };

/** The first steps, and which of them are done. */
export interface FirstRun {
  language: 'en' | 'ja' | 'zh';
  runtime: RuntimeStatus;
  herdr: string | null;
  workspaces: readonly { id: string; label: string }[];
  /** Open pages that can be bound. */
  pages: readonly {
    tab: number;
    site: SiteId;
    title: string | null;
    place: PageIdentity['place'];
    /** Labels of what is bound to it. */
    bound: readonly string[];
    /** Messages about what is bound go to this very page. */
    receives: boolean;
    /** Work that settled and that it was not told of. */
    settled: string | null;
  }[];
  /** Labels of everything that is bound, also where no tab is open now. */
  bindings: readonly string[];
  /** The last message to a bound chat; one that arrived goes before all others. */
  wake: { state: 'waiting' | 'submitting' | 'sent' | 'blocked' | 'uncertain'; reason: Reason | null } | null;
}

/** Sent by the worker to our own pages when something that they show has changed. */
export interface PanelChanged {
  herdr: typeof PROTOCOL;
  to: 'panel';
}
