/** The four advisers behind `herdr_call`. All are reads: they change nothing, gate nothing and unlock nothing. */
import type { TObject } from 'typebox';
import * as Type from 'typebox';
import type { Capability } from '../capability/index.ts';
import type { Semantic } from '../semantic/index.ts';
import type { ToolContext } from '../tools/index.ts';
import { askAttention, type Child } from './attention.ts';
import { type CloseoutGiven, closeoutRequest, factualState, openFacts, readCloseout } from './closeout.ts';
import { ADVICE_MS, ATTENTION_MS, CHECKS_MAX, CHILDREN_MAX, FILES_MAX, RECENT_CHARS } from './limits.ts';
import { inferred, type PlanningGiven, planningRequest, requirementsOf, shownCandidates, suggest } from './planning.ts';
import { adviseValidation, type FindTask, type ValidationGiven } from './validation.ts';

export interface AdviceParts {
  semantic: Semantic;
  capability: Capability;
  findTask: FindTask;
}

export interface AdviceMethod {
  access: 'read';
  description: string;
  params: TObject;
  run: (params: Record<string, unknown>, context: ToolContext) => Promise<Record<string, unknown>>;
}

const closed = { additionalProperties: false } as const;
const text = (maxLength: number) => Type.Optional(Type.String({ maxLength }));
const flag = Type.Optional(Type.Boolean());
const path = Type.String({ minLength: 1, maxLength: 1024 });

const PlanningParams = Type.Object(
  {
    deterministic_tool: flag,
    task_text: text(8192),
    project_root: text(4096),
    explicit_target: text(256),
    requires_code_edit: flag,
    requires_shell: flag,
    requires_vision: flag,
    requires_headless: flag,
    model: text(160),
    minimum_reasoning_tier: Type.Optional(Type.Integer({ minimum: 0, maximum: 255 })),
    destructive_production_mutation: flag,
    delegates_other_workers: flag,
    independent_units: Type.Optional(Type.Integer({ minimum: 1, maximum: 64 })),
    ownership_isolated: flag,
    shared_runtime_state: flag,
  },
  closed,
);

const CloseoutParams = Type.Object(
  {
    target: text(256),
    recent_text: Type.String({ maxLength: 12_000 }),
    agent_status: text(64),
    process_running: flag,
    worktree_dirty: flag,
    open_pr: flag,
    running_exec: flag,
    task_owned_resources: Type.Optional(Type.Integer({ minimum: 0, maximum: 1024 })),
  },
  closed,
);

const ChildParams = Type.Object(
  {
    task_id: text(160),
    dispatch_id: text(160),
    agent_id: text(256),
    terminal_state: text(64),
    status: text(64),
    recent_text: text(RECENT_CHARS),
    age_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 604_800_000 })),
    has_running_exec: flag,
    dirty_worktree: flag,
    open_pr: flag,
  },
  closed,
);
const AttentionParams = Type.Object(
  { children: Type.Array(ChildParams, { minItems: 1, maxItems: CHILDREN_MAX }) },
  closed,
);

const ValidationParams = Type.Object(
  {
    task_id: Type.Optional(
      Type.String({ description: 'A task of yours: Git then says what changed since it began.', maxLength: 128 }),
    ),
    project_root: Type.Optional(path),
    base_commit: Type.Optional(Type.String({ description: 'Compare with this commit.', pattern: '^[0-9a-f]{7,64}$' })),
    changed_files: Type.Optional(Type.Array(path, { minItems: 1, maxItems: FILES_MAX })),
    changed_symbols: Type.Optional(Type.Array(Type.String({ maxLength: 256 }), { maxItems: FILES_MAX })),
    candidate_checks: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
        description: 'The frozen checks; the project’s own when absent.',
        maxItems: CHECKS_MAX,
      }),
    ),
    summary: text(4096),
  },
  closed,
);

export function adviceMethods(parts: AdviceParts): Readonly<Record<string, AdviceMethod>> {
  const { semantic, capability, findTask } = parts;
  return {
    'herdr_mcp.planning.advise': {
      access: 'read',
      description: 'Advice: do it directly, one worker or several lanes, and which workers fit by evidence.',
      params: PlanningParams,
      run: (params, context) => planning(params as PlanningGiven, context, semantic, capability),
    },
    'herdr_mcp.agent.closeout.advise': {
      access: 'read',
      description: 'Advice after validation: whether a worker still has something to do.',
      params: CloseoutParams,
      run: (params, context) => closeout(params as unknown as CloseoutGiven, context, semantic),
    },
    'herdr_mcp.agent.attention.advise': {
      access: 'read',
      description: 'Advice: what each of up to 16 children needs next, judged once for all.',
      params: AttentionParams,
      run: (params, context) => attention(params.children as Omit<Child, 'id'>[], context, semantic),
    },
    'herdr_mcp.validation.advise': {
      access: 'read',
      description: 'What a task changed by Git, and the frozen checks in the order in which they would tell most.',
      params: ValidationParams,
      run: (params, context) => adviseValidation(params as ValidationGiven, context, semantic, findTask),
    },
  };
}

