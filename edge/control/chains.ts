/** Work chains: an id that several conversations share, its revision, and where its newest checkpoint is. */
import { and, asc, count, eq, inArray, lt, notExists } from 'drizzle-orm';
import type { Static } from 'typebox';
import type { CONTROL_METHODS } from '../../contract/fleet/index.ts';
import { timeOrdered } from '../../contract/ids.ts';
import { LIVE_STATES, lanesOf, laneView } from './lanes.ts';
import { type ChainRow, fenced, holds, leaseView } from './leases.ts';
import { WORK_CHAIN_IDLE_MS, WORK_CHAINS_MAX } from './limits.ts';
import { executionLanes, workChains } from './schema.ts';
import { type ControlAnswer, type ControlPrincipal, type ControlRefusal, type ControlStore, refuse } from './store.ts';

export function findChain(store: ControlStore, workChainId: string): ChainRow | ControlRefusal {
  const row = store.db.select().from(workChains).where(eq(workChains.workChainId, workChainId)).get();
  return (
    row ??
    refuse(
      'work_chain_not_found',
      `There is no work chain ${workChainId} at this edge. Nothing was changed.`,
      'Use the id that herdr_mcp.work_chain.create gave, or create a chain. Chains untouched for 30 days may be forgotten.',
    )
  );
}

function chainView(row: ChainRow): Record<string, unknown> {
  return {
    work_chain_id: row.workChainId,
    revision: row.revision,
    created_by: row.createdBy,
    created_at_ms: row.createdAtMs,
    checkpoint:
      row.checkpointRevision === null
        ? null
        : {
            revision: row.checkpointRevision,
            digest: row.checkpointDigest,
            device_id: row.checkpointDevice,
          },
  };
}

export function createChain(store: ControlStore, principal: ControlPrincipal, nowMs: number): ControlAnswer {
  if (!makeRoom(store, nowMs)) {
    return refuse(
      'control_capacity',
      `${WORK_CHAINS_MAX} work chains exist and none is old enough to be forgotten. None was made.`,
      'Go on with an existing chain.',
    );
  }
  const row: ChainRow = {
    workChainId: `wc_${timeOrdered(nowMs, crypto.getRandomValues(new Uint8Array(10)))}`,
    revision: 1,
    createdBy: principal.id,
    createdAtMs: nowMs,
    touchedAtMs: nowMs,
    checkpointRevision: null,
    checkpointDigest: null,
    checkpointDevice: null,
    leaseGeneration: 0,
    leaseHolder: null,
    leaseUntilMs: null,
    leaseReason: null,
  };
  store.db.insert(workChains).values(row).run();
  return { ok: true, body: { work_chain: chainView(row) } };
}

/** Whether one more chain fits, after forgetting the one that was left alone for longest. */
function makeRoom(store: ControlStore, nowMs: number): boolean {
  const { db } = store;
  if ((db.select({ n: count() }).from(workChains).get()?.n ?? 0) < WORK_CHAINS_MAX) return true;
  const livesOn = db
    .select({ id: executionLanes.laneId })
    .from(executionLanes)
    .where(and(eq(executionLanes.workChainId, workChains.workChainId), inArray(executionLanes.state, LIVE_STATES)));
  const idle = db
    .select({ id: workChains.workChainId })
    .from(workChains)
    .where(and(lt(workChains.touchedAtMs, nowMs - WORK_CHAIN_IDLE_MS), notExists(livesOn)))
    .orderBy(asc(workChains.touchedAtMs))
    .limit(1)
    .get();
  if (!idle) return false;
  db.delete(executionLanes).where(eq(executionLanes.workChainId, idle.id)).run();
  db.delete(workChains).where(eq(workChains.workChainId, idle.id)).run();
  return true;
}

export function inspectChain(
  store: ControlStore,
  row: ChainRow,
  principal: ControlPrincipal,
  nowMs: number,
): ControlAnswer {
  return {
    ok: true,
    body: {
      work_chain: chainView(row),
      planner_lease: leaseView(row, principal.id, nowMs),
      execution_lanes: lanesOf(store, row.workChainId).map(laneView),
    },
  };
}

type CheckpointParams = Static<(typeof CONTROL_METHODS)['herdr_mcp.work_chain.checkpoint.update']>;

/** Notes where the newest checkpoint is, when the caller plans and has seen the present revision. */
export function updateCheckpoint(
  store: ControlStore,
  row: ChainRow,
  principal: ControlPrincipal,
  params: CheckpointParams,
  nowMs: number,
): ControlAnswer {
  if (!holds(row, principal.id, params.lease_generation, nowMs)) return fenced(row, principal.id, nowMs);
  if (row.revision !== params.expected_revision) {
    return refuse(
      'work_chain_revision_conflict',
      `The chain is at revision ${row.revision}, not ${params.expected_revision}. Nothing was changed.`,
      'Read the checkpoint that stands there now, then decide again with its revision.',
      chainView(row),
    );
  }
  if (!store.isLiveDevice(params.checkpoint.device_id)) return noDevice(params.checkpoint.device_id);
  const changed = {
    revision: row.revision + 1,
    touchedAtMs: nowMs,
    checkpointRevision: params.checkpoint.revision,
    checkpointDigest: params.checkpoint.digest,
    checkpointDevice: params.checkpoint.device_id,
  };
  store.db.update(workChains).set(changed).where(eq(workChains.workChainId, row.workChainId)).run();
  return { ok: true, body: { work_chain: chainView({ ...row, ...changed }) } };
}

const noDevice = (deviceId: string): ControlRefusal =>
  refuse(
    'device_not_found',
    `No workstation ${deviceId} is paired. Nothing was changed.`,
    'Use a device_id that herdr_devices lists.',
  );
