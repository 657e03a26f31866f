/**
 * Which workstations may be linked right now, and what one that links has to be told first.
 *
 * The truth about a connection is the device's own object's. This is a receipt of two moments that pass through here
 * anyway, an admission and an end, kept so that listing and revoking need not wake the objects of workstations that are
 * away. It errs to one side only: `mayBeLinked` is false only when the last admitted link has certainly ended.
 */
import { and, eq, gte, lt, ne } from 'drizzle-orm';
import { ENDED_PRINCIPAL_MS } from '../http/index.ts';
import { devices, endedPrincipals } from './schema.ts';
import type { FleetStore } from './store.ts';

/** Notes that a link of this device is about to open; gives the principals that its object has to refuse from the start. */
export function admitLink(store: FleetStore, deviceId: string, linkId: string, nowMs: number): string[] {
  return store.atomically(() => {
    store.db
      .update(devices)
      .set({ mayBeLinked: true, linkId, linkEndedAtMs: null })
      .where(eq(devices.deviceId, deviceId))
      .run();
    return store.db
      .select()
      .from(endedPrincipals)
      .where(gte(endedPrincipals.endedAtMs, nowMs - ENDED_PRINCIPAL_MS))
      .all()
      .filter((ended) => ended.deviceId === null || ended.deviceId === deviceId)
      .map((ended) => ended.principalId);
  });
}

/** The link has ended. Says nothing when another one was admitted meanwhile. */
export function linkEnded(store: FleetStore, deviceId: string, linkId: string, nowMs: number): void {
  store.db
    .update(devices)
    .set({ mayBeLinked: false, linkEndedAtMs: nowMs })
    .where(and(eq(devices.deviceId, deviceId), eq(devices.linkId, linkId)))
    .run();
}

/** Workstations that a principal could reach, by whether their own object has to hear of its end now. */
export interface Concerned {
  linked: string[];
  /** No link is there; one that comes is told before its first call. */
  away: string[];
}

/** Notes that a principal has ended. Whoever links from now on is told; those that may be linked are given back. */
export function endPrincipal(
  store: FleetStore,
  ended: { id: string; deviceId: string | null },
  nowMs: number,
): Concerned {
  return store.atomically(() => {
    store.db
      .delete(endedPrincipals)
      .where(lt(endedPrincipals.endedAtMs, nowMs - ENDED_PRINCIPAL_MS))
      .run();
    store.db
      .insert(endedPrincipals)
      .values({ principalId: ended.id, deviceId: ended.deviceId, endedAtMs: nowMs })
      .onConflictDoUpdate({ target: endedPrincipals.principalId, set: { endedAtMs: nowMs } })
      .run();
    const reachable = store.db
      .select({ id: devices.deviceId, linked: devices.mayBeLinked })
      .from(devices)
      .where(ne(devices.authorization, 'revoked'))
      .all()
      .filter(({ id }) => ended.deviceId === null || ended.deviceId === id);
    return {
      linked: reachable.flatMap(({ id, linked }) => (linked ? [id] : [])),
      away: reachable.flatMap(({ id, linked }) => (linked ? [] : [id])),
    };
  });
}
