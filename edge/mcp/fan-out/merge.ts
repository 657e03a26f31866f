/**
 * What the answers of several workstations to one question of continuity mean together. Pure.
 *
 * The rules are those of one journal (`runtime-a-b/continuity/identity.ts`), over all of them: an exact owner beats the
 * project, one active owner is the answer, two are ambiguous whatever their age, and nobody chooses among them. A
 * workstation that could not be asked is named, never counted as "no".
 */
import { type Failure, isRetryable, OUTCOME_CODES } from '../../../contract/outcome.ts';
import { FAN_OUT_CANDIDATES_MAX } from '../../limits.ts';
import { type Found, type Heard, type NotAsked, naming } from './heard.ts';
import { mergeLists, mergeSearches } from './lists.ts';

type Refusal = Extract<Heard, { ok: false }>;

export type Merged = { ok: true; body: Record<string, unknown> } | { ok: false; failure: Failure };

export function mergeAnswers(method: string, heard: readonly Heard[], silent: readonly NotAsked[]): Merged {
  const lost = heard.filter((one): one is Refusal => !one.ok && couldNotBeAsked(one.failure));
  const notAsked = [...silent, ...lost.map(({ device_id, name, failure }) => ({ device_id, name, why: failure.code }))];
  const answers = heard.filter((one) => !lost.some((other) => other === one));
  if (answers.length === 0) return { ok: false, failure: nobodyAsked(notAsked) };
  const found = answers.filter((one): one is Found => one.ok);
  const refusals = answers.filter((one): one is Refusal => !one.ok);
  if (found.length > 0 && method === 'continuity.list') return { ok: true, body: mergeLists(found, notAsked) };
  if (found.length > 0 && method === 'continuity.search') return { ok: true, body: mergeSearches(found, notAsked) };
  return mergeOwners(found, refusals, notAsked);
}

/** The way there failed, or the runtime is too old for the question: that workstation has said nothing. */
function couldNotBeAsked({ code }: Failure): boolean {
  const kind = OUTCOME_CODES[code];
  return kind === 'transport' || kind === 'routing' || kind === 'internal' || NOT_SPOKEN.has(code);
}

const NOT_SPOKEN: ReadonlySet<string> = new Set([
  'unknown_method',
  'unknown_local_method',
  'not_yet_available',
  'paused',
]);

/** `resume` and `resolve`: whose chain it is. */
function mergeOwners(found: readonly Found[], refusals: readonly Refusal[], notAsked: readonly NotAsked[]): Merged {
  const several = refusals.filter(({ failure }) => failure.code === 'continuity_ambiguous');
  const known = refusals.some(({ failure }) => isClosedOwner(failure));
  const exact = found.filter(({ body }) => body['matched_by'] !== 'project');
  const exactSeveral = several.filter(({ failure }) => !isOfProject(failure));
  // An owner of the conversation itself, also a closed one, leaves nothing to its project.
  const byOwner = exact.length > 0 || exactSeveral.length > 0 || known;
  const claims = byOwner ? exact : found;
  const ambiguities = byOwner ? exactSeveral : several;
  const active = claims.filter(({ body }) => body['status'] === 'active');
  const owners = active.length > 0 || ambiguities.length > 0 ? active : claims;
  const [owner] = owners;
  if (owner && owners.length === 1 && ambiguities.length === 0) {
    return { ok: true, body: { ...owner.body, device_id: owner.device_id, ...naming(notAsked) } };
  }
  if (owner || ambiguities.length > 0) return { ok: false, failure: ambiguous(owners, ambiguities, notAsked) };
  return { ok: false, failure: none(refusals, notAsked) };
}

/** The conversation belonged to a chain that is closed now. */
const isClosedOwner = ({ code, details }: Failure): boolean =>
  code === 'continuity_not_found' && Array.isArray(membersOf(details)['closed']);

const isOfProject = ({ details }: Failure): boolean =>
  candidatesIn(details).every(({ match_reasons: reasons }) => Array.isArray(reasons) && reasons.includes('project'));

function ambiguous(owners: readonly Found[], several: readonly Refusal[], notAsked: readonly NotAsked[]): Failure {
  const candidates = [
    ...owners.map(({ device_id, body }) => ({ ...outlineOf(body), device_id })),
    ...several.flatMap(({ device_id, failure }) =>
      candidatesIn(failure.details).map((candidate) => ({ ...candidate, device_id })),
    ),
  ];
  const shown = candidates.slice(0, FAN_OUT_CANDIDATES_MAX);
  const more =
    shown.length < candidates.length ||
    several.some(({ failure }) => membersOf(failure.details)['more_candidates'] === true);
  const devices = new Set(candidates.map(({ device_id }) => device_id)).size;
  return failureOf(
    'continuity_ambiguous',
    `${candidates.length} chains on ${devices} workstation${devices === 1 ? '' : 's'} claim this. Nothing was resumed: none of them is chosen for you.`,
    'Show the candidates to the person, or narrow them with continuity.search; then call continuity.resume with `device` and the continuity_id that was confirmed.',
    { candidates: shown, more_candidates: more, next_method: 'continuity.search', ...naming(notAsked) },
  );
}

/** What identifies a chain that one workstation resolved, as a candidate beside others. */
function outlineOf(body: Record<string, unknown>): Record<string, unknown> {
  const { continuity_id, title, provider, project_id, status, updated_at, workspace_ids, matched_by } = body;
  const outline = { continuity_id, title, provider, project_id, status, updated_at, workspace_ids, matched_by };
  return Object.fromEntries(Object.entries(outline).filter(([, value]) => value !== undefined));
}

/** Nobody knows it. Every workstation says why in the same words; the first one's are told, with who was not asked. */
function none(refusals: readonly Refusal[], notAsked: readonly NotAsked[]): Failure {
  const telling =
    refusals.find(({ failure }) => isClosedOwner(failure)) ??
    refusals.find(({ failure }) => !failure.code.endsWith('cursor_invalid')) ??
    refusals[0];
  if (telling === undefined) return nobodyAsked(notAsked);
  const { failure } = telling;
  const missing =
    notAsked.length === 0
      ? ''
      : ` ${notAsked.length} workstation${notAsked.length === 1 ? ' was' : 's were'} not asked and may know it: see not_asked.`;
  return {
    ...failure,
    message: `${failure.message}${missing}`,
    details: { ...membersOf(failure.details), asked: refusals.map(({ device_id }) => device_id), ...naming(notAsked) },
  };
}

function nobodyAsked(notAsked: readonly NotAsked[]): Failure {
  const failure = failureOf(
    'workstation_offline',
    'None of the workstations could be asked, so nothing is known of this chain.',
    'Ask again when one of them is online; herdr_devices shows which are.',
    naming(notAsked),
  );
  return {
    ...failure,
    delivery: 'not_delivered',
    retryable: isRetryable('read', 'workstation_offline', 'not_delivered'),
  };
}

function failureOf(code: Failure['code'], message: string, next: string, details: Record<string, unknown>): Failure {
  return {
    ok: false,
    code,
    message,
    delivery: 'delivered',
    retryable: isRetryable('read', code, 'delivered'),
    next,
    details,
  };
}

function membersOf(details: unknown): Record<string, unknown> {
  return typeof details === 'object' && details !== null ? (details as Record<string, unknown>) : {};
}

function candidatesIn(details: unknown): Record<string, unknown>[] {
  const { candidates } = membersOf(details);
  return Array.isArray(candidates) ? (candidates as Record<string, unknown>[]) : [];
}
