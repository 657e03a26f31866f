/**
 * The one list of events that every stream reads from. It runs whether anybody is connected or not: what happened
 * meanwhile is in the state that a stream begins with, and in the ring for a reader who says where he stopped.
 */
import { LINES_EVENT, type PushState } from '../../../contract/control/index.ts';
import type { HerdrClient, HerdrView, LiveHerdr } from '../../herdr/index.ts';
import { PUSH_DEBOUNCE_MS, PUSH_RING } from '../../limits.ts';
import type { Roots } from '../../roots/index.ts';
import type { PushEvent } from './facts.ts';
import { createLines } from './lines.ts';
import { type Known, NOTHING_KNOWN, step } from './step.ts';

export interface NumberedEvent extends PushEvent {
  /** From 1, by one; starts again with each boot. */
  number: number;
}

/** About this moment only: it is in no replay. */
export interface PassingEvent extends PushEvent {
  number: null;
}

export interface PushFeed {
  /** Resolves when the roots of the present picture are known; then {@link state} is complete. */
  ready(): Promise<void>;
  /** What is confirmed now, at once. */
  state(): PushState;
  /** Events after a number, oldest first, without those about workspaces that are closed by now. Undefined: some are lost. */
  after(number: number): NumberedEvent[] | undefined;
  /** Adds an event that does not come from Herdr. */
  say(event: PushEvent): void;
  /** Somebody looks at these panes: their last lines are said for a while, as events without a number. */
  watch(watcher: string, panes: readonly string[]): void;
  /** Calls back for each event, in order, until the returned function is called. */
  subscribe(listener: (event: NumberedEvent | PassingEvent) => void): () => void;
  /** No further event; calls each listener given to {@link onClose}. */
  close(): void;
  onClose(listener: () => void): () => void;
}

export interface PushParts {
  live: LiveHerdr;
  herdr: Pick<HerdrClient, 'call'>;
  roots: Pick<Roots, 'table'>;
  bootId: string;
  nowMs: () => number;
}

export function createPushFeed(parts: PushParts): PushFeed {
  const { live } = parts;
  const listeners = new Set<(event: NumberedEvent | PassingEvent) => void>();
  const closers = new Set<() => void>();
  let known: Known = NOTHING_KNOWN;
  let ring: NumberedEvent[] = [];
  let count = 0;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let rootsByWorkspace = new Map<string, string[]>();
  let rootsRevision = -1;

  function take(view: HerdrView): void {
    if (closed) return;
    const next = step(known, view, (workspace) => rootsByWorkspace.get(workspace) ?? [], parts.bootId);
    known = next.known;
    next.events.forEach(say);
    if (next.waiting) timer ??= setTimeout(lookAgain, PUSH_DEBOUNCE_MS);
    if (view.revision !== rootsRevision) void learnRoots(view);
  }

  function say(event: PushEvent): void {
    if (closed) return;
    count += 1;
    const numbered = { ...event, number: count };
    ring.push(numbered);
    // Trimmed in blocks: cutting the array at every event would copy it each time.
    if (ring.length > PUSH_RING * 2) ring = ring.slice(-PUSH_RING);
    for (const listener of listeners) listener(numbered);
  }

  function lookAgain(): void {
    timer = undefined;
    // The refresh itself calls `take` with what it saw; without an answer the view is the old one and waits on.
    void live.refresh().then(take);
  }

  async function learnRoots(view: HerdrView): Promise<void> {
    rootsRevision = view.revision;
    const { roots } = await parts.roots.table(view);
    const learnt = new Map<string, string[]>();
    for (const root of roots) {
      for (const id of root.workspaces) learnt.set(id, [...(learnt.get(id) ?? []), root.path]);
    }
    rootsByWorkspace = learnt;
    if (rootsRevision === view.revision) take(live.view());
  }

  const lines = createLines({
    herdr: parts.herdr,
    view: () => live.view(),
    nowMs: parts.nowMs,
    say(told) {
      const event = { type: LINES_EVENT, data: { lines: told }, number: null } as const;
      for (const listener of listeners) listener(event);
    },
  });
  const forget = live.onChange(take);
  take(live.view());

  return {
    async ready() {
      await learnRoots(live.view());
    },
    state: () => ({
      boot_id: parts.bootId,
      state_seq: count,
      server_time: parts.nowMs(),
      herdr: known.herdr,
      agents: [...known.agents.values()].map(({ fact }) => fact),
      workspaces: [...known.workspaces.values()],
      panes: [...known.panes.values()],
      lines: lines.all(),
    }),
    after(number) {
      if (number > count || number < count - ring.length) return undefined;
      return ring.filter((event) => event.number > number && stillTrue(event, known));
    },
    say,
    watch: lines.watch,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    onClose(listener) {
      closers.add(listener);
      return () => closers.delete(listener);
    },
    close() {
      closed = true;
      clearTimeout(timer);
      lines.close();
      forget();
      for (const closer of closers) closer();
    },
  };
}

const ENDINGS: ReadonlySet<PushEvent['type']> = new Set([
  'agent_gone',
  'agent_task',
  'pane_removed',
  'workspace_removed',
]);

/** A replay must not bring back what was closed since. */
function stillTrue(event: PushEvent, { workspaces, panes }: Known): boolean {
  if (ENDINGS.has(event.type)) return true;
  if (event.workspace !== undefined && !workspaces.has(event.workspace)) return false;
  return event.pane === undefined || panes.has(event.pane);
}
