/** `herdr_inspect`: what is open on the workstation, most relevant first, within one bounded answer. */
import type { AgentInfo, PaneInfo } from '../../../contract/herdr/index.ts';
import { RESULT_TEXT_CHARS } from '../../../contract/limits.ts';
import type { Capability } from '../../capability/index.ts';
import { assertKnown, type HerdrView, knownStatus } from '../../herdr/index.ts';
import {
  GIT_HINT_PATIENCE_MS,
  GIT_HINT_WORKING_MS,
  INSPECT_FRAME_CHARS,
  INSPECT_FRESH_MS,
  INSPECT_KEPT,
} from '../../limits.ts';
import type { Root, RootTable } from '../../roots/index.ts';
import type { ToolContext, ToolHandler } from '../context.ts';
import type { ToolParts } from '../parts.ts';
import { protectedProjects, servedFolders } from '../protected/index.ts';
import { agentFact, paneFact, tabFact, workspaceDirectory, workspaceFact } from './describe.ts';
import { type GitHint, GitHints } from './git-hints.ts';
import { Pages } from './pages.ts';
import { Recent } from './recent.ts';
import { lastChanges, orderByRelevance } from './relevance.ts';
import { scopeOf } from './scope.ts';
import type { Touched } from './touched.ts';
import { workstationInfo } from './workstation.ts';

type Fact = Record<string, unknown>;
interface Lists {
  workspaces: Fact[];
  tabs: Fact[];
  panes: Fact[];
  agents: Fact[];
}

export function inspectTool(parts: ToolParts, touched: Touched): ToolHandler {
  const hints = new GitHints(parts.nowMs);
  const pages = new Pages();
  const recent = new Recent<Fact>(INSPECT_FRESH_MS, INSPECT_KEPT);

  /** Everything but the head: the same for everybody until something changes. */
  async function listed(
    view: HerdrView,
    scope: string | undefined,
    cursor: unknown,
    context: ToolContext,
  ): Promise<Fact> {
    const table = await context.roots.table(view);
    const page = typeof cursor === 'string' ? pages.read(cursor) : undefined;
    const order = page?.order ?? itemsOf(view, parts, scope);
    const facts = await hints.of(activities(table, view, context, touched), GIT_HINT_PATIENCE_MS);
    const taken = take(order, page?.at ?? 0, describeWith(view, table, facts, context, parts.capability));
    const cut = taken.next < order.length;
    const nextCursor = cut ? `${page?.name ?? pages.keep(order)}.${taken.next}` : undefined;
    return {
      ...taken.lists,
      ...(page ? {} : rest(table, parts, context)),
      ...(cut ? cutNote(order, taken.next, nextCursor) : {}),
    };
  }

  return async (args, context) => {
    const scope = await scopeOf(args.workspace, context);
    const view = await currentView(context);
    const key = JSON.stringify([context.deviceId, scope, args.cursor]);
    const state = `${view.state} ${view.revision} ${touched.version} ${parts.capability.version()}`;
    const body = await recent.get(key, state, context.nowMs(), () => listed(view, scope, args.cursor, context));
    return { ok: true, body: { ...head(view), ...body } };
  };
}

/** A picture that is not live is asked for once more: the cache may only just have started. */
async function currentView(context: ToolContext): Promise<HerdrView> {
  const view = context.live.view();
  const now = view.state === 'live' ? view : await context.live.refresh();
  assertKnown(now);
  return now;
}

/** What is listed, in order: workspaces with their tabs, then panes with their agents. */
function itemsOf(view: HerdrView, parts: ToolParts, scope: string | undefined): string[] {
  const order = orderByRelevance(view, lastChanges(parts.live.ring.since(0).events));
  const inScope = scope === undefined ? () => true : (id: string) => id === scope;
  const workspaceOf = new Map(view.panes.map((pane) => [pane.pane_id, pane.workspace_id]));
  return [
    ...order.workspaces
      .filter((workspace) => inScope(workspace.workspace_id))
      .map((workspace) => `w ${workspace.workspace_id}`),
    ...order.panes.filter((pane) => inScope(workspaceOf.get(pane) ?? '')).map((pane) => `p ${pane}`),
  ];
}

const LISTS = ['workspaces', 'tabs', 'panes', 'agents'] as const;

/** Adds one item to the lists and returns the characters that it costs; 0 for what has gone since the first page. */
type Describe = (item: string, lists: Lists) => number;

