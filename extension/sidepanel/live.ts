/**
 * What the workstation is doing, live: one state from the worker, then events, folded once a frame, each row a signal of
 * its own, so that an event draws one row anew and nothing else. Nobody polls.
 */
import { batch, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { browser } from 'wxt/browser';
import {
  type Counts,
  countsOf,
  type HerdrState,
  type PaneRow,
  type Picture,
  type PictureEvent,
  paneRow,
  rowsOf,
  type WorkspaceRow,
  workspaceRow,
} from '../../contract/control/index.ts';
import { CONTROL_PORT, type ToPanel } from '../panel.ts';
import { createFold } from './fold.ts';
import { HIDDEN_FLUSH_MS, RECONNECT_MS } from './limits.ts';

export interface Live {
  /** `loading`: nothing was heard yet. `away`: nobody answers; what is shown is what was last seen. */
  phase: ReadonlySignal<'loading' | 'live' | 'away'>;
  herdr: ReadonlySignal<HerdrState | null>;
  /** Ids of workspaces, in Herdr's order. */
  order: ReadonlySignal<readonly string[]>;
  counts: ReadonlySignal<Counts>;
  workspace(id: string): ReadonlySignal<WorkspaceRow | undefined>;
  pane(id: string): ReadonlySignal<PaneRow | undefined>;
  /** The whole, read without drawing anything anew when it changes. */
  picture(): Picture | null;
}

export function createLive(): Live & { connect(): void } {
  const phase = signal<'loading' | 'live' | 'away'>('loading');
  const herdr = signal<HerdrState | null>(null);
  const order = signal<readonly string[]>([]);
  const counts = signal<Counts>(countsOf([]));
  const workspaces = new Map<string, Signal<WorkspaceRow | undefined>>();
  const panes = new Map<string, Signal<PaneRow | undefined>>();
  const fold = createFold();
  let due = false;
  let pause: number = RECONNECT_MS.first;

  const of = <T>(map: Map<string, Signal<T | undefined>>, id: string): Signal<T | undefined> => {
    const known = map.get(id) ?? signal<T | undefined>(undefined);
    map.set(id, known);
    return known;
  };
  /** Set only when it differs: an equal row is not drawn anew. */
  function show<T>(target: Signal<T>, value: T): void {
    if (JSON.stringify(target.peek()) !== JSON.stringify(value)) target.value = value;
  }

  function flush(): void {
    due = false;
    const changed = fold.take();
    const now = fold.picture();
    if (changed === null || now === null) return;
    batch(() => {
      show(herdr, now.herdr);
      show(order, [...now.workspaces.keys()]);
      for (const id of changed.panes) {
        const pane = now.panes.get(id);
        show(of(panes, id), pane && paneRow(pane, now.lines.get(id)));
      }
      for (const id of changed.workspaces) {
        const workspace = now.workspaces.get(id);
        show(of(workspaces, id), workspace && workspaceRow(workspace, rowsOf(now, workspace)));
      }
      show(counts, countsOf([...now.panes.values()].map((pane) => paneRow(pane, undefined))));
    });
  }

  function take(event: PictureEvent): void {
    fold.event(event);
    if (due) return;
    due = true;
    // A hidden page gets no frames.
    if (document.visibilityState === 'visible') requestAnimationFrame(flush);
    else setTimeout(flush, HIDDEN_FLUSH_MS);
  }

  function connect(): void {
    const port = browser.runtime.connect({ name: CONTROL_PORT });
    port.onMessage.addListener((message: ToPanel) => {
      pause = RECONNECT_MS.first;
      if (message.kind === 'state') {
        fold.state(message.state);
        phase.value = 'live';
        flush();
      } else if (message.kind === 'event') take(message.event);
      else phase.value = 'away';
    });
    port.onDisconnect.addListener(() => {
      // The worker was stopped, or the extension is being reloaded.
      setTimeout(connect, pause);
      pause = Math.min(pause * 2, RECONNECT_MS.longest);
    });
  }

  return {
    phase,
    herdr,
    order,
    counts,
    workspace: (id) => of(workspaces, id),
    pane: (id) => of(panes, id),
    picture: fold.picture,
    connect,
  };
}
