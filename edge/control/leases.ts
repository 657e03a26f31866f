/** The planner lease of a chain: one planner at a time, and a number that only rises, so that a late one is recognised. */
import { eq } from 'drizzle-orm';
import { LEASE_MS_DEFAULT } from './limits.ts';
import { workChains } from './schema.ts';
import { type ControlAnswer, type ControlPrincipal, type ControlRefusal, type ControlStore, refuse } from './store.ts';

export type ChainRow = typeof workChains.$inferSelect;
type LeaseRow = Pick<ChainRow, 'leaseGeneration' | 'leaseHolder' | 'leaseUntilMs'>;

export type LeaseState = 'free' | 'live' | 'expired' | 'released';

/** How a lease stands. Pure. One that is exactly at its end is over. */
export function leaseState(row: LeaseRow, nowMs: number): LeaseState {
  if (row.leaseGeneration === 0) return 'free';
  if (row.leaseHolder === null || row.leaseUntilMs === null) return 'released';
  return row.leaseUntilMs > nowMs ? 'live' : 'expired';
}

/** Whether `principalId` holds the live lease of this generation. Pure. */
export function holds(row: LeaseRow, principalId: string, generation: number, nowMs: number): boolean {
  return leaseState(row, nowMs) === 'live' && row.leaseHolder === principalId && row.leaseGeneration === generation;
}

export function leaseView(row: ChainRow, principalId: string, nowMs: number): Record<string, unknown> {
  const state = leaseState(row, nowMs);
  return {
    work_chain_id: row.workChainId,
    state,
    lease_generation: row.leaseGeneration,
    ...(row.leaseHolder === null ? {} : { holder: row.leaseHolder, held_by_you: row.leaseHolder === principalId }),
    ...(row.leaseUntilMs === null ? {} : { expires_at_ms: row.leaseUntilMs }),
    ...(row.leaseReason === null ? {} : { taken_over_because: row.leaseReason }),
  };
}

export const fenced = (row: ChainRow, principalId: string, nowMs: number): ControlRefusal =>
  refuse(
    'planner_lease_lost',
    'The caller does not hold the live planner lease of this generation. Nothing was changed.',
    'Look with herdr_mcp.planner_lease.inspect; acquire it when it is free or expired, and read the newest checkpoint first.',
    leaseView(row, principalId, nowMs),
  );

function write(store: ControlStore, row: ChainRow, changed: Partial<ChainRow>, nowMs: number): ChainRow {
  const next = { ...changed, touchedAtMs: nowMs };
  store.db.update(workChains).set(next).where(eq(workChains.workChainId, row.workChainId)).run();
  return { ...row, ...next };
}

const answer = (row: ChainRow, principal: ControlPrincipal, nowMs: number): ControlAnswer => ({
  ok: true,
  body: { planner_lease: leaseView(row, principal.id, nowMs) },
});

function grant(
  store: ControlStore,
  row: ChainRow,
  principal: ControlPrincipal,
  wish: { ttlMs?: number | undefined; reason?: string },
  nowMs: number,
): ControlAnswer {
  const changed = {
    leaseGeneration: row.leaseGeneration + 1,
    leaseHolder: principal.id,
    leaseUntilMs: nowMs + (wish.ttlMs ?? LEASE_MS_DEFAULT),
    leaseReason: wish.reason ?? null,
  };
  return answer(write(store, row, changed, nowMs), principal, nowMs);
}

/** Takes a lease that nobody holds. A live one is refused to everybody, its holder too: another conversation may be it. */
export function acquire(
  store: ControlStore,
  row: ChainRow,
  principal: ControlPrincipal,
  ttlMs: number | undefined,
  nowMs: number,
): ControlAnswer {
  if (leaseState(row, nowMs) !== 'live') return grant(store, row, principal, { ttlMs }, nowMs);
  return refuse(
    'planner_lease_held',
    'The planner lease of this chain is held. Nothing was changed.',
    'Its holder renews or releases it with its lease_generation; otherwise wait until it expires, or take it over when the person asks for that.',
    leaseView(row, principal.id, nowMs),
  );
}

export function renew(
  store: ControlStore,
  row: ChainRow,
  principal: ControlPrincipal,
  wish: { generation: number; ttlMs?: number | undefined },
  nowMs: number,
): ControlAnswer {
  if (!holds(row, principal.id, wish.generation, nowMs)) return fenced(row, principal.id, nowMs);
  return answer(write(store, row, { leaseUntilMs: nowMs + (wish.ttlMs ?? LEASE_MS_DEFAULT) }, nowMs), principal, nowMs);
}

/** Gives the lease back. Giving the same one back again, or one that has run out meanwhile, is the same answer. */
export function release(
  store: ControlStore,
  row: ChainRow,
  principal: ControlPrincipal,
  generation: number,
  nowMs: number,
): ControlAnswer {
  if (row.leaseGeneration !== generation) return fenced(row, principal.id, nowMs);
  const state = leaseState(row, nowMs);
  if (state === 'released') return answer(row, principal, nowMs);
  if (row.leaseHolder !== principal.id) return fenced(row, principal.id, nowMs);
  return answer(write(store, row, { leaseHolder: null, leaseUntilMs: null }, nowMs), principal, nowMs);
}

/** Takes a live lease from somebody else. For a person's connector only: a CI job displaces nobody. */
export function takeOver(
  store: ControlStore,
  row: ChainRow,
  principal: ControlPrincipal,
  wish: { generation: number; reason: string; ttlMs?: number | undefined },
  nowMs: number,
): ControlAnswer {
  if (principal.kind !== 'connector') {
    return refuse(
      'takeover_not_allowed',
      'An automation client may not take a planner lease from somebody. Nothing was changed.',
      'Wait until it expires, then acquire it.',
    );
  }
  const state = leaseState(row, nowMs);
  if (state !== 'live' || row.leaseGeneration !== wish.generation || row.leaseHolder === principal.id) {
    return refuse(
      'planner_lease_not_takeable',
      'A takeover needs the live lease of somebody else, by its present generation. Nothing was changed.',
      state === 'live'
        ? 'Look at it with herdr_mcp.planner_lease.inspect and name its present generation; your own is renewed or released.'
        : 'Nobody holds it: acquire it.',
      leaseView(row, principal.id, nowMs),
    );
  }
  return grant(store, row, principal, wish, nowMs);
}
