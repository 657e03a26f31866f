/**
 * Fleet control: who plans a work chain, and who owns a branch. Ids, revisions and fences only; a checkpoint is named by
 * revision, digest and device, and its words stay in that device's Work Memory. Times are ms since 1970 or durations.
 */
import type { TObject } from 'typebox';
import * as Type from 'typebox';
import { DeviceId } from './devices.ts';

const PLANNER_LEASE_MS_MIN = 30_000;
const PLANNER_LEASE_MS_MAX = 30 * 60_000;
/** Longest reason of a takeover, in characters: a sentence or two for who is displaced. */
const TAKEOVER_REASON_CHARS_MAX = 512;

const closed = <const Properties extends Record<string, import('typebox').TSchema>>(properties: Properties) =>
  Type.Object(properties, { additionalProperties: false });

const Counter = (description: string) => Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description });

const WorkChainId = Type.String({
  pattern: '^wc_[0-9a-f]{32}$',
  description: 'Id that work_chain.create gave.',
});
const LaneId = Type.String({
  pattern: '^lane_[0-9a-f]{32}$',
  description: 'Id that execution_lane.create gave.',
});

const Generation = Counter('Generation of the planner lease that the caller holds: its fence.');
const Ttl = Type.Optional(
  Type.Integer({
    minimum: PLANNER_LEASE_MS_MIN,
    maximum: PLANNER_LEASE_MS_MAX,
    description: 'How long the lease lasts, in ms. Default 300000.',
  }),
);

/** Where a checkpoint is to be found; the checkpoint itself never comes here. */
const CheckpointReference = closed({
  revision: Counter('Its revision in Work Memory.'),
  digest: Type.String({ pattern: '^sha256:[0-9a-f]{64}$', description: 'Its digest.' }),
  device_id: DeviceId,
});

export const LANE_STATES = ['planned', 'active', 'blocked', 'completed', 'cancelled'] as const;
export type LaneState = (typeof LANE_STATES)[number];

/** A branch as Git names it, as far as it matters here: no space, no control character, no traversal. */
const Branch = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: '^(?!.*(\\.\\.|//|@\\{))[^\\u0000-\\u0020\\u007f~^:?*\\[\\\\/.-][^\\u0000-\\u0020\\u007f~^:?*\\[\\\\]*$',
  description: 'Name of the branch.',
});

/** The eleven methods of `herdr_call` with their params. */
export const CONTROL_METHODS = {
  'herdr_mcp.work_chain.create': closed({}),
  'herdr_mcp.work_chain.inspect': closed({ work_chain_id: WorkChainId }),
  'herdr_mcp.work_chain.checkpoint.update': closed({
    work_chain_id: WorkChainId,
    expected_revision: Counter('Revision of the chain that the caller has seen.'),
    lease_generation: Generation,
    checkpoint: CheckpointReference,
  }),
  'herdr_mcp.planner_lease.acquire': closed({ work_chain_id: WorkChainId, ttl_ms: Ttl }),
  'herdr_mcp.planner_lease.inspect': closed({ work_chain_id: WorkChainId }),
  'herdr_mcp.planner_lease.renew': closed({ work_chain_id: WorkChainId, lease_generation: Generation, ttl_ms: Ttl }),
  'herdr_mcp.planner_lease.release': closed({ work_chain_id: WorkChainId, lease_generation: Generation }),
  'herdr_mcp.planner_lease.takeover': closed({
    work_chain_id: WorkChainId,
    lease_generation: Counter('Generation of the live lease that is taken from somebody else.'),
    reason: Type.String({
      minLength: 1,
      maxLength: TAKEOVER_REASON_CHARS_MAX,
      pattern: '^[^\\u0000-\\u001f\\u007f]+$',
      description: 'Why, for who is displaced. One line.',
    }),
    confirm: Type.Literal(true, { description: 'The person asked for it.' }),
    ttl_ms: Ttl,
  }),
  'herdr_mcp.execution_lane.create': closed({
    work_chain_id: WorkChainId,
    lease_generation: Generation,
    device_id: DeviceId,
    repo: Type.String({ minLength: 1, maxLength: 1024, description: 'Address of the repository’s remote.' }),
    base_commit: Type.String({ pattern: '^([0-9a-f]{40}|[0-9a-f]{64})$', description: 'Full id of the base commit.' }),
    branch: Branch,
  }),
  'herdr_mcp.execution_lane.inspect': closed({ lane_id: LaneId }),
  'herdr_mcp.execution_lane.update': closed({
    lane_id: LaneId,
    expected_generation: Counter('Generation of the lane that the caller has seen.'),
    state: Type.Unsafe<LaneState>({ type: 'string', enum: [...LANE_STATES], description: 'What it becomes.' }),
  }),
} as const satisfies Record<string, TObject>;

export type ControlMethod = keyof typeof CONTROL_METHODS;

export function isControlMethod(method: string): method is ControlMethod {
  return Object.hasOwn(CONTROL_METHODS, method);
}
