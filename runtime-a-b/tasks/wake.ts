/**
 * Tells a local parent agent what its children came to: one prompt for all that have ended, when the parent is idle. The
 * wake is an ordinary dispatch with an id of its own, written to its tasks before it is sent. So it is sent once: whoever
 * takes over asks the ledger what became of that id, and only a prompt that was certainly not typed is tried again.
 */
import { and, eq } from 'drizzle-orm/sql';
import type { Delivery } from '../../contract/outcome.ts';
import type { Log } from '../../local/log/index.ts';
import { type HerdrView, knownStatus } from '../herdr/index.ts';
import type { Adviser } from './adviser.ts';
import { readInbox } from './inbox.ts';
import { WAKE_RETRY_MS, WAKE_TASKS } from './limits.ts';
import type { TaskRow } from './row.ts';
import { agentTasks } from './schema.ts';
import type { TaskStore } from './store.ts';
import { wakeText } from './wake-text.ts';

/** Sends a prompt under a dispatch id that is new, or gives what became of it when it is known. */
export type SendWake = (wake: {
  dispatchId: string;
  target: string;
  text: string;
}) => Promise<{ delivery: Delivery; code: string | undefined }>;

export interface WakeParts {
  store: TaskStore;
  bootId: string;
  adviser: Adviser;
  nowMs: () => number;
  log: Log;
  newDispatchId: () => string;
  send: SendWake;
  poke: () => void;
}

export interface Wakes {
  /** Begins what is to be told; never waits for it. */
  tell(view: HerdrView, drive: () => boolean): void;
  /** Resolves when no wake is under way. */
  settled(): Promise<void>;
}

export function createWakes(parts: WakeParts): Wakes {
  const { store, nowMs, log } = parts;
  /** By the parent's terminal, or by the id of a wake that another process left. */
  const under = new Map<string, Promise<void>>();

  function tell(view: HerdrView, drive: () => boolean): void {
    const untold = store.untold();
    if (untold.length === 0) return;
    for (const [id, rows] of grouped(untold, inFlightId)) {
      const own = under.has(parentKey(rows[0]));
      if (!own && !under.has(id) && drive()) begin(id, () => resume(id, rows, view));
    }
    for (const [key, rows] of grouped(untold, pendingKey)) {
      if (!under.has(key) && isReady(rows, view) && drive()) begin(key, () => wake(key, rows, view));
    }
  }

  function begin(key: string, work: () => Promise<void>): void {
    const running = work()
      .catch((error: unknown) => log.error({ err: error }, 'a parent could not be told of its tasks'))
      .finally(() => {
        under.delete(key);
        parts.poke();
      });
    under.set(key, running);
  }

  function isReady(rows: readonly TaskRow[], view: HerdrView): boolean {
    const [first] = rows;
    if (!first || view.state !== 'live' || view.server?.key !== first.serverKey) return false;
    const parent = view.agents.find(({ terminal_id }) => terminal_id === first.parentTerminalId);
    if (!parent) {
      const unsaid = rows.filter(({ notificationError }) => notificationError !== 'parent_gone');
      if (unsaid.length > 0)
        store.noteWakeTrouble(
          unsaid.map(({ taskId }) => taskId),
          'parent_gone',
          nowMs(),
        );
      return false;
    }
    const status = knownStatus(parent.agent_status);
    if (status !== 'idle' && status !== 'done') return false;
    // Its own turn may be somebody's task: that one ends first, or the wake would be taken for its going on.
    if (store.isRunning(first.serverKey, parent.terminal_id)) return false;
    return rows.every(
      ({ notificationError, notificationAt }) =>
        notificationError === null ||
        notificationError === 'parent_gone' ||
        nowMs() - (notificationAt ?? 0) >= WAKE_RETRY_MS,
    );
  }

  async function wake(key: string, rows: readonly TaskRow[], view: HerdrView): Promise<void> {
    const [first] = rows;
    const terminal = first?.parentTerminalId;
    if (!first || !terminal) return;
    const inbox = await readInbox(
      {
        scope: and(
          eq(agentTasks.parentKind, 'agent'),
          eq(agentTasks.parentTerminalId, terminal),
          eq(agentTasks.serverKey, first.serverKey),
        ),
        limit: WAKE_TASKS,
        includeAcknowledged: false,
        advisory: true,
      },
      parts,
    );
    const tasks = inbox.tasks.filter(({ notification_state }) => notification_state === 'pending');
    if (tasks.length === 0) return;
    const dispatchId = parts.newDispatchId();
    const ids = tasks.map(({ task_id }) => task_id);
    if (!store.claimWake(parts.bootId, ids, dispatchId, nowMs())) return;
    await send(dispatchId, targetOf(first, view), wakeText({ ...inbox, tasks }));
    log.debug({ parent: key, tasks: ids.length }, 'a parent was told of its tasks');
  }

  /** A wake that another process had begun. The text counts only when that one never came to the ledger. */
  async function resume(dispatchId: string, rows: readonly TaskRow[], view: HerdrView): Promise<void> {
    const [first] = rows;
    if (!first) return;
    const inbox = await readInbox(
      {
        scope: eq(agentTasks.wakeDispatchId, dispatchId),
        limit: WAKE_TASKS,
        includeAcknowledged: false,
        advisory: false,
      },
      parts,
    );
    await send(dispatchId, targetOf(first, view), wakeText(inbox));
  }

  async function send(dispatchId: string, target: string, text: string): Promise<void> {
    const { delivery, code } = await parts.send({ dispatchId, target, text });
    const outcome = ({ delivered: 'delivered', not_delivered: 'pending', unknown: 'uncertain' } as const)[delivery];
    store.settleWake(dispatchId, outcome, outcome === 'delivered' ? null : (code ?? 'unknown'), nowMs());
  }

  return {
    tell,
    async settled() {
      await Promise.all(under.values());
    },
  };
}

/**
 * The pane in which the parent's terminal is now: names may have been given away, and a pane that moves gets a new id. When
 * it is gone its terminal's id, which nobody answers to: whoever sits in its pane by now is not the parent.
 */
const targetOf = (row: TaskRow, view: HerdrView): string =>
  view.agents.find(({ terminal_id }) => terminal_id === row.parentTerminalId)?.pane_id ?? row.parentTerminalId ?? '';

const parentKey = (row: TaskRow | undefined): string => `${row?.serverKey}/${row?.parentTerminalId}`;
const inFlightId = (row: TaskRow): string | undefined =>
  row.notificationState === 'in_flight' ? (row.wakeDispatchId ?? undefined) : undefined;
const pendingKey = (row: TaskRow): string | undefined =>
  row.notificationState === 'pending' ? parentKey(row) : undefined;

function grouped(rows: readonly TaskRow[], keyOf: (row: TaskRow) => string | undefined): Map<string, TaskRow[]> {
  const groups = new Map<string, TaskRow[]>();
  for (const row of rows) {
    const key = keyOf(row);
    if (key !== undefined) groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return groups;
}