function describeWith(
  view: HerdrView,
  table: RootTable,
  hints: ReadonlyMap<string, GitHint>,
  context: ToolContext,
  capability: Capability,
): Describe {
  const { ref } = context;
  const panes = new Map<string, PaneInfo>(view.panes.map((pane) => [pane.pane_id, pane]));
  const agents = new Map<string, AgentInfo>(view.agents.map((agent) => [agent.pane_id, agent]));
  const workspaces = new Map(view.workspaces.map((workspace) => [workspace.workspace_id, workspace]));
  const rootsOf = new Map<string, Root[]>();
  const guarded = protectedProjects(view, servedFolders(context.policy), context.policy.homeDir);
  for (const root of [...table.roots, ...guarded]) {
    for (const id of root.workspaces) rootsOf.set(id, [...(rootsOf.get(id) ?? []), root]);
  }
  const panesOfRoot = (root: Root, workspaceId: string) =>
    root.panes.filter(
      (id) => panes.get(id)?.workspace_id === workspaceId && (root.guarded || table.rootOfPane.get(id) === root),
    );
  const kinds = new Map<string | undefined, Fact | undefined>();
  const ofKind = (kind: string | undefined) => {
    if (!kinds.has(kind)) kinds.set(kind, capability.ofKind(kind));
    return kinds.get(kind);
  };
  const add = (list: Fact[], fact: Fact): number => {
    list.push(fact);
    return JSON.stringify(fact).length + 1;
  };
  return (item, lists) => {
    const id = item.slice(2);
    if (item.startsWith('w ')) {
      const workspace = workspaces.get(id);
      if (!workspace) return 0;
      const cwd = workspaceDirectory(workspace, view.panes);
      const fact = workspaceFact(workspace, { cwd, roots: rootsOf.get(id) ?? [], table, hints, panesOfRoot, ref });
      const tabs = view.tabs.filter((tab) => tab.workspace_id === id);
      return add(lists.workspaces, fact) + tabs.reduce((sum, tab) => sum + add(lists.tabs, tabFact(tab)), 0);
    }
    const pane = panes.get(id);
    if (!pane) return 0;
    const agent = agents.get(id);
    return (
      add(lists.panes, paneFact(pane, agent, ref)) +
      (agent ? add(lists.agents, agentFact(agent, ref, ofKind(agent.agent))) : 0)
    );
  };
}

/** Items from `at` on as long as there is room; always at least one, so that a cursor always leads on. */
function take(order: readonly string[], at: number, describe: Describe): { lists: Lists; next: number } {
  const lists: Lists = { workspaces: [], tabs: [], panes: [], agents: [] };
  let room = RESULT_TEXT_CHARS - INSPECT_FRAME_CHARS;
  let next = at;
  for (; next < order.length; next++) {
    const item: Lists = { workspaces: [], tabs: [], panes: [], agents: [] };
    const cost = describe(order[next] ?? '', item);
    if (cost > room && next > at) break;
    room -= cost;
    for (const name of LISTS) lists[name].push(...item[name]);
  }
  return { lists, next };
}

function cutNote(order: readonly string[], next: number, nextCursor: string | undefined): Fact {
  const left = order.slice(next);
  const workspaces = left.filter((item) => item.startsWith('w ')).length;
  const panes = left.length - workspaces;
  return {
    truncated: true,
    cut: `${workspaces} workspaces and ${panes} panes are not in this answer; cursor continues, workspace narrows.`,
    next_cursor: nextCursor,
  };
}

function head(view: HerdrView): Fact {
  return {
    herdr_version: view.server?.version,
    protocol: view.server?.protocol,
    herdr: {
      state: view.state,
      observed_at_ms: view.observedAtMs,
      embedded: view.server?.embedded,
      support: view.server?.support,
      ...(view.problem ? { problem: view.problem } : {}),
    },
    ...(view.state === 'stale' ? { stale: true } : {}),
    focused_workspace: view.focused.workspaceId ?? null,
    focused_pane: view.focused.paneId ?? null,
    ...(view.warnings.length > 0 ? { warnings: view.warnings } : {}),
  };
}

function rest(table: RootTable, parts: ToolParts, context: ToolContext): Fact {
  const shared = table.roots
    .filter((root) => root.workspaces.length > 1)
    .map((root) => ({ root: root.path, workspaces: root.workspaces }));
  return {
    shared_projects: shared.slice(0, SHARED_NAMED),
    capability_inventory: parts.capability.compact(),
    workstation_info: workstationInfo(parts, context),
  };
}

/** Shared roots that are named; each also says `also_open_in` where it is listed. */
const SHARED_NAMED = 20;

/** What may have changed each checkout since it was last looked at. */
function activities(
  table: RootTable,
  view: HerdrView,
  context: ToolContext,
  touched: Touched,
): { path: string; activity: string }[] {
  const marks = new Map<string, string>();
  for (const agent of view.agents) {
    const root = table.rootOfPane.get(agent.pane_id);
    if (!root) continue;
    const working = knownStatus(agent.agent_status) === 'working';
    const beat = working ? Math.floor(context.nowMs() / GIT_HINT_WORKING_MS) : '';
    marks.set(root.path, `${marks.get(root.path) ?? ''} ${agent.pane_id}=${agent.state_change_seq ?? ''}${beat}`);
  }
  return table.roots
    .filter((root) => root.kind === 'git' && !root.bare)
    .map((root) => ({ path: root.path, activity: `${touched.mark(root.path)}${marks.get(root.path) ?? ''}` }));
}
