/** Execution lanes: which device works on which branch, from which commit. One live lane a repository and branch. */
import { and, count, desc, eq, inArray, notInArray } from 'drizzle-orm';
import type { Static } from 'typebox';
import type { CONTROL_METHODS, LaneState } from '../../contract/fleet/index.ts';
import { timeOrdered } from '../../contract/ids.ts';
import { type ChainRow, fenced, holds } from './leases.ts';
import { LANES_KEPT_MAX, LANES_SHOWN_MAX, LIVE_LANES_MAX } from './limits.ts';
import { repositoryOf } from './repository.ts';
import { executionLanes } from './schema.ts';
import { type ControlAnswer, type ControlPrincipal, type ControlRefusal, type ControlStore, refuse } from './store.ts';

export type LaneRow = typeof executionLanes.$inferSelect;

export const LIVE_STATES: LaneState[] = ['planned', 'active', 'blocked'];

/** Where a lane may go from each state. What is over stays over: its branch may have another owner. */
export const NEXT_STATES: Readonly<Record<LaneState, readonly LaneState[]>> = {
  planned: ['active', 'blocked', 'cancelled'],
  active: ['blocked', 'completed', 'cancelled'],
  blocked: ['active', 'completed', 'cancelled'],
  completed: [],
  cancelled: [],
};

export function laneView(row: LaneRow): Record<string, unknown> {
  return {
    lane_id: row.laneId,
    work_chain_id: row.workChainId,
    generation: row.generation,
    state: row.state,
    device_id: row.deviceId,
    repo: row.repo,
    base_commit: row.baseCommit,
    branch: row.branch,
    created_at_ms: row.createdAtMs,
    updated_at_ms: row.updatedAtMs,
  };
}

/** A chain's lanes, newest first. */
export function lanesOf(store: ControlStore, workChainId: string): LaneRow[] {
  return store.db
    .select()
    .from(executionLanes)
    .where(eq(executionLanes.workChainId, workChainId))
    .orderBy(desc(executionLanes.laneId))
    .limit(LANES_SHOWN_MAX)
    .all();
}

type CreateParams = Static<(typeof CONTROL_METHODS)['herdr_mcp.execution_lane.create']>;

export function createLane(
  store: ControlStore,
  chain: ChainRow,
  principal: ControlPrincipal,
  params: CreateParams,
  nowMs: number,
): ControlAnswer {
  const { db } = store;
  if (!holds(chain, principal.id, params.lease_generation, nowMs)) return fenced(chain, principal.id, nowMs);
  const repo = repositoryOf(params.repo);
  if (repo === undefined) return notARemote();
  if (!store.isLiveDevice(params.device_id)) {
    return refuse(
      'device_not_found',
      `No workstation ${params.device_id} is paired. No lane was made.`,
      'Use a device_id that herdr_devices lists.',
    );
  }
  const owner = db
    .select()
    .from(executionLanes)
    .where(
      and(
        eq(executionLanes.repo, repo),
        eq(executionLanes.branch, params.branch),
        inArray(executionLanes.state, LIVE_STATES),
      ),
    )
    .get();
  if (owner) return taken(owner);
  const ofChain = eq(executionLanes.workChainId, chain.workChainId);
  const live = and(ofChain, inArray(executionLanes.state, LIVE_STATES));
  if ((db.select({ n: count() }).from(executionLanes).where(live).get()?.n ?? 0) >= LIVE_LANES_MAX) return tooMany();
  const row: LaneRow = {
    laneId: `lane_${timeOrdered(nowMs, crypto.getRandomValues(new Uint8Array(10)))}`,
    workChainId: chain.workChainId,
    generation: 1,
    state: 'planned',
    deviceId: params.device_id,
    repo,
    baseCommit: params.base_commit,
    branch: params.branch,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
  db.insert(executionLanes).values(row).run();
  forgetOld(store, chain.workChainId);
  return { ok: true, body: { execution_lane: laneView(row) } };
}

/** Drops a chain's oldest lanes that are over, beyond the number that is kept. */
function forgetOld(store: ControlStore, workChainId: string): void {
  const over = store.db
    .select({ id: executionLanes.laneId })
    .from(executionLanes)
    .where(and(eq(executionLanes.workChainId, workChainId), notInArray(executionLanes.state, LIVE_STATES)))
    .orderBy(desc(executionLanes.laneId))
    .all()
    .slice(LANES_KEPT_MAX);
  for (const { id } of over) store.db.delete(executionLanes).where(eq(executionLanes.laneId, id)).run();
}

export function findLane(store: ControlStore, laneId: string): LaneRow | ControlRefusal {
  const row = store.db.select().from(executionLanes).where(eq(executionLanes.laneId, laneId)).get();
  return (
    row ??
    refuse(
      'execution_lane_not_found',
      `There is no execution lane ${laneId} at this edge. Nothing was changed.`,
      'Find it with herdr_mcp.work_chain.inspect.',
    )
  );
}

export function updateLane(
  store: ControlStore,
  row: LaneRow,
  wish: { generation: number; state: LaneState },
  nowMs: number,
): ControlAnswer {
  if (row.generation !== wish.generation) {
    return refuse(
      'execution_lane_generation_conflict',
      `The lane is at generation ${row.generation}, not ${wish.generation}. Nothing was changed.`,
      'Somebody changed it meanwhile: look at what is there now before changing it.',
      laneView(row),
    );
  }
  if (!NEXT_STATES[row.state].includes(wish.state)) {
    return refuse(
      'execution_lane_state_invalid',
      `A lane that is ${row.state} cannot become ${wish.state}. Nothing was changed.`,
      NEXT_STATES[row.state].length === 0
        ? 'It is over; make a new lane for the branch.'
        : `It may become ${NEXT_STATES[row.state].join(' or ')}.`,
      laneView(row),
    );
  }
  const changed = { generation: row.generation + 1, state: wish.state, updatedAtMs: nowMs };
  store.db.update(executionLanes).set(changed).where(eq(executionLanes.laneId, row.laneId)).run();
  return { ok: true, body: { execution_lane: laneView({ ...row, ...changed }) } };
}

const notARemote = (): ControlRefusal =>
  refuse(
    'invalid_params',
    '`repo` is no address of a remote repository. No lane was made.',
    'Give what `git remote get-url origin` prints, for example https://host/owner/name.git.',
  );

const taken = (owner: LaneRow): ControlRefusal =>
  refuse(
    'execution_lane_taken',
    'A live lane owns this branch of this repository. No lane was made.',
    'Choose another branch, or end that lane with herdr_mcp.execution_lane.update when its work is over.',
    laneView(owner),
  );

const tooMany = (): ControlRefusal =>
  refuse(
    'control_capacity',
    `${LIVE_LANES_MAX} lanes of this chain are live. No lane was made.`,
    'Complete or cancel lanes that are over.',
  );
