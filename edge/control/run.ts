import type { Static } from 'typebox';
import type { CONTROL_METHODS, ControlMethod } from '../../contract/fleet/index.ts';
import { type Key, once } from './answers.ts';
import { createChain, findChain, inspectChain, updateCheckpoint } from './chains.ts';
import { createLane, findLane, laneView, updateLane } from './lanes.ts';
import { acquire, type ChainRow, leaseView, release, renew, takeOver } from './leases.ts';
import { type ControlAnswer, type ControlPrincipal, type ControlStore, refuse } from './store.ts';

/** One call with params that fit its method's schema. */
export type ControlCall = {
  [Method in ControlMethod]: { method: Method; params: Static<(typeof CONTROL_METHODS)[Method]> };
}[ControlMethod];

export type ControlInput = ControlCall & { principal: ControlPrincipal; key?: Key };

/** Runs one call in one transaction: what it judged is what it changes, and its kept answer comes with its effect. */
export function runControl(store: ControlStore, input: ControlInput, nowMs: number): ControlAnswer {
  const foreign = foreignDevice(input);
  if (foreign) return foreign;
  return store.atomically(() => once(store, input, nowMs, () => act(store, input, nowMs)));
}

function act(store: ControlStore, input: ControlInput, nowMs: number): ControlAnswer {
  const { principal } = input;
  switch (input.method) {
    case 'herdr_mcp.work_chain.create':
      return createChain(store, principal, nowMs);
    case 'herdr_mcp.execution_lane.inspect':
    case 'herdr_mcp.execution_lane.update':
      return withLane(store, input, nowMs);
    default:
      return withChain(store, input, nowMs);
  }
}

type LaneCall = Extract<
  ControlInput,
  { method: 'herdr_mcp.execution_lane.inspect' | 'herdr_mcp.execution_lane.update' }
>;

function withLane(store: ControlStore, input: LaneCall, nowMs: number): ControlAnswer {
  const row = findLane(store, input.params.lane_id);
  if ('ok' in row) return row;
  if (input.method === 'herdr_mcp.execution_lane.inspect') return { ok: true, body: { execution_lane: laneView(row) } };
  const { deviceId } = input.principal;
  if (deviceId !== undefined && deviceId !== row.deviceId) return notAllowed();
  return updateLane(store, row, { generation: input.params.expected_generation, state: input.params.state }, nowMs);
}

type ChainCall = Exclude<ControlInput, LaneCall | { method: 'herdr_mcp.work_chain.create' }>;

function withChain(store: ControlStore, input: ChainCall, nowMs: number): ControlAnswer {
  const row = findChain(store, input.params.work_chain_id);
  return 'ok' in row ? row : onChain(store, row, input, nowMs);
}

function onChain(store: ControlStore, row: ChainRow, input: ChainCall, nowMs: number): ControlAnswer {
  const { principal } = input;
  switch (input.method) {
    case 'herdr_mcp.work_chain.inspect':
      return inspectChain(store, row, principal, nowMs);
    case 'herdr_mcp.work_chain.checkpoint.update':
      return updateCheckpoint(store, row, principal, input.params, nowMs);
    case 'herdr_mcp.planner_lease.inspect':
      return { ok: true, body: { planner_lease: leaseView(row, principal.id, nowMs) } };
    case 'herdr_mcp.planner_lease.acquire':
      return acquire(store, row, principal, input.params.ttl_ms, nowMs);
    case 'herdr_mcp.planner_lease.renew': {
      const { lease_generation: generation, ttl_ms: ttlMs } = input.params;
      return renew(store, row, principal, { generation, ttlMs }, nowMs);
    }
    case 'herdr_mcp.planner_lease.release':
      return release(store, row, principal, input.params.lease_generation, nowMs);
    case 'herdr_mcp.planner_lease.takeover': {
      const { lease_generation: generation, reason, ttl_ms: ttlMs } = input.params;
      return takeOver(store, row, principal, { generation, reason, ttlMs }, nowMs);
    }
    case 'herdr_mcp.execution_lane.create':
      return createLane(store, row, principal, input.params, nowMs);
  }
}

/** An approval for one device plans for that device only. */
function foreignDevice(input: ControlInput): ControlAnswer | undefined {
  const { deviceId } = input.principal;
  if (deviceId === undefined) return undefined;
  const named =
    input.method === 'herdr_mcp.execution_lane.create'
      ? input.params.device_id
      : input.method === 'herdr_mcp.work_chain.checkpoint.update'
        ? input.params.checkpoint.device_id
        : deviceId;
  return named === deviceId ? undefined : notAllowed();
}

const notAllowed = (): ControlAnswer =>
  refuse(
    'device_not_allowed',
    'This connection is approved for one workstation only, and another one is meant. Nothing was changed.',
    'Name your own workstation, or ask the owner to approve a connection for the other one.',
  );
