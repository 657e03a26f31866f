/**
 * To which chain a finalized turn belongs. A decision over exact identities alone: what the conversation is bound to, the
 * id that came with the turn, and the project. Pure.
 */
import type { Role } from '../journal/index.ts';

/** A chain as far as this decision needs it. */
export interface Claim {
  chainNo: number;
  continuityId: string;
  active: boolean;
}

export interface OwnerQuestion {
  /** Chains that the conversation is bound to, with the workspaces of those bindings. */
  bound: readonly (Claim & { workspaceIds: readonly string[] })[];
  /** The id that came with the turn, and its chain when there is one. */
  given: { continuityId: string; claim: Claim | null } | null;
  workspaceId: string;
  /** Active chains of the turn's project; empty without a project. */
  ofProject: readonly Claim[];
  role: Role;
}

export type OwnerAnswer =
  /** `by` says what led there; `retire` ends bindings of the conversation to other chains. */
  | { kind: 'join'; chainNo: number; by: 'binding' | 'continuity_id' | 'project'; retire: boolean }
  | { kind: 'create'; continuityId: string }
  | { kind: 'ambiguous'; among: 'bindings' | 'project'; chainNos: readonly number[] }
  | { kind: 'closed'; continuityId: string }
  /** Nothing exact leads anywhere. */
  | { kind: 'none'; why: 'nothing_known' | 'needs_user_turn' };

export function chooseOwner(question: OwnerQuestion): OwnerAnswer {
  const { bound, given, ofProject, role } = question;
  const active = bound.filter((claim) => claim.active);
  const [only] = active;
  if (active.length === 1 && only) return { kind: 'join', chainNo: only.chainNo, by: 'binding', retire: false };
  if (active.length > 1) return amongBound(active, question);
  const [closed] = bound;
  if (closed) return { kind: 'closed', continuityId: closed.continuityId };
  if (given?.claim) {
    return given.claim.active
      ? { kind: 'join', chainNo: given.claim.chainNo, by: 'continuity_id', retire: false }
      : { kind: 'closed', continuityId: given.continuityId };
  }
  if (given) return { kind: 'create', continuityId: given.continuityId };
  const [chain] = ofProject;
  if (ofProject.length > 1)
    return { kind: 'ambiguous', among: 'project', chainNos: ofProject.map(({ chainNo }) => chainNo) };
  if (!chain) return { kind: 'none', why: 'nothing_known' };
  // A new chat of a bound project joins by what the person says there, not by an answer that may belong to an older chat.
  return role === 'user'
    ? { kind: 'join', chainNo: chain.chainNo, by: 'project', retire: false }
    : { kind: 'none', why: 'needs_user_turn' };
}

/**
 * A conversation that is bound to several chains belongs to the one whose id and workspace came with the turn, when only
 * that one has both; what bound it elsewhere is ended. Otherwise nobody chooses.
 */
function amongBound(active: OwnerQuestion['bound'], { given, workspaceId }: OwnerQuestion): OwnerAnswer {
  const here = active.filter(({ workspaceIds }) => workspaceIds.includes(workspaceId));
  const [owner] = here;
  if (given && workspaceId !== '' && here.length === 1 && owner?.continuityId === given.continuityId) {
    return { kind: 'join', chainNo: owner.chainNo, by: 'binding', retire: true };
  }
  return { kind: 'ambiguous', among: 'bindings', chainNos: active.map(({ chainNo }) => chainNo) };
}
