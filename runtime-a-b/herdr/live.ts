/**
 * The live picture of Herdr: one loop that connects, subscribes, takes snapshots and polls agents until it is stopped.
 *
 * Events only say "look again": the snapshot alone decides what exists, so replayed, late, unknown and lost events are
 * all the same (protocol 4.4). When Herdr goes away the last picture stays, marked stale, and the loop backs off.
 */
import { LIFECYCLE_SUBSCRIPTIONS, type Subscription } from '../../contract/herdr/index.ts';
import type { Log } from '../../local/log/index.ts';
import {
  AGENT_POLL_MS,
  HERDR_BACKOFF_MAX_MS,
  HERDR_BACKOFF_MIN_MS,
  HERDR_PING_MS,
  SNAPSHOT_INTERVAL_MS,
} from '../limits.ts';
import { changesBetween } from './changes.ts';
import type { HerdrClient } from './client.ts';
import { Debounce } from './debounce.ts';
import { HerdrFailure } from './failure.ts';
import { type Picture, takePicture } from './picture.ts';
import { EventRing } from './ring.ts';
import { serverOf } from './socket-path.ts';
import { statusStream } from './status-stream.ts';
import { type EventStream, subscribe } from './subscription.ts';
import type { HerdrServer, HerdrView, LiveHerdr } from './view.ts';

export interface LiveHerdrCache extends LiveHerdr {
  readonly ring: EventRing;
  /** Stops the loop and closes its connections; resolves when nothing of it runs any more. */
  stop(): Promise<void>;
}

const NOTHING: Picture = { workspaces: [], tabs: [], panes: [], agents: [], focused: {}, warnings: [] };

/** Subscriptions from the newest to the plainest: one unknown type makes an older Herdr refuse the whole list. */
const SUBSCRIPTION_SETS: readonly (readonly Subscription[])[] = [
  LIFECYCLE_SUBSCRIPTIONS.map((type) => ({ type })),
  (
    [
      'workspace.created',
      'workspace.closed',
      'tab.created',
      'tab.closed',
      'pane.created',
      'pane.closed',
      'pane.exited',
      'pane.agent_detected',
    ] as const
  ).map((type) => ({ type })),
];