async function planning(given: PlanningGiven, context: ToolContext, semantic: Semantic, capability: Capability) {
  const request = planningRequest(given);
  const asking = { boundary: 'planning', budgetMs: ADVICE_MS, signal: context.signal };
  const told = request === undefined ? undefined : await semantic.evaluate(request, asking);
  const filled = told?.ok ? inferred(given, told.answers) : {};
  const requirements = requirementsOf(given, filled);
  const { suggestion, lanes, reasons } = suggest(given, filled);
  const view = context.live.view();
  const root = given.project_root === undefined ? undefined : await context.roots.exact(view, given.project_root);
  return {
    decision_owner: 'web_planner',
    planning_policy: { read_only: true, advisory_only: true },
    advice: { suggestion, reasons },
    semantic: semanticFact(told, request === undefined ? 'nothing_to_ask' : undefined),
    context_resolution: {
      project_root: root?.path ?? null,
      vcs: root ? (root.kind === 'git' ? 'git' : null) : null,
      explicit_target: given.explicit_target ?? null,
    },
    orchestration_policy: { lanes, second_planner: false, owner_per_file: 1 },
    requirements_resolution: {
      requirements,
      from_planner: Object.keys(given).filter((name) => name.startsWith('requires_') || name === 'model'),
      from_semantic: Object.keys(filled),
    },
    ...shownCandidates(capability.candidates(requirements), context.ref.pane),
    agent_lifecycle: { submit: 'herdr_prompt', results: 'herdr_mcp.agent.task.inbox', wait_for_global_state: false },
    determinism: {
      advice_basis: 'rules',
      planner_supplied_requirements: true,
      semantic_inferred_requirements: Object.keys(filled).length > 0,
      zero_candidates_blocks_execution: false,
    },
    resource_context: {
      herdr: view.state,
      agents: view.agents.length,
      working: view.agents.filter(({ agent_status }) => agent_status === 'working').length,
    },
    capability_inventory: capability.compact(),
    refresh: 'herdr-mcp scan on the workstation',
  };
}

async function closeout(given: CloseoutGiven, context: ToolContext, semantic: Semantic) {
  const asking = { boundary: 'closeout', budgetMs: ADVICE_MS, signal: context.signal };
  const told = await semantic.evaluate(closeoutRequest(given), asking);
  const assessment = told.ok
    ? readCloseout(given, told.answers)
    : { state: factualState(given), confidence: null, probabilities: null, scores: {}, open_facts: openFacts(given) };
  return {
    decision_owner: 'web_planner',
    advisory_only: true,
    after: 'validation',
    target: given.target ?? null,
    assessment,
    semantic: semanticFact(told),
  };
}

async function attention(given: readonly Omit<Child, 'id'>[], context: ToolContext, semantic: Semantic) {
  const children = given.map(
    (child, at): Child => ({ ...child, recent_text: child.recent_text ?? '', id: `child_${at + 1}` }),
  );
  const beganAtMs = context.nowMs();
  const told = await askAttention(semantic, children, { budgetMs: ATTENTION_MS, signal: context.signal });
  const next = told.used ? { provider: told.provider, model: told.model } : { reason: told.reason };
  return {
    attempted: true,
    used: told.used,
    ...next,
    advisory_only: true,
    children: children.map(({ id, task_id }) => ({ id, task_id: task_id ?? null })),
    assessments: told.used ? told.assessments : [],
    attention_ranking: told.used ? told.ranking : [],
    metrics: {
      child_count: children.length,
      question_count: children.length + (children.length > 1 ? 1 : 0),
      elapsed_ms: context.nowMs() - beganAtMs,
      budget_ms: ATTENTION_MS,
    },
  };
}

type Told = Awaited<ReturnType<Semantic['evaluate']>>;

function semanticFact(told: Told | undefined, notAsked = 'not_asked'): Record<string, unknown> {
  if (told === undefined) return { used: false, reason: notAsked };
  const { elapsed_ms } = told;
  return told.ok
    ? { used: true, provider: told.provider, model: told.model, elapsed_ms }
    : { used: false, reason: told.reason, elapsed_ms };
}
