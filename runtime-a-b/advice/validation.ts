/** How the result of a task is checked: what changed, from Git; the frozen checks; and, at most, another order of them. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { OutcomeError } from '../../contract/outcome.ts';
import type { EvaluateRequest } from '../../contract/semantic/index.ts';
import type { Semantic } from '../semantic/index.ts';
import type { ToolContext } from '../tools/index.ts';
import { orderChecks, PROJECT_FILES, type ProjectFile, projectChecks } from './checks.ts';
import { ADVICE_MS, CHECKS_MAX, FILES_MAX, PROJECT_FILE_BYTES } from './limits.ts';
import { projectChanges } from './projection.ts';

export interface ValidationGiven {
  task_id?: string;
  project_root?: string;
  base_commit?: string;
  changed_files?: string[];
  changed_symbols?: string[];
  candidate_checks?: string[];
  summary?: string;
}

/** Where a task's agent stands, and since when it works; undefined for a task that is not the caller's. */
export type FindTask = (
  taskId: string,
  context: ToolContext,
) => { paneId: string; createdAtMs: number } | undefined | Promise<{ paneId: string; createdAtMs: number } | undefined>;

export async function adviseValidation(
  given: ValidationGiven,
  context: ToolContext,
  semantic: Semantic,
  findTask: FindTask,
): Promise<Record<string, unknown>> {
  const task = given.task_id === undefined ? undefined : await findTask(given.task_id, context);
  if (given.task_id !== undefined && !task) throw unknownTask(given.task_id);
  const root = await rootOf(given, task?.paneId, context);
  const projection =
    root === undefined ? undefined : await projectChanges(root, task?.createdAtMs, given.base_commit, context.signal);
  const changed = given.changed_files ?? projection?.changed_files.map(({ path }) => path) ?? [];
  const checks = frozenChecks(given.candidate_checks, root === undefined ? {} : await projectFiles(root, context));
  const scored = await scoreChecks(given, changed, checks.checks, semantic, context);
  return {
    decision_owner: 'web_planner',
    advisory_only: true,
    projection: projection ?? null,
    changed_files: changed.slice(0, FILES_MAX),
    changed_files_source: given.changed_files ? 'planner' : projection ? 'git' : 'none',
    checks: scored.ordered,
    checks_source: checks.source,
    checks_frozen: true,
    semantic: scored.semantic,
    note: 'All checks are run, whatever their order; the order says where a mistake would be noticed first.',
  };
}

function unknownTask(taskId: string): OutcomeError {
  return new OutcomeError('not_found', `There is no task ${JSON.stringify(taskId.slice(0, 128))} of yours here.`, {
    next: 'Take a task_id from herdr_mcp.agent.task.inbox, or give project_root.',
  });
}

/** The exact Git root that is named, else that of the task's pane. Undefined when neither is given. */
async function rootOf(given: ValidationGiven, paneId: string | undefined, context: ToolContext) {
  const view = context.live.view();
  if (given.project_root !== undefined) {
    const root = await context.roots.exact(view, given.project_root);
    return root.kind === 'git' && !root.bare && !context.roots.isProtected(root.path) ? root.path : undefined;
  }
  if (paneId === undefined) return undefined;
  const root = (await context.roots.table(view)).rootOfPane.get(paneId);
  return root && root.kind === 'git' && !root.bare ? root.path : undefined;
}

/** What the planner froze is kept whole; otherwise the project's own checks. */
function frozenChecks(
  candidate: readonly string[] | undefined,
  files: Readonly<Partial<Record<ProjectFile, string>>>,
): { checks: string[]; source: 'planner' | 'project' | 'none' } {
  if (candidate !== undefined && candidate.length > 0) {
    return { checks: [...new Set(candidate)].slice(0, CHECKS_MAX), source: 'planner' };
  }
  const checks = projectChecks(files);
  return { checks, source: checks.length > 0 ? 'project' : 'none' };
}

async function projectFiles(root: string, context: ToolContext): Promise<Partial<Record<ProjectFile, string>>> {
  const read = await Promise.all(
    PROJECT_FILES.map(async (name): Promise<[ProjectFile, string] | undefined> => {
      try {
        const { path } = await context.roots.existing(context.live.view(), join(root, name));
        if ((await stat(path)).size > PROJECT_FILE_BYTES) return undefined;
        return [name, await readFile(path, 'utf8')];
      } catch {
        // Absent or not ours to read: it names no check.
        return undefined;
      }
    }),
  );
  return Object.fromEntries(read.filter((entry) => entry !== undefined));
}

async function scoreChecks(
  given: ValidationGiven,
  changed: readonly string[],
  checks: readonly string[],
  semantic: Semantic,
  context: ToolContext,
): Promise<{ ordered: string[]; semantic: Record<string, unknown> }> {
  const unchanged = (reason: string) => ({ ordered: [...checks], semantic: { used: false, reason } });
  if (checks.length < 2) return unchanged('nothing_to_order');
  if (changed.length === 0) return unchanged('no_changes_known');
  const request = checksRequest(given, changed, checks);
  const told = await semantic.evaluate(request, {
    boundary: 'validation',
    budgetMs: ADVICE_MS,
    signal: context.signal,
  });
  if (!told.ok) return unchanged(told.reason);
  const scores = new Map<number, number>();
  for (const at of checks.keys()) {
    const answer = told.answers[`check_${at}`];
    if (answer?.type === 'noul') scores.set(at, answer.noul);
  }
  return {
    ordered: orderChecks(checks, scores),
    semantic: { used: true, provider: told.provider, model: told.model, elapsed_ms: told.elapsed_ms },
  };
}

function checksRequest(
  { summary, changed_symbols }: ValidationGiven,
  changed: readonly string[],
  checks: readonly string[],
): EvaluateRequest {
  return {
    state: JSON.stringify({
      changed_files: changed.slice(0, FILES_MAX).map((path) => path.slice(-PATH_CHARS)),
      changed_symbols,
      summary,
    }),
    questions: Object.fromEntries(
      checks.map((check, at) => [
        `check_${at}`,
        { type: 'noul', question: `Would this check notice a mistake in these changes early: ${check}` },
      ]),
    ),
  };
}

/** Of a path in the question: its end says what it is. */
const PATH_CHARS = 200;
