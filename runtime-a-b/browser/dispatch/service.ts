/**
 * The delivery service: one door for everything that is put into a web chat on somebody's behalf. A dispatch is written
 * down before any browser hears of it; a browser takes it once, under a name; what comes back is judged by the operation's
 * postcondition alone. The same key is the same dispatch for ever, and only one that was proved not to be delivered is
 * offered again.
 */

import { ACTUATION_PROTOCOL, type ActuationEvent, ADAPTER_PROTOCOL } from '../../../contract/browser/actuation.ts';
import { type DeliveryState, PROVED_UNDELIVERED } from '../../../contract/browser/dispatch.ts';
import type { Principal } from '../../../contract/call.ts';
import type { State } from '../../state/index.ts';
import type { Callers } from '../callers.ts';
import type { Asked } from './asked.ts';
import { openCurrentMessages } from './current-message.ts';
import { PROOF_LOOK_MS, RETRIES_MAX } from './limits.ts';
import { keyOf, namesOf, requestOf } from './names.ts';
import { assertGeneration, isAble, openPlaces } from './place.ts';
import { busy, incapable, keyConflict, protocolUnsupported } from './refusals.ts';
import { isTold, type Row, viewOf } from './row.ts';
import { openStore } from './store.ts';
import { openTaken } from './taken.ts';

export interface ServiceParts {
  state: State;
  nowMs: () => number;
  random: (bytes: number) => Uint8Array;
  /** Tells the browsers that something waits. */
  wake: (event: ActuationEvent) => void;
  /** A dispatch has ended for good: its answer is complete, was stopped, or will never come. */
  settled: () => void;
  moveTasks: (from: string, to: string) => number;
  callers: Pick<Callers, 'prove'>;
  /** Whether whoever asked still may. */
  stillGranted: (principal: Pick<Principal, 'kind' | 'id'>) => boolean;
}

export type Begun = { row: Row; replayed: boolean };

