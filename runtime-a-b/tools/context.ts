/**
 * What a tool gets besides its arguments, and what it gives back. A family (`tools/files/`, `tools/git/` …) exports a
 * `ToolHandlers`; `tools/index.ts` merges them. Handlers receive arguments that already fit the catalog's schema, throw
 * {@link OutcomeError} for every failure, and never serialise anything themselves.
 */
import type { Principal } from '../../contract/call.ts';
import type { CallClass } from '../../contract/outcome.ts';
import type { Log } from '../../local/log/index.ts';
import type { Exec } from '../exec/index.ts';
import type { HerdrClient, LiveHerdr } from '../herdr/index.ts';
import type { Answer, Door, ExtraBlock, IntendedChange } from '../operations/index.ts';
import type { Roots } from '../roots/index.ts';

export type { ExtraBlock, IntendedChange };

/** What the owner allows, read once when the runtime starts. */
export interface ToolPolicy {
  /** Nothing may be changed and no agent prompted. */
  readOnly: boolean;
  /** Canonical paths inside which files may be changed; undefined means every managed root. */
  writeRoots: readonly string[] | undefined;
  /** Folders that the file tools may not touch: the state folder, and what the owner or the system protects. */
  protectedFolders: readonly string[];
  homeDir: string;
  stateDir: string;
}

export interface ToolContext {
  dispatchId: string;
  principal: Principal;
  /** Hash of the host's conversation mark; undefined when the host sends none. */
  callerSession: string | undefined;
  callClass: CallClass;
  /** The door that the call came in at; a grant that comes from the door comes from nowhere else. */
  door: Door;
  deviceId: string;
  /** The clock, in ms since 1970. */
  nowMs(): number;
  /** When the caller's patience ends, on the same clock. */
  deadlineAtMs: number;
  /** Aborted by `POST /cancel` and when the runtime stops; a closed connection aborts nothing. */
  signal: AbortSignal;
  live: LiveHerdr;
  herdr: HerdrClient;
  roots: Roots;
  exec: Exec;
  policy: ToolPolicy;
  log: Log;
  /** Device-aware refs as `contract/refs.ts` writes them, from plain ids of the current Herdr server. */
  ref: { workspace(id: string): string; pane(id: string): string };
  /**
   * Writes down what is about to change, before it changes; returns when that is on disk. A mutation of files calls it
   * once, after all checks. Throws when the ledger cannot be written: then nothing may be changed.
   */
  intend(changes: readonly IntendedChange[]): void;
}

/** What a tool that ran gives back: `{ok: true, body, blocks?, runningSession?}`. */
export type ToolAnswer = Answer;

export type ToolHandler = (args: Record<string, unknown>, context: ToolContext) => Promise<ToolAnswer>;
export type ToolHandlers = Readonly<Record<string, ToolHandler>>;
