/** Puts a link together for one state folder. */
import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { LocalError } from '../local/error/index.ts';
import { acquireLock, ensurePrivateDir, readPrivateFile } from '../local/files/index.ts';
import type { Log } from '../local/log/index.ts';
import { collectWhenIdle } from '../local/memory/index.ts';
import { statePaths } from '../local/paths/index.ts';
import { VERSION } from '../local/version/index.ts';
import { isServed, openLeases } from '../runtime-a-b/generations/lease.ts';
import { Forwarder, RuntimeClient, RuntimeWatch } from './forward/index.ts';
import { followDevice, openIdentity, renewKey, requestAsDevice } from './identity/index.ts';
import { WAKE_CHECK_MS } from './limits.ts';
import { Link, type LinkEnd, type Phase } from './relay/index.ts';
import type { Clock } from './socket/index.ts';
import { type LinkStatus, StatusFile } from './status/index.ts';

export interface RunningLink {
  /** Resolves when the link has ended and everything is closed. */
  ended: Promise<LinkEnd>;
  retry(): void;
  stop(): Promise<void>;
}

export interface RunOptions {
  stateDir: string;
  log: Log;
  environment: Readonly<Record<string, string | undefined>>;
  /** Called at every change. */
  changed: (status: LinkStatus) => void;
  clock?: Clock;
  /** 0 ≤ r < 1, for the backoff. */
  random?: () => number;
}

const systemClock: Clock = { mono: () => performance.now(), wall: () => Date.now() };

/**
 * Starts the link of a state folder. Throws a {@link LocalError} when the folder is not paired, its key is missing, or
 * another link holds its lock; nothing was started then.
 */
export async function startLink(options: RunOptions): Promise<RunningLink> {
  const { stateDir, log, environment, clock = systemClock, random = Math.random } = options;
  const paths = statePaths(ensurePrivateDir(stateDir));
  const lock = acquireLock(paths.linkLock, 'link');
  if (!lock.held) {
    throw new LocalError(
      'link_running',
      `A link of ${stateDir} already runs as process ${lock.by.pid}. Nothing was started.`,
      'Stop that one first, or use another state folder.',
    );
  }
  try {
    const identity = await openIdentity(stateDir);
    const { device_id: deviceId } = identity.device;
    const bootId = `link_${randomUUID()}`;
    const client = new RuntimeClient(
      () => readRuntimeToken(paths.runtimeToken),
      (endpoint) => isServed(stateDir, endpoint),
    );
    const leases = openLeases(stateDir);
    const forwarder = new Forwarder({ deviceId, leases, client, log, now: () => clock.mono() });
    const watch = new RuntimeWatch({
      leases,
      client,
      recover: (endpoint) => forwarder.recover(endpoint),
      now: () => clock.mono(),
      changed: (facts) => {
        show();
        link.runtimeChanged(facts);
      },
    });
    const file = new StatusFile(stateDir, log);
    let phase: Phase = { state: 'connecting', why: 'starting' };
    let sinceMs = clock.wall();
    const show = (): void => {
      const { device, signer } = identity;
      const status: LinkStatus = {
        v: 1,
        pid: process.pid,
        boot_id: bootId,
        link_version: VERSION,
        device_id: device.device_id,
        device_name: device.name,
        edge_origin: device.edge_origin,
        state: phase.state,
        why: phase.why,
        since_ms: sinceMs,
        ...(phase.nextTryInMs === undefined ? {} : { next_try_ms: Math.round(sinceMs + phase.nextTryInMs) }),
        ...(phase.edgeVersion === undefined ? {} : { edge_version: phase.edgeVersion }),
        ...(phase.clockDifferenceMs === undefined ? {} : { clock_difference_ms: phase.clockDifferenceMs }),
        ...(watch.facts === undefined ? {} : { runtime: watch.facts }),
        ...(signer.clockOffsetMs === 0 ? {} : { clock_offset_ms: Math.round(signer.clockOffsetMs) }),
      };
      file.show(status);
      options.changed(status);
    };
    const entered = (next: Phase): void => {
      phase = next;
      sinceMs = clock.wall();
      show();
    };
    const link = new Link({
      identity,
      forwarder,
      watch,
      bootId,
      environment,
      clock,
      random,
      log,
      renewKey: () => renewKey(identity, stateDir),
      entered,
      edgeHasLink: async () => {
        try {
          await renewKey(identity, stateDir);
          const { device, signer } = identity;
          const request = { method: 'GET', path: `/status/${deviceId}` } as const;
          const answer = await requestAsDevice(device.edge_origin, signer, request, environment);
          return hasLink(answer.body);
        } catch {
          return undefined; // not reachable: nobody knows, and a parked link stays parked
        }
      },
    });
    const follow = async (): Promise<void> => {
      const now = await followDevice(identity, stateDir);
      if (now === 'moved') link.moved();
      if (now !== 'replaced') return;
      log.warn('this machine was paired anew; the link of the device before ends');
      await link.stop();
    };
    const stopFollowing = whenReplaced(paths.device, () => {
      follow().catch((error: unknown) => log.error({ err: error }, 'a change of device.json could not be followed'));
    });
    const stopCollecting = collectWhenIdle(() => ({ active: forwarder.active, taken: forwarder.taken }));
    const untilTheEnd = async (): Promise<LinkEnd> => {
      try {
        const end = await link.run();
        if (end === 'stopped') entered({ state: 'stopped', why: 'the link was asked to stop' });
        return end;
      } finally {
        stopCollecting();
        stopFollowing();
        await forwarder.close();
        await file.settled();
        lock.release();
      }
    };
    const ended = untilTheEnd();
    return { ended, retry: () => link.retry(), stop: () => link.stop() };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Looks whether a file was replaced, and does something then. Gives what ends it. */
function whenReplaced(file: string, act: () => void): () => void {
  const look = () => {
    const stats = statSync(file, { throwIfNoEntry: false });
    return stats ? `${stats.ino}:${stats.mtimeMs}` : '-';
  };
  let seen = look();
  const timer = setInterval(() => {
    const now = look();
    if (now === seen) return;
    seen = now;
    act();
  }, WAKE_CHECK_MS);
  return () => clearInterval(timer);
}

/** Whether the edge's status of this device names a live link. */
function hasLink(body: unknown): boolean | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { connection } = body as { connection?: unknown };
  return typeof connection === 'string' ? connection === 'online' : undefined;
}

async function readRuntimeToken(path: string): Promise<string> {
  const bytes = await readPrivateFile(path);
  if (bytes === undefined) throw new Error(`there is no ${path}; the runtime writes it when it starts`);
  return bytes.toString('utf8').trim();
}
