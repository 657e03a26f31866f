/**
 * What the workstation is doing, live: one state from the worker, then events, folded once a frame, each row a signal of
 * its own, so that an event draws one row anew and nothing else. Nobody polls.
 */
import { batch, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { browser } from 'wxt/browser';
import {
  after,
  type Counts,
  countsOf,
  type HerdrState,
  type PaneRow,
  type Picture,
  type PictureEvent,
  paneRow,
  pictureOf,
  rowsOf,
  type WorkspaceRow,
  workspaceRow,
} from '../../contract/control/index.ts';
import { CONTROL_PORT, type ToPanel } from '../panel.ts';
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
  let picture: Picture | null = null;
  let waiting: PictureEvent[] = [];
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

  function draw(touchedPanes: Iterable<string>, touchedWorkspaces: Iterable<string>): void {
    const now = picture;
    if (now === null) return;
    batch(() => {
      show(herdr, now.herdr);
      show(order, [...now.workspaces.keys()]);
      for (const id of touchedPanes) {
        const pane = now.panes.get(id);
        show(of(panes, id), pane && paneRow(pane, now.lines.get(id)));
      }
      for (const id of touchedWorkspaces) {
        const workspace = now.workspaces.get(id);
        show(of(workspaces, id), workspace && workspaceRow(workspace, rowsOf(now, workspace)));
      }
      show(counts, countsOf([...now.panes.values()].map((pane) => paneRow(pane, undefined))));
    });
  }

  function replace(next: Picture): void {
    const before = picture;
    picture = next;
    waiting = [];
    phase.value = 'live';
    draw(
      new Set([...(before?.panes.keys() ?? []), ...next.panes.keys()]),
      new Set([...(before?.workspaces.keys() ?? []), ...next.workspaces.keys()]),
    );
  }

  function flush(): void {
    due = false;
    const given = waiting;
    waiting = [];
    const [inPanes, inWorkspaces] = [new Set<string>(), new Set<string>()];
    for (const event of given) {
      if (picture === null) return;
      const step = after(picture, event);
      picture = step.picture;
      for (const id of step.touched.panes) inPanes.add(id);
      for (const id of step.touched.workspaces) inWorkspaces.add(id);
    }
    draw(inPanes, inWorkspaces);
  }

  function take(event: PictureEvent): void {
    waiting.push(event);
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
      if (message.kind === 'state') replace(pictureOf(message.state));
      else if (message.kind === 'event') take(message.event);
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
    picture: () => picture,
    connect,
  };
}
