/** `herdr_mcp.github.status`: a pull request and its checks, fresh from GitHub, or only that nothing has changed. */

import { createHash } from 'node:crypto';
import * as Type from 'typebox';
import { canonicalJson } from '../../contract/canonical.ts';
import { isObject } from '../../contract/json.ts';
import { OutcomeError } from '../../contract/outcome.ts';
import { runGit } from '../roots/index.ts';
import type { PlainMethod, ToolContext } from '../tools/index.ts';
import { type Gh, REPOSITORY, repositoryOf } from './gh.ts';
import { CHECKS_NAMED, GH_MS, LOOK_MS, WAIT_MS_MAX } from './limits.ts';

type Json = Record<string, unknown>;

const Params = Type.Object(
  {
    project_root: Type.String({ description: 'A Git root that herdr_inspect lists.', minLength: 1, maxLength: 4096 }),
    repository: Type.Optional(Type.String({ description: 'owner/name; else the GitHub remote.', maxLength: 140 })),
    pr_number: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000_000 })),
    previous_fingerprint: Type.Optional(Type.String({ description: 'Of an earlier answer.', maxLength: 80 })),
    wait_ms: Type.Optional(
      Type.Integer({ description: 'Waits for a change from previous_fingerprint.', minimum: 1, maximum: WAIT_MS_MAX }),
    ),
  },
  { additionalProperties: false },
);

export function githubStatus(gh: Gh): PlainMethod {
  return {
    access: 'read',
    description: 'Pull request, auto-merge and checks, by the workstation’s own gh; waits for a change when asked.',
    params: Params,
    run: (params, context) => status(params, context, gh),
  };
}

async function status(params: Json, context: ToolContext, gh: Gh): Promise<Json> {
  const { previous_fingerprint: previous, wait_ms: wait } = params;
  if (wait !== undefined && previous === undefined) {
    throw new OutcomeError('invalid_params', 'wait_ms needs previous_fingerprint. Nothing was asked.', {
      next: 'Ask once without both; the answer has a fingerprint.',
    });
  }
  const root = await context.roots.exact(context.live.view(), String(params.project_root));
  if (root.kind !== 'git') throw notGit(root.path);
  const repository = await chosen(params, root.path, context);
  const branch = await branchOf(root.path, context.signal);
  const number = typeof params.pr_number === 'number' ? params.pr_number : undefined;
  const beganAtMs = context.nowMs();
  const untilMs = Math.min(beganAtMs + (typeof wait === 'number' ? wait : 0), context.deadlineAtMs - GH_MS);
  for (;;) {
    const facts = await look(gh, repository, branch, number, context.signal);
    const fingerprint = `sha256:${createHash('sha256').update(canonicalJson(facts)).digest('hex')}`;
    const head = {
      source: 'local_gh_api',
      fresh: true,
      cache_policy: 'bypass_connector_cache',
      repository,
      fingerprint,
    };
    const waited = typeof wait === 'number' ? { waited_ms: context.nowMs() - beganAtMs } : {};
    if (fingerprint !== previous) return { ...head, changed: true, branch, ...facts, ...waited };
    if (context.nowMs() + LOOK_MS > untilMs || context.signal.aborted) return { ...head, changed: false, ...waited };
    await pause(LOOK_MS, context.signal);
  }
}

function notGit(path: string): OutcomeError {
  return new OutcomeError('not_a_git_repo', `${path} is no Git checkout, so it has no pull request.`, {
    next: 'Name the root of a checkout; herdr_inspect lists them.',
  });
}

async function chosen(params: Json, root: string, context: ToolContext): Promise<string> {
  const given = params.repository;
  const repository = typeof given === 'string' ? given : await repositoryOf(root, context.signal);
  if (repository !== undefined && REPOSITORY.test(repository)) return repository;
  throw new OutcomeError('invalid_params', `${root} names no repository on GitHub. Nothing was asked.`, {
    next: 'Give repository as owner/name.',
  });
}

