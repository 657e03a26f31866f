/** What our own pages (Side Panel, Options) ask of the worker. Types only. */
import type { Answer, PROTOCOL, RuntimeStatus, WorkspaceStatus } from './messages.ts';
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
  'panel.config': { ask: { config: Partial<PanelConfig> }; answer: Answer<PanelConfig> };
}

export interface PanelConfig {
  projectPermission: boolean;
  progressTickSec: number;
  progressFallbackSec: number;
  continueMessage: string | null;
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
  /** Rows that are bound elsewhere, so that they can be seen and ended. */
  elsewhere: readonly { binding: string; label: string; scopeKey: string; status: WorkspaceStatus }[];
  retired: readonly { label: string; why: 'workspace_closed' | 'server_changed'; at: number }[];
  /** Events that came too late or twice and changed nothing, by why. */
  stale: Readonly<Record<string, number>>;
  config: PanelConfig;
}

/** Sent by the worker to our own pages when something that they show has changed. */
export interface PanelChanged {
  herdr: typeof PROTOCOL;
  to: 'panel';
}
