/** What must be looked at before a method of Herdr's is passed on, beyond its schema. Pure. */
import type { PaneInfo, WorktreeInfo } from '../../../contract/herdr/index.ts';
import { OutcomeError } from '../../../contract/outcome.ts';
import { directoryOf, type HerdrView } from '../../herdr/index.ts';
import { isWithin } from '../../roots/index.ts';

/** Methods that answer with a stream: a call has one answer. */
export const NEVER_FORWARDED: ReadonlySet<string> = new Set(['events.subscribe', 'pane.graphics.stream']);

/** Panes named in a refusal. */
const PANES_NAMED = 20;

const paneFact = (pane: PaneInfo) => ({
  pane: pane.pane_id,
  cwd: directoryOf(pane) ?? null,
  agent: pane.agent ?? null,
});

/** Methods that type into a pane or start a program there. */
const TYPING: ReadonlySet<string> = new Set(['pane.send_text', 'pane.send_keys', 'pane.send_input', 'agent.start']);

/**
 * The directory in which a method runs something or makes or removes a checkout, for the owner's write roots; an empty path
 * when it is not known. Undefined for what only arranges Herdr's windows, and for words to an agent: write roots limit
 * directories, not prompts (reference: runtime 3.4).
 */
export function actsIn(method: string, params: Record<string, unknown>, view: HerdrView): string | undefined {
  if (TYPING.has(method)) {
    const pane = view.panes.find(({ pane_id }) => pane_id === params.pane_id);
    return pane === undefined || pane.agent ? undefined : (directoryOf(pane) ?? '');
  }
  if (method === 'worktree.create') return typeof params.path === 'string' ? params.path : '';
  if (method !== 'worktree.remove') return undefined;
  const workspace = view.workspaces.find(({ workspace_id }) => workspace_id === params.workspace_id);
  return workspace?.worktree?.checkout_path ?? '';
}

/**
 * Whether removing the worktree of this workspace removes what the caller means (herdr#4293): Herdr identifies the
 * workspace by the directory of its first shell, and closes all of it. `worktrees` is Herdr's own list for it.
 */
export function worktreeRemoval(
  view: HerdrView,
  workspaceId: string,
  worktrees: readonly WorktreeInfo[],
): OutcomeError | undefined {
  const panes = view.panes.filter((pane) => pane.workspace_id === workspaceId);
  const refuse = (why: string, outside: readonly PaneInfo[]) =>
    new OutcomeError(
      'confirmation_required',
      `worktree.remove for ${workspaceId} was not passed on: ${why}. Nothing was removed or closed.`,
      {
        next: 'Close or move what should live first, or open the checkout as a workspace of its own and remove that one.',
        details: { workspace: workspaceId, panes_that_would_close: outside.slice(0, PANES_NAMED).map(paneFact) },
      },
    );
  if (view.state !== 'live') return refuse('Herdr does not confirm now what is open there', panes);
  const workspace = view.workspaces.find((candidate) => candidate.workspace_id === workspaceId);
  const open = worktrees.filter((worktree) => worktree.open_workspace_id === workspaceId);
  const checkout = open.length === 1 ? open[0] : undefined;
  if (!workspace || !checkout) return refuse('it is not known which checkout belongs to this workspace', panes);
  if (!checkout.is_linked_worktree)
    return refuse(`${checkout.path} is the main checkout, not a linked worktree`, panes);
  const own = workspace.worktree;
  if (own && (own.checkout_path !== checkout.path || !own.is_linked_worktree)) {
    return refuse(
      `the workspace belongs to ${own.checkout_path}, the checkout to be removed is ${checkout.path}`,
      panes,
    );
  }
  const outside = panes.filter((pane) => {
    const directory = directoryOf(pane);
    return directory === undefined || !isWithin(checkout.path, directory);
  });
  if (outside.length > 0)
    return refuse(`${outside.length} of its panes are not known to live inside ${checkout.path}`, outside);
  return undefined;
}

/** Stopping Herdr ends every pane and every agent in it, the person's own too, and leaves nobody to start it again. */
export function serverStop(view: HerdrView): OutcomeError | undefined {
  if (view.state === 'live' && view.panes.length === 0) return undefined;
  return new OutcomeError(
    'confirmation_required',
    `server.stop was not passed on: it would end Herdr with all ${view.panes.length} of its panes. Nothing was stopped.`,
    {
      next: 'Close what is yours with pane.close, tab.close or workspace.close; ask the person at the workstation to stop Herdr itself.',
      details: { panes_that_would_close: view.panes.slice(0, PANES_NAMED).map(paneFact) },
    },
  );
}

/** Closing the workspace of a main checkout also closes those of its worktrees, without a word (protocol 8.4). */
export function workspaceClosing(view: HerdrView, workspaceId: string): OutcomeError | undefined {
  const workspace = view.workspaces.find((candidate) => candidate.workspace_id === workspaceId);
  const family = workspace?.worktree;
  if (!family || family.is_linked_worktree) return undefined;
  const siblings = view.workspaces.filter(
    (other) => other.workspace_id !== workspaceId && other.worktree?.repo_key === family.repo_key,
  );
  if (siblings.length === 0) return undefined;
  return new OutcomeError(
    'confirmation_required',
    `workspace.close for ${workspaceId} was not passed on: it is the main checkout, and Herdr would close the workspaces of its worktrees too. Nothing was closed.`,
    {
      next: 'Close the listed workspaces first, one by one, then this one.',
      details: { would_close: siblings.map(({ workspace_id, label }) => ({ id: workspace_id, label })) },
    },
  );
}
