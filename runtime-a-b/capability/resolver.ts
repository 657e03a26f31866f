/**
 * Which workers fit what is asked for, each with its reasons. One pure function for everybody who asks: inventory, live
 * state and requirements in; candidates out. `unverified` is neither yes nor no, and no candidate blocks nothing.
 */
import type { AgentStatus } from '../../contract/herdr/index.ts';
import { type CapabilityRecord, type TraitName, traitOf } from './record.ts';

/** What the work needs; absent means that it does not matter. */
export interface Requirements {
  code_edit?: boolean;
  shell?: boolean;
  vision?: boolean;
  headless?: boolean;
  model?: string;
  minimum_reasoning_tier?: number;
}

/** One agent that is live now. Its kind may be unknown. */
export interface LiveAgent {
  name: string | null;
  kind: string | null;
  pane_id: string;
  workspace_id: string;
  status: AgentStatus | 'unknown';
}

export type Verdict = 'verified' | 'unverified' | 'unfit';

export interface Reason {
  requirement: string;
  verdict: Verdict;
  why: string;
}

export interface Candidate {
  kind: string | null;
  /** A live agent, or one that could be started. */
  live: boolean;
  name: string | null;
  pane_id: string | null;
  workspace_id: string | null;
  status: string | null;
  verdict: Verdict;
  reasons: Reason[];
}

const NEEDS: readonly [keyof Requirements, TraitName][] = [
  ['code_edit', 'supports_code_edit'],
  ['shell', 'supports_shell'],
  ['vision', 'supports_vision'],
  ['headless', 'can_run_headless'],
];

/** Best first: verified before unverified before unfit; idle before working; live before startable; then by name. */
export function resolveCandidates(
  inventory: readonly CapabilityRecord[],
  live: readonly LiveAgent[],
  requirements: Requirements,
): Candidate[] {
  const recordOf = (kind: string | null) => inventory.find(({ agent }) => agent === kind?.toLowerCase());
  const running = live.map((agent): Candidate => {
    const reasons = judge(recordOf(agent.kind), requirements);
    const { name, kind, pane_id, workspace_id, status } = agent;
    return { kind, live: true, name, pane_id, workspace_id, status, verdict: verdictOf(reasons), reasons };
  });
  const startable = inventory
    .filter((record) => traitOf(record, 'available_for_start') === true)
    .map((record): Candidate => {
      const reasons = judge(record, requirements);
      return { ...ABSENT, kind: record.agent, live: false, verdict: verdictOf(reasons), reasons };
    });
  return [...running, ...startable].sort((a, b) => order(a) - order(b) || (label(a) < label(b) ? -1 : 1));
}

const ABSENT = { name: null, pane_id: null, workspace_id: null, status: null } as const;

/** Worst reason wins: one requirement that evidence speaks against makes the whole unfit. */
function verdictOf(reasons: readonly Reason[]): Verdict {
  if (reasons.some(({ verdict }) => verdict === 'unfit')) return 'unfit';
  return reasons.some(({ verdict }) => verdict === 'unverified') ? 'unverified' : 'verified';
}

function judge(record: CapabilityRecord | undefined, requirements: Requirements): Reason[] {
  const reasons: Reason[] = [];
  for (const [requirement, trait] of NEEDS) {
    if (requirements[requirement] === true) reasons.push(flag(requirement, trait, record));
  }
  const { model, minimum_reasoning_tier: tier } = requirements;
  if (model !== undefined) {
    const known = traitOf(record, 'model');
    const same = typeof known === 'string' && known.toLowerCase() === model.toLowerCase();
    reasons.push(
      known === undefined
        ? unverified('model', record)
        : { requirement: 'model', verdict: same ? 'verified' : 'unfit', why: `its model is ${String(known)}` },
    );
  }
  if (tier !== undefined) {
    const known = traitOf(record, 'reasoning_tier');
    reasons.push(
      typeof known !== 'number'
        ? unverified('minimum_reasoning_tier', record)
        : {
            requirement: 'minimum_reasoning_tier',
            verdict: known >= tier ? 'verified' : 'unfit',
            why: `its reasoning tier is ${known}`,
          },
    );
  }
  if (reasons.length > 0) return reasons;
  return record
    ? [{ requirement: 'none', verdict: 'verified', why: 'nothing is required' }]
    : [unverified('none', undefined)];
}

function flag(requirement: string, trait: TraitName, record: CapabilityRecord | undefined): Reason {
  const known = record?.traits[trait];
  if (known === undefined) return unverified(requirement, record);
  const verdict = known.value === true ? 'verified' : 'unfit';
  return { requirement, verdict, why: `${trait} is ${String(known.value)} by ${known.source}` };
}

const unverified = (requirement: string, record: CapabilityRecord | undefined): Reason => ({
  requirement,
  verdict: 'unverified',
  why: record ? 'no evidence for or against it' : 'this kind was not scanned',
});

const RANK: Record<Verdict, number> = { verified: 0, unverified: 100, unfit: 200 };

const order = ({ verdict, live, status }: Candidate): number =>
  RANK[verdict] +
  (live ? 0 : 10) +
  (status === 'working' ? 20 : status === 'blocked' ? 21 : status === 'unknown' ? 5 : 0);

const label = ({ name, kind, pane_id }: Candidate): string => `${name ?? '~'} ${kind ?? ''} ${pane_id ?? ''}`;
