/**
 * Agent tasks: a prompt is sent once, its sender goes on, and later learns exactly once what became of it.
 *
 * Herdr owns the agents; what is kept here is only what was dispatched and what was seen of it. The state machine
 * (`lifecycle.ts`) is pure and never calls anything completed without activity that was seen; the tracker feeds it, in one
 * generation at a time; the inbox belongs to the parent that dispatched. Advice comes through a port and decides nothing.
 */
import { randomBytes } from 'node:crypto';
import type { AgentTaskEvent, TasksAnswer } from '../../contract/extension/tasks.ts';
import type { AgentInfo } from '../../contract/herdr/index.ts';
import { dispatchId } from '../../contract/ids.ts';
import type { Log } from '../../local/log/index.ts';
import type { HerdrClient, LiveHerdr } from '../herdr/index.ts';
import type { State } from '../state/index.ts';
import { type Adviser, NO_ADVISER } from './adviser.ts';
import { type BegunTask, beginTask, type NewDispatch, settleEarlier } from './desk.ts';
import { readInbox } from './inbox.ts';
import { OWED_MS } from './limits.ts';
import { type MethodParts, type TaskMethod, taskMethods } from './methods.ts';
import { moveParent } from './move-parent.ts';
import { isOwed } from './owed.ts';
import { scopeOfSession } from './parents.ts';
import { openTaskStore } from './store.ts';
import { startTracker, type Tracker } from './tracker.ts';
import { createWakes, type SendWake } from './wake.ts';

export type { Adviser, AttentionAdvice, AttentionChild } from './adviser.ts';
export type { BegunTask, NewDispatch } from './desk.ts';
export { INBOX_MAX, START_LOOK_MS, WAKE_MS } from './limits.ts';
export type { Parent } from './parents.ts';
export type { SendWake } from './wake.ts';

export interface TaskParts {
  state: State;
  bootId: string;
  isAlive: (bootId: string) => boolean;
  live: LiveHerdr;
  herdr: HerdrClient;
  nowMs: () => number;
  log: Log;
  sessionOf: MethodParts['sessionOf'];
  /** Sends a wake to a local parent as a dispatch of its own. */
  send: SendWake;
  adviser?: Adviser;
  random?: (bytes: number) => Uint8Array;
}

export interface SessionInbox {
  workspaceId?: string;
  limit: number;
  includeAcknowledged: boolean;
  advisory: boolean;
}

export interface Tasks {
  /** Lets an earlier task of a quiet agent end before the next prompt is typed. True when it waited for that. */
  settleEarlier(agent: AgentInfo, serverKey: string): Promise<boolean>;
  begin(dispatch: NewDispatch): BegunTask;
  /** `herdr_mcp.agent.task.status`, `.inbox` and `.ack`. */
  methods: Record<string, TaskMethod>;
  /** The inbox of a conversation, for the extension. */
  inboxOf(sessionRef: string, question: SessionInbox): Promise<TasksAnswer>;
  /** Acknowledges for a conversation; never a task of another one. */
  acknowledgeFor(
    sessionRef: string,
    taskId: string,
  ): 'acknowledged' | 'already' | 'not_found' | 'parent_mismatch' | 'not_terminal';
  /** Whether the end of a task in one of these panes is about to be told to one of these conversations. */
  owes(sessionRefs: readonly string[], panes: readonly string[]): boolean;
  /** The line of work of one conversation goes on in another one: its unacknowledged tasks with it. */
  moveParent(fromSession: string, toSession: string): number;
  /** Begins to follow what is open; `ended` hears of each task that ends from now on, once, whichever generation saw it. */
  start(ended: (event: AgentTaskEvent) => void): void;
  forget(): void;
  stop(): Promise<void>;
}

/** Opens the tasks of an open `state.db`. */
export function openTasks(parts: TaskParts): Tasks {
  const { state, bootId, nowMs, log } = parts;
  const random = parts.random ?? ((bytes: number) => randomBytes(bytes));
  const adviser = parts.adviser ?? NO_ADVISER;
  const store = openTaskStore(state);
  const inbox = { store, adviser, nowMs, log };
  let tracker: Tracker | undefined;
  const poke = () => tracker?.poke();
  const newDispatchId = () => dispatchId(nowMs(), random(10));
  const wakes = createWakes({ ...inbox, bootId, newDispatchId, send: parts.send, poke });
  return {
    settleEarlier: (agent, serverKey) =>
      settleEarlier(agent, serverKey, { store, nowMs, poke }, () => parts.live.refresh()),
    begin: (dispatch) => beginTask(dispatch, { store, bootId, nowMs, random, poke }),
    methods: taskMethods({ ...inbox, sessionOf: parts.sessionOf }),
    inboxOf: (sessionRef, question) => readInbox({ scope: scopeOfSession(sessionRef), ...question }, inbox),
    acknowledgeFor(sessionRef, taskId) {
      const row = store.find(taskId);
      if (!row) return 'not_found';
      if (row.parentKind !== 'session' || row.parentSessionRef !== sessionRef) return 'parent_mismatch';
      if (row.terminalAt === null) return 'not_terminal';
      return store.acknowledge(taskId, nowMs()) ? 'acknowledged' : 'already';
    },
    owes: (sessions, panes) => isOwed(state, sessions, panes, nowMs() - OWED_MS),
    moveParent: (from, to) => moveParent(state, from, to, nowMs()),
    start(ended) {
      tracker ??= startTracker({ ...parts, store, tellParents: wakes.tell, ended });
    },
    forget: () => store.forget(nowMs()),
    async stop() {
      await tracker?.stop();
      await wakes.settled();
    },
  };
}
