/**
 * The connection test: the way from the browser to the work, one piece after the other, and what each said. A piece that
 * could not be asked because one before it failed is `skipped`, never `failed`. Pure.
 */
import type { RuntimeStatus } from './messages.ts';

export const CHECKS = ['host', 'runtime', 'herdr', 'stream', 'access', 'pages'] as const;
export type CheckId = (typeof CHECKS)[number];

/** Why a piece is as it is; a word for the surfaces to explain. */
export type CheckWhy =
  | 'ok'
  | 'skipped'
  | 'host_missing'
  | 'host_refused'
  | 'host_other_build'
  | 'host_silent'
  | 'runtime_away'
  | 'herdr_away'
  | 'stream_away'
  | 'access_withheld'
  | 'pages_none'
  | 'pages_old';

export interface Check {
  id: CheckId;
  state: 'ok' | 'failed' | 'skipped' | 'note';
  why: CheckWhy;
  /** What to type into a terminal; null when nothing there helps. */
  command: string | null;
  values: Readonly<Record<string, string | number>>;
}

/** What was seen when everything was asked once. */
export interface ConnectionFacts {
  /** What the native host said, or the browser about it. */
  host: RuntimeStatus;
  /** The runtime's answer: null when it gave none. `ms`: how long it took. */
  runtime: { boot: string; herdr: string; workspaces: number; ms: number } | null;
  /** The runtime that the event stream last came from; null: no stream is open. */
  streamBoot: string | null;
  /** Whether the browser lets us onto the chat pages. */
  access: boolean;
  /** This build's own id. */
  extensionId: string;
  /** Open chat tabs, and how many of them have a page script of this version. */
  pages: { open: number; answering: number };
}

const HOST: Readonly<Record<RuntimeStatus, { why: CheckWhy; command: string | null }>> = {
  // The runtime has its own line: a host that says who it is is well.
  connected: { why: 'ok', command: null },
  offline: { why: 'host_silent', command: 'herdr-mcp native-host status' },
  unknown: { why: 'host_silent', command: 'herdr-mcp native-host status' },
  host_missing: { why: 'host_missing', command: 'herdr-mcp native-host install' },
  host_refused: { why: 'host_refused', command: 'herdr-mcp native-host install' },
  standby: { why: 'host_other_build', command: 'herdr-mcp native-host install --extension {id}' },
};

export function explain(facts: ConnectionFacts): Check[] {
  const { runtime, pages } = facts;
  const check = (id: CheckId, state: Check['state'], why: CheckWhy, more: Partial<Check> = {}): Check => ({
    id,
    state,
    why,
    command: null,
    values: {},
    ...more,
  });
  const skipped = (id: CheckId) => check(id, 'skipped', 'skipped');
  // Only a host passes a runtime's answer on: who hears one knows that the host is well.
  const { why, command } = HOST[runtime === null ? facts.host : 'connected'];
  const host =
    why === 'ok'
      ? check('host', 'ok', 'ok')
      : check('host', 'failed', why, { command: command?.replace('{id}', facts.extensionId) ?? null });
  const reached = host.state === 'ok';
  return [
    host,
    !reached
      ? skipped('runtime')
      : runtime === null
        ? check('runtime', 'failed', 'runtime_away', { command: 'herdr-mcp up' })
        : check('runtime', 'ok', 'ok', { values: { ms: runtime.ms } }),
    runtime === null
      ? skipped('herdr')
      : runtime.herdr === 'live'
        ? check('herdr', 'ok', 'ok', { values: { count: runtime.workspaces } })
        : check('herdr', 'failed', 'herdr_away', { command: 'herdr-mcp doctor' }),
    runtime === null
      ? skipped('stream')
      : facts.streamBoot === runtime.boot
        ? check('stream', 'ok', 'ok')
        : check('stream', 'failed', 'stream_away'),
    facts.access ? check('access', 'ok', 'ok') : check('access', 'failed', 'access_withheld'),
    !facts.access
      ? skipped('pages')
      : pages.open === 0
        ? check('pages', 'note', 'pages_none')
        : pages.answering < pages.open
          ? check('pages', 'note', 'pages_old', { values: { count: pages.open - pages.answering, open: pages.open } })
          : check('pages', 'ok', 'ok', { values: { count: pages.open } }),
  ];
}
