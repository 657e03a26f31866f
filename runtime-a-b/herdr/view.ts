/** What the runtime knows about the Herdr server right now, and how sure it is. Types only. */
import type { AgentInfo, HerdrSupport, PaneInfo, TabInfo, WorkspaceInfo } from '../../contract/herdr/index.ts';

/** Which Herdr answered. Two servers both have a `w1`, so every id that we store or wrap carries `key`. */
export interface HerdrServer {
  /** `embedded`, or `h` and 12 hex digits of the socket path's digest. */
  key: string;
  version: string;
  protocol: number;
  support: HerdrSupport;
  embedded: boolean;
}

/**
 * One consistent picture of Herdr. `live`: Herdr confirmed it and the event stream is up. `stale`: the last picture we
 * had; Herdr does not answer now. `unknown`: there never was one. Lists are empty when unknown, which says nothing.
 */
export interface HerdrView {
  state: 'live' | 'stale' | 'unknown';
  /** When Herdr last confirmed this picture, in ms since 1970; undefined when `unknown`. */
  observedAtMs: number | undefined;
  server: HerdrServer | undefined;
  workspaces: readonly WorkspaceInfo[];
  tabs: readonly TabInfo[];
  panes: readonly PaneInfo[];
  agents: readonly AgentInfo[];
  focused: { workspaceId?: string; tabId?: string; paneId?: string };
  /** Why the picture is not live, in words for a person; undefined while it is. */
  problem: { code: string; message: string } | undefined;
  /** For example `snapshot_failed_used_list_apis`. */
  warnings: readonly string[];
  /** Grows by one whenever the picture differs from the one before. */
  revision: number;
}

/** The cache in front of Herdr. */
export interface LiveHerdr {
  /** The current picture, at once and without I/O. */
  view(): HerdrView;
  /** Asks Herdr now (joining a refresh under way) and resolves with the result; never rejects. */
  refresh(): Promise<HerdrView>;
  /** Calls back after every new picture until the returned function is called. */
  onChange(listener: (view: HerdrView) => void): () => void;
}