async function branchOf(root: string, signal: AbortSignal): Promise<string | null> {
  const options = { cwd: root, timeoutMs: GH_MS, maxBytes: 4096, signal };
  const result = await runGit(['symbolic-ref', '--short', '-q', 'HEAD'], options);
  return result.code === 0 ? result.stdout.toString('utf8').trim() : null;
}

async function look(
  gh: Gh,
  repository: string,
  branch: string | null,
  number: number | undefined,
  signal: AbortSignal,
) {
  const pull = await pullOf(gh, repository, branch, number, signal);
  const sha = str(obj(pull?.head).sha);
  if (!pull || sha === undefined) return { pr: null, checks: null };
  const runs = await ask(gh, `repos/${repository}/commits/${sha}/check-runs?per_page=100`, signal);
  return { pr: pullFact(pull), checks: checksFact(obj(runs)) };
}

async function pullOf(
  gh: Gh,
  repository: string,
  branch: string | null,
  number: number | undefined,
  signal: AbortSignal,
) {
  if (number !== undefined) return obj(await ask(gh, `repos/${repository}/pulls/${number}`, signal));
  if (branch === null) return undefined;
  const owner = repository.split('/')[0];
  const head = encodeURIComponent(`${owner}:${branch}`);
  const found = await ask(gh, `repos/${repository}/pulls?state=all&head=${head}&per_page=1`, signal);
  const first = Array.isArray(found) ? obj(found[0]) : {};
  return typeof first.number === 'number'
    ? obj(await ask(gh, `repos/${repository}/pulls/${first.number}`, signal))
    : undefined;
}

async function ask(gh: Gh, path: string, signal: AbortSignal): Promise<unknown> {
  const answer = await gh.get(path, signal);
  if (answer.ok) return answer.value;
  throw new OutcomeError(
    'github_unavailable',
    `GitHub could not be asked (${answer.reason}); its state is not known.`,
    {
      next: 'Check gh on the workstation (gh auth status), or go on without; Git itself is asked by herdr_git.',
      details: { reason: answer.reason },
    },
  );
}

function pullFact(pull: Json): Json {
  const auto = pull.auto_merge === null || pull.auto_merge === undefined ? null : obj(pull.auto_merge);
  return {
    number: pull.number,
    title: str(pull.title)?.slice(0, 200) ?? null,
    state: pull.merged === true ? 'merged' : (str(pull.state) ?? null),
    draft: pull.draft === true,
    url: str(pull.html_url) ?? null,
    head: { ref: str(obj(pull.head).ref) ?? null, sha: str(obj(pull.head).sha) ?? null },
    base: { ref: str(obj(pull.base).ref) ?? null },
    mergeable_state: str(pull.mergeable_state) ?? 'unknown',
    auto_merge: auto ? { method: str(auto.merge_method) ?? null } : null,
  };
}

/** Checks by what became of them; those that need a look are named first. */
function checksFact(runs: Json): Json {
  const all = (Array.isArray(runs.check_runs) ? runs.check_runs : []).map((one) => {
    const run = obj(one);
    return { name: str(run.name) ?? '', status: str(run.status) ?? 'unknown', conclusion: str(run.conclusion) ?? null };
  });
  const counts: Record<string, number> = {};
  for (const { status: state, conclusion } of all) {
    const key = conclusion ?? state;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  const rank = ({ conclusion }: { conclusion: string | null }) =>
    conclusion === 'success' || conclusion === 'skipped' ? 2 : conclusion === null ? 1 : 0;
  const ordered = all.sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
  const total = typeof runs.total_count === 'number' ? runs.total_count : all.length;
  return { total, counts, runs: ordered.slice(0, CHECKS_NAMED), truncated: total > Math.min(all.length, CHECKS_NAMED) };
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    const cut = () => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener('abort', cut, { once: true });
  });
}

const obj = (value: unknown): Json => (isObject(value) ? value : {});
const str = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