/** Starts watching. Nothing is known until the first refresh; `view()` says so. */
export function watchHerdr(client: HerdrClient, options: { nowMs: () => number; log: Log }): LiveHerdrCache {
  const { nowMs, log } = options;
  const ring = new EventRing();
  const listeners = new Set<(view: HerdrView) => void>();
  const stopping = new AbortController();
  let picture: Picture | undefined;
  let fingerprint = '';
  let view: HerdrView = {
    ...NOTHING,
    state: 'unknown',
    observedAtMs: undefined,
    server: undefined,
    problem: { code: 'not_asked_yet', message: 'Herdr has not been asked yet' },
    revision: 0,
  };
  let refreshing: Promise<HerdrView> | undefined;
  let wake: () => void = () => {};

  function show(next: HerdrView): HerdrView {
    const changed = next !== view;
    view = next;
    if (changed) for (const listener of listeners) listener(next);
    return next;
  }

  function accept(next: Picture, server: HerdrServer): HerdrView {
    const at = nowMs();
    const print = JSON.stringify(next);
    const sameServer = view.server?.key === server.key;
    if (picture && sameServer) ring.push(changesBetween(picture, next), at);
    else if (picture) ring.push([{ type: 'herdr_server_changed', facts: { server: server.key } }], at);
    else if (view.state === 'stale') ring.push([{ type: 'herdr_back', facts: { server: server.key } }], at);
    const revision = print === fingerprint && sameServer && view.state === 'live' ? view.revision : view.revision + 1;
    fingerprint = print;
    picture = next;
    const problem =
      server.support === 'read_only'
        ? {
            code: 'herdr_read_only',
            message: `Herdr ${server.version} is older than 0.7.5: it can be read, agents cannot be prompted`,
          }
        : undefined;
    return show({ ...next, state: 'live', observedAtMs: at, server, problem, revision });
  }

  function lose(error: unknown): HerdrView {
    const failure =
      error instanceof HerdrFailure ? error : new HerdrFailure('socket_error', String(error), false, error);
    if (!(error instanceof HerdrFailure)) log.error({ err: error }, 'the picture of Herdr could not be taken');
    const problem = { code: failure.code, message: failure.message };
    if (view.state === 'live') ring.push([{ type: 'herdr_unavailable', facts: problem }], nowMs());
    const state = picture ? 'stale' : 'unknown';
    return show({ ...view, state, problem, revision: view.state === state ? view.revision : view.revision + 1 });
  }

  async function look(): Promise<HerdrView> {
    try {
      const server = serverOf(await client.call('ping', {}, { timeoutMs: HERDR_PING_MS }), client.socketPath);
      if (server.support === 'too_old') {
        const message = `Herdr ${server.version} (protocol ${server.protocol}) is too old; 0.7.2 can be read, 0.7.5 and later can be used fully`;
        picture = undefined;
        return show({
          ...NOTHING,
          state: 'unknown',
          observedAtMs: undefined,
          server,
          problem: { code: 'herdr_too_old', message },
          revision: view.revision + 1,
        });
      }
      return accept(await takePicture(client), server);
    } catch (error) {
      // An answer, even an error, is a sign of life: the picture stays as fresh as it was (protocol 8; lesson 4).
      if (error instanceof HerdrFailure && error.answered && picture) {
        log.warn({ code: error.code }, 'Herdr answered the snapshot with an error');
        return view;
      }
      return lose(error);
    }
  }

  function refresh(): Promise<HerdrView> {
    refreshing ??= look().finally(() => {
      refreshing = undefined;
    });
    return refreshing;
  }

  /** Puts new statuses into the picture without waiting for the next snapshot; anything else asks for one. */
  async function pollAgents(): Promise<void> {
    if (!picture || !view.server) return;
    const { agents } = await client.call('agent.list', {}, { timeoutMs: HERDR_PING_MS });
    if (!picture || !view.server || refreshing) return;
    if (JSON.stringify(agents) === JSON.stringify(picture.agents)) return;
    const known = new Set(picture.workspaces.map((workspace) => workspace.workspace_id));
    if (agents.length !== picture.agents.length || agents.some((agent) => !known.has(agent.workspace_id))) {
      await refresh();
      return;
    }
    const byPane = new Map(agents.map((agent) => [agent.pane_id, agent]));
    const panes = picture.panes.map((pane) => {
      const agent = byPane.get(pane.pane_id);
      return agent ? { ...pane, agent_status: agent.agent_status } : pane;
    });
    accept({ ...picture, agents, panes }, view.server);
  }

  async function openStream(onEvent: () => void): Promise<EventStream | undefined> {
    for (const set of SUBSCRIPTION_SETS) {
      try {
        return await subscribe(client.socketPath, set, onEvent);
      } catch (error) {
        if (!(error instanceof HerdrFailure) || !error.answered) throw error;
        log.warn({ code: error.code }, 'Herdr refused a subscription; trying a plainer one');
      }
    }
    return undefined;
  }

  /** One connected spell: ends when the stream ends, Herdr goes away or the cache is stopped. */
  async function spell(): Promise<void> {
    let dirty = false;
    const debounce = new Debounce(() => {
      dirty = true;
      wake();
    });
    let over = false;
    let stream: EventStream | undefined;
    let moved = false;
    const statuses = statusStream(client.socketPath, log, (pane, status) => {
      if (pane !== undefined && picture?.agents.find((agent) => agent.pane_id === pane)?.agent_status === status)
        return;
      moved = true;
      wake();
    });
    try {
      if ((await refresh()).state !== 'live') return;
      stream = await openStream(() => debounce.poke());
      void stream?.ended.then(() => {
        over = true;
        wake();
      });
      await refresh();
      let lastSnapshot = nowMs();
      while (!over && !stopping.signal.aborted && view.state === 'live') {
        statuses.follow(view.agents.map(({ pane_id }) => pane_id));
        if (!moved) await sleep(view.agents.length > 0 ? AGENT_POLL_MS : SNAPSHOT_INTERVAL_MS);
        moved = false;
        if (over || stopping.signal.aborted) break;
        if (dirty || nowMs() - lastSnapshot >= SNAPSHOT_INTERVAL_MS || nowMs() < lastSnapshot) {
          dirty = false;
          lastSnapshot = nowMs();
          await refresh();
        } else {
          await pollAgents();
        }
      }
      if (over && !stopping.signal.aborted)
        lose(new HerdrFailure('unexpected_eof', 'Herdr ended the event stream', false));
    } catch (error) {
      if (error instanceof HerdrFailure && error.answered)
        log.warn({ code: error.code }, 'Herdr answered a poll with an error');
      else lose(error);
    } finally {
      debounce.cancel();
      statuses.close();
      stream?.close();
    }
  }

  /** Sleeps until the time is over or somebody calls `wake`. */
  function sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (stopping.signal.aborted) wake();
    });
  }

  async function loop(): Promise<void> {
    let backoff = HERDR_BACKOFF_MIN_MS;
    while (!stopping.signal.aborted) {
      const before = nowMs();
      await spell();
      if (nowMs() - before > HERDR_BACKOFF_MAX_MS) backoff = HERDR_BACKOFF_MIN_MS;
      if (stopping.signal.aborted) break;
      await sleep(backoff);
      backoff = Math.min(backoff * 2, HERDR_BACKOFF_MAX_MS);
    }
  }
  const running = loop();

  return {
    ring,
    view: () => view,
    refresh,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async stop() {
      stopping.abort();
      wake();
      await running;
    },
  };
}