export function openService(parts: ServiceParts) {
  const { nowMs, random, wake } = parts;
  const store = openStore(parts.state);
  const places = openPlaces(parts.state);
  /** Woken by every change that this process makes; the other generation's changes are looked for. */
  const watchers = new Set<() => void>();
  const changed = () => {
    for (const watcher of [...watchers]) watcher();
  };
  const newActuation = () => `ba_${hex(random(8))}`;

  function offer(row: Row): void {
    wake({
      protocol: ACTUATION_PROTOCOL,
      endpoint_ref: row.endpointRef,
      actuation_id: row.actuationId,
      dispatch_id: row.dispatchId,
    });
  }

  /** Whether this key was used before and nothing would be offered to a browser because of it now. */
  function isLookedUp(asked: Asked): boolean {
    const { operation, place } = asked;
    const known = store.byKey({ provider: place.provider.provider, operation, keySha256: keyOf(asked) });
    if (!known) return false;
    return known.requestSha256 !== requestOf(asked) || !mayOfferAgain(known, asked.byHand);
  }

  /** The dispatch that this caller's key was used for, on whichever site. */
  function earlier(asked: Pick<Asked, 'operation' | 'key' | 'principal'>): Row | undefined {
    return store.byKey({ operation: asked.operation, keySha256: keyOf(asked) });
  }

  /** Makes the dispatch, or finds the one of the same key. Throws when a gate says no: then nothing was written. */
  function begin(asked: Asked): Begun {
    const begun = store.inTransaction((): Begun & { offered: boolean } => {
      const now = nowMs();
      store.expire(now);
      const { provider, endpoint, account } = asked.place;
      const keySha256 = keyOf(asked);
      const requestSha256 = requestOf(asked);
      const known = store.byKey({ provider: provider.provider, operation: asked.operation, keySha256 });
      if (known) {
        if (known.requestSha256 !== requestSha256) throw keyConflict(viewOf(known));
        if (!mayOfferAgain(known, asked.byHand)) return { row: known, replayed: true, offered: false };
      }
      if (asked.expectedGeneration !== null) assertGeneration(asked.place, asked.expectedGeneration);
      assertCapable(asked);
      const open = store.busy(
        { endpointRef: endpoint.endpointRef, provider: provider.provider, accountRef: account.resourceRef },
        now,
      );
      if (open && asked.operation !== 'generation.stop') throw busy(viewOf(open));
      const offered = {
        message: asked.message,
        expectedGeneration: provider.observationGeneration,
        actuationId: newActuation(),
        offeredAt: now,
        claimant: null,
        claimedAt: null,
        confirmedAt: null,
        reportedAt: null,
        consentRevision: asked.byHand ? null : (places.endpoint(known?.endpointRef ?? '') ?? endpoint).consentRevision,
        deliveryState: 'uncertain',
        executionState: 'queued',
        reason: null,
        sourceTurnSha256: asked.source?.turnSha256 ?? null,
        sourceTextSha256: asked.source?.textSha256 ?? null,
        updatedAt: now,
      };
      if (known)
        return {
          row: store.change(known.dispatchId, { ...offered, offers: known.offers + 1 }),
          replayed: false,
          offered: true,
        };
      const row = store.insert({ ...offered, ...namesOf(asked), createdAt: now });
      return { row, replayed: false, offered: true };
    });
    if (begun.offered) {
      offer(begun.row);
      changed();
    }
    return { row: begun.row, replayed: begun.replayed };
  }

  /** Ends what is known by its own id, or by its key in that browser, wherever it lies. Null: nothing is. */
  function endKnown(
    given: Pick<Row, 'endpointRef' | 'operation' | 'keySha256'>,
    dispatchId: string | undefined,
  ): Row | null {
    const ended = store.inTransaction((): Row | null => {
      const now = nowMs();
      store.expire(now);
      const named = dispatchId === undefined ? undefined : store.find(dispatchId, now);
      const known = named?.endpointRef === given.endpointRef ? named : store.byKeyIn(given);
      if (known === undefined) return null;
      return mayStop(known) ? store.change(known.dispatchId, { ...STOPPED, updatedAt: now }) : known;
    });
    changed();
    return ended;
  }

  /**
   * Ends what is asked, whether or not it was ever begun: what nobody can have typed yet is stopped, and so is every later
   * request under the same key. The row as it stands then.
   */
  function end(asked: Asked): Row {
    const ended = store.inTransaction((): Row => {
      const now = nowMs();
      store.expire(now);
      const { provider } = asked.place;
      const known = store.byKey({
        provider: provider.provider,
        operation: asked.operation,
        keySha256: keyOf(asked),
      });
      const stopped = { ...STOPPED, updatedAt: now };
      if (known) return mayStop(known) ? store.change(known.dispatchId, stopped) : known;
      const never = { expectedGeneration: provider.observationGeneration, actuationId: newActuation(), offeredAt: now };
      return store.insert({ ...never, ...stopped, ...namesOf(asked), createdAt: now });
    });
    changed();
    return ended;
  }

  /** Waits until the browser has told all that it knows, or time is up. */
  async function wait(dispatchId: string, ms: number, signal?: AbortSignal): Promise<Row | undefined> {
    const until = performance.now() + ms;
    for (;;) {
      const row = store.find(dispatchId, nowMs());
      const left = until - performance.now();
      if (!row || isTold(row) || left <= 0 || signal?.aborted) return row;
      await new Promise<void>((resolve) => {
        const done = () => {
          clearTimeout(timer);
          watchers.delete(done);
          signal?.removeEventListener('abort', done);
          resolve();
        };
        const timer = setTimeout(done, Math.min(left, PROOF_LOOK_MS));
        watchers.add(done);
        signal?.addEventListener('abort', done, { once: true });
      });
    }
  }

  /** Withdraws what nobody can have typed or pressed yet. Null: it may have begun, or it is over. */
  function withdraw(dispatchId: string): Row | null {
    const withdrawn = store.inTransaction(() => {
      const now = nowMs();
      const row = store.find(dispatchId, now);
      if (row?.deliveryState !== 'uncertain' || !mayStop(row)) return null;
      return store.change(dispatchId, { ...STOPPED, updatedAt: now });
    });
    changed();
    return withdrawn;
  }

  return {
    isLookedUp,
    earlier,
    currentMessages: openCurrentMessages({ state: parts.state, store, callers: parts.callers }),
    begin,
    wait,
    withdraw,
    end,
    endKnown,
    knownIn: store.byKeyIn,
    ...openTaken({ store, places, ...parts, changed }),
    places,
    untold: store.untold,
    beginTelling: store.beginTelling,
    endTelling: store.endTelling,
    find: (dispatchId: string) => store.find(dispatchId, nowMs()),
    wasArchived: store.wasArchived,
    waiting: (endpointRef: string) =>
      store.inTransaction(() => store.waiting(endpointRef, nowMs())).map(({ actuationId }) => actuationId),
    forget: () => store.forget(nowMs()),
  };
}

export type Service = ReturnType<typeof openService>;

const STOPPED = { deliveryState: 'stopped', executionState: 'stopped', reason: 'withdrawn', message: null } as const;

/** Certain not to have happened, and from now on not to happen. */
function mayStop({ deliveryState, confirmedAt, reportedAt }: Row): boolean {
  if (deliveryState === 'uncertain') return confirmedAt === null && reportedAt === null;
  return PROVED_UNDELIVERED.has(deliveryState as DeliveryState);
}

function assertCapable({ operation, place }: Asked): void {
  const { adapterProtocolVersion } = place.provider;
  if (adapterProtocolVersion !== ADAPTER_PROTOCOL) throw protocolUnsupported(adapterProtocolVersion);
  if (!isAble(place.provider, operation)) throw incapable(operation);
}

function mayOfferAgain(row: Row, byHand: boolean): boolean {
  return (
    PROVED_UNDELIVERED.has(row.deliveryState as DeliveryState) &&
    row.deliveryState !== 'stopped' &&
    (byHand || row.offers <= RETRIES_MAX)
  );
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
