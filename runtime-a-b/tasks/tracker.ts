/**
 * Follows every open task until it has ended: one pass after each new picture of Herdr, each second, and whenever something
 * is due. Of two generations one drives; the other only hears what has ended. A pass reads everything from the database,
 * so a restart, a switch and a kill between any two lines lose nothing.
 */
import type { AgentTaskEvent } from '../../contract/extension/tasks.ts';
import type { Log } from '../../local/log/index.ts';
import type { HerdrClient, HerdrView, LiveHerdr } from '../herdr/index.ts';
import { readEvidence } from './evidence.ts';
import { step } from './lifecycle.ts';
import { DRIVER_RENEW_MS, DRIVER_SILENT_MS, EVIDENCE_PARALLEL, TICK_MS } from './limits.ts';
import { otherOccupant } from './occupant.ts';
import { changed, columnsOf, SUBMITTING, shownLifecycle, stateOf, type TaskRow } from './row.ts';
import { sightingOf } from './sighting.ts';
import type { Change, TaskStore } from './store.ts';

export interface TrackerParts {
  store: TaskStore;
  bootId: string;
  /** Whether the process of a boot may still be working. */
  isAlive: (bootId: string) => boolean;
  live: LiveHerdr;
  herdr: HerdrClient;
  nowMs: () => number;
  log: Log;
  /** Tells local parents what has ended; `drive` makes this process the driver first, and says whether it is. */
  tellParents: (view: HerdrView, drive: () => boolean) => void;
  /** Called once for each task that ends from now on, whichever generation saw it. */
  ended: (event: AgentTaskEvent) => void;
}

export interface Tracker {
  poke(): void;
  stop(): Promise<void>;
}

/** Looks no sooner than this after the last time that something was due: an error of Herdr must not become a storm. */
const DUE_MS_MIN = 100;

export function startTracker(parts: TrackerParts): Tracker {
  const { store, bootId, live, nowMs, log } = parts;
  let heardUntil = store.lastNo();
  let renewedAt = 0;
  let due: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let again = false;
  let stopped = false;

  function poke(): void {
    if (stopped) return;
    if (running) {
      again = true;
      return;
    }
    // In a turn of its own: a burst of dispatches is one pass.
    running = new Promise((resolve) => setImmediate(resolve)).then(passes).finally(() => {
      running = undefined;
      if (again) poke();
    });
  }

  async function passes(): Promise<void> {
    if (stopped) return;
    do {
      again = false;
      try {
        await pass();
      } catch (error) {
        log.error({ err: error }, 'agent tasks could not be looked at; the next look is in a second');
        return;
      }
    } while (again && !stopped);
  }

  /** Whether this process drives now. It says that it is there only while it can see Herdr. */
  function drive(): boolean {
    const now = nowMs();
    const taken = store.takeDriver(
      bootId,
      now,
      (other, since) => !parts.isAlive(other) || now - since > DRIVER_SILENT_MS || now < since - DRIVER_SILENT_MS,
    );
    if (taken && live.view().state === 'live' && now - renewedAt >= DRIVER_RENEW_MS) {
      store.renewDriver(bootId, now);
      renewedAt = now;
    }
    return taken;
  }

  async function pass(): Promise<void> {
    const view = live.view();
    if (store.hasOpen() && drive()) {
      const { endings, dueAt } = look(view);
      await end(endings);
      if (endings.length > 0) again = true;
      schedule(dueAt);
    }
    parts.tellParents(view, drive);
    hear();
  }

  /** One look at every open task. Writes what changed and gives what has ended. */
  function look(view: HerdrView): { endings: Change[]; dueAt: number | undefined } {
    const changes: Change[] = [];
    const endings: Change[] = [];
    const taken = new Set<string>();
    let dueAt: number | undefined;
    for (const row of store.open()) {
      const agent = `${row.serverKey}/${row.terminalId}`;
      const ahead = taken.has(agent);
      taken.add(agent);
      const state = stateOf(row);
      if (!state) {
        if (row.lifecycle === SUBMITTING && !parts.isAlive(row.bootId)) endings.push(interrupted(row));
        continue;
      }
      const sighting = sightingOf(row, view);
      if (!sighting) continue;
      const next = step(state, sighting, ahead);
      const columns = changed(row, columnsOf(next.state));
      if (next.dueAt !== undefined) dueAt = Math.min(dueAt ?? next.dueAt, next.dueAt);
      if (next.ending) {
        const { lifecycle, reason, status } = next.ending;
        endings.push({ row, columns: { ...columns, lifecycle, reason, terminalStatus: status }, ends: true });
      } else if (Object.keys(columns).length > 0) changes.push({ row, columns });
    }
    if (changes.length > 0) store.drive(bootId, changes, nowMs());
    return { endings, dueAt };
  }

  /** Nobody knows whether the process that died had typed the prompt. */
  const interrupted = (row: TaskRow): Change => ({
    row,
    columns: { lifecycle: 'delivery_uncertain', reason: 'dispatch_interrupted' },
    ends: true,
  });

  /** Looks once more at who is there and at the screen, then writes all ends together. */
  async function end(endings: readonly Change[]): Promise<void> {
    if (endings.length === 0) return;
    const seen: Change[] = [];
    const left = [...endings];
    const worker = async () => {
      for (let one = left.shift(); one; one = left.shift()) {
        const other =
          one.columns.lifecycle === 'completed' ? await otherOccupant(parts.herdr, one.row, nowMs) : undefined;
        const instead = other === undefined ? {} : { lifecycle: 'failed', reason: other };
        const evidence = await readEvidence(parts.herdr, one.row.paneId, nowMs);
        seen.push({ ...one, columns: { ...one.columns, ...instead, evidence } });
      }
    };
    await Promise.all(Array.from({ length: EVIDENCE_PARALLEL }, worker));
    seen.sort((a, b) => a.row.createdAt - b.row.createdAt);
    store.drive(bootId, seen, nowMs());
  }

  /** The picture is asked for when something is due; what it shows comes back as a new picture. */
  function schedule(dueAt: number | undefined): void {
    clearTimeout(due);
    due = undefined;
    if (dueAt === undefined || stopped) return;
    due = setTimeout(() => void live.refresh().then(poke), Math.max(dueAt - nowMs(), DUE_MS_MIN));
  }

  function hear(): void {
    for (const row of store.endedAfter(heardUntil)) {
      heardUntil = row.terminalNo ?? heardUntil;
      parts.ended({
        task_id: row.taskId,
        lifecycle: shownLifecycle(row),
        parent_session_ref: row.parentSessionRef,
        pane: row.paneId,
        workspace: row.workspaceId,
        at: row.terminalAt ?? nowMs(),
      });
    }
  }

  const forget = live.onChange(poke);
  const tick = setInterval(poke, TICK_MS);
  poke();

  return {
    poke,
    async stop() {
      stopped = true;
      forget();
      clearInterval(tick);
      clearTimeout(due);
      await running;
      store.releaseDriver(bootId);
    },
  };
}
