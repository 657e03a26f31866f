/**
 * The last lines of the panes that somebody looks at. Nothing is read while nobody does; what is read is what the pane
 * shows anyway, so no screen is scrolled.
 */
import { LINE_CHARS_MAX, type PaneLine } from '../../../contract/control/index.ts';
import type { HerdrClient, HerdrView } from '../../herdr/index.ts';
import { HERDR_PING_MS, LINE_SWEEP_MS } from '../../limits.ts';
import { due, lasts, type Pane, type Read, type Watches, watched } from './watches.ts';

export interface Lines {
  /** Somebody looks at these panes from now on, for a while. */
  watch(watcher: string, panes: readonly string[]): void;
  all(): PaneLine[];
  close(): void;
}

export interface LinesParts {
  herdr: Pick<HerdrClient, 'call'>;
  view: () => HerdrView;
  nowMs: () => number;
  /** Told of the lines that are other ones than before. */
  say: (lines: readonly PaneLine[]) => void;
}

export function createLines({ herdr, view, nowMs, say }: LinesParts): Lines {
  let watches: Watches = new Map();
  const reads = new Map<string, Read>();
  const known = new Map<string, PaneLine>();
  let timer: NodeJS.Timeout | undefined;
  let sweeping = false;
  let closed = false;

  async function sweep(): Promise<void> {
    timer = undefined;
    const now = nowMs();
    const { state, panes } = view();
    const present = new Map(panes.map((pane) => [pane.pane_id, lookOf(pane)]));
    for (const id of reads.keys()) if (!present.has(id)) forget(id);
    sweeping = true;
    const changed = state === 'live' ? await Promise.all(due(watches, present, reads, now).map(readOne)) : [];
    sweeping = false;
    if (closed) return;
    const news = changed.filter((line) => line !== undefined);
    if (news.length > 0) say(news);
    again();
  }

  async function readOne({ id, mark }: Pane): Promise<PaneLine | undefined> {
    const at = nowMs();
    reads.set(id, { at, mark });
    try {
      const options = { timeoutMs: HERDR_PING_MS };
      const { read } = await herdr.call('pane.read', { pane_id: id, source: 'visible', strip_ansi: true }, options);
      const line = lastLine(read.text);
      if (known.get(id)?.line === line) return undefined;
      const told = { pane: id, line, at };
      known.set(id, told);
      return told;
    } catch {
      return undefined; // closed meanwhile, or Herdr is away: the picture says so, and the next sweep tries again
    }
  }

  function forget(id: string): void {
    reads.delete(id);
    known.delete(id);
  }

  function again(): void {
    const wanted = [...watches.values()].some((watch) => lasts(watch, nowMs()));
    if (wanted && !closed && !sweeping) timer ??= setTimeout(() => void sweep(), LINE_SWEEP_MS);
  }

  return {
    watch(watcher, panes) {
      watches = watched(watches, watcher, panes, nowMs());
      again();
    },
    all: () => [...known.values()],
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}

const lookOf = (pane: HerdrView['panes'][number]): Pane => ({
  id: pane.pane_id,
  working: pane.agent_status === 'working',
  mark: `${pane.terminal_id}\n${pane.agent ?? ''}\n${pane.agent_status}\n${pane.revision}`,
});

/** Escape sequences, control characters and turns of direction: a line is shown as text. */
const FOREIGN =
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** The last row that says something; frames of boxes and rules say nothing. */
export function lastLine(screen: string): string {
  const rows = screen
    .replace(FOREIGN, '')
    .split('\n')
    .map((row) => row.trim());
  const row = rows.findLast((one) => /[\p{L}\p{N}]/u.test(one)) ?? '';
  return [...row].slice(0, LINE_CHARS_MAX).join('');
}
