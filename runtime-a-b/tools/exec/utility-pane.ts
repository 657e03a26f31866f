/**
 * The visible panes in which commands of protected folders run: a tab of the workspace that is called so, made when one is
 * needed and used again while its shell stands in front. Several commands at once get several panes. A pane that may be
 * busy is never typed into: not known to be free means busy.
 */
import type { TabInfo } from '../../../contract/herdr/index.ts';
import { OutcomeError } from '../../../contract/outcome.ts';
import type { PaneDoor } from '../../exec/index.ts';
import { HerdrFailure } from '../../herdr/index.ts';
import type { ToolContext } from '../context.ts';
import { Turns } from '../turns.ts';
import {
  AFTER_INTERRUPT_MS,
  ANSWER_MARGIN_MS,
  NEW_PANE_MS,
  READY_PANE_MS,
  UTILITY_CALL_MS,
  UTILITY_PANES_MAX,
  UTILITY_TAB,
} from './limits.ts';

/** One for each connection to Herdr, so one per runtime: it remembers the panes that it made, and which of them a command is being started in. */
class UtilityPanes {
  readonly #made = new Map<string, string>();
  readonly #starting = new Set<string>();
  readonly #turns = new Turns();

  /**
   * Gives `use` a pane of this workspace whose shell waits, for as long as a start takes. Throws `utility_pane_not_ready`
   * when all are busy and `utility_pane_unavailable` when Herdr gives none, both `not_delivered`.
   */
  async with<T>(
    place: { workspace: string; cwd: string },
    context: ToolContext,
    use: (door: PaneDoor) => Promise<T>,
  ): Promise<T> {
    // One choice at a time, or two commands would take the same pane or make one too many.
    const door = await this.#turns.take('', context, () => this.#reserve(place, context));
    try {
      return await use(door);
    } finally {
      this.#starting.delete(door.pane);
    }
  }

  async #reserve(place: { workspace: string; cwd: string }, context: ToolContext): Promise<PaneDoor> {
    try {
      const known = this.#known(place.workspace, context);
      for (const pane of known) {
        if (this.#starting.has(pane) || !(await shellWaits(pane, context))) continue;
        return this.#door(pane, READY_PANE_MS, context, true);
      }
      if (known.length >= UTILITY_PANES_MAX) throw allBusy(known);
      const options = { timeoutMs: UTILITY_CALL_MS };
      const { workspace, cwd } = place;
      const tab = { workspace_id: workspace, cwd, label: UTILITY_TAB, focus: false };
      const { root_pane } = await context.herdr.call('tab.create', tab, options);
      this.#made.set(root_pane.pane_id, workspace);
      return this.#door(root_pane.pane_id, NEW_PANE_MS, context, false);
    } catch (error) {
      if (error instanceof HerdrFailure) throw unavailable(error);
      throw error;
    }
  }

  /** Panes of tabs that are called so, also those that an earlier runtime made; and those of ours that Herdr shows yet. */
  #known(workspace: string, context: ToolContext): string[] {
    const view = context.live.view();
    const isOurs = (tab: TabInfo) => tab.workspace_id === workspace && tab.label === UTILITY_TAB;
    const tabs = new Set(view.tabs.filter(isOurs).map(({ tab_id }) => tab_id));
    const shown = view.panes.filter(({ tab_id }) => tabs.has(tab_id)).map(({ pane_id }) => pane_id);
    const made = [...this.#made].filter(([, where]) => where === workspace).map(([pane]) => pane);
    return [...new Set([...shown, ...made])];
  }

  #door(pane: string, patienceMs: number, context: ToolContext, isUsed: boolean): PaneDoor {
    this.#starting.add(pane);
    const { live, deadlineAtMs, nowMs } = context;
    let typed = false;
    return {
      server: live.view().server?.key ?? 'unknown',
      pane,
      patienceMs: Math.max(0, Math.min(patienceMs, deadlineAtMs - nowMs() - ANSWER_MARGIN_MS)),
      async type(line) {
        // What was typed ahead waits for a shell that is still starting; typing it again would only repeat it there.
        if (typed && !(isUsed && (await shellWaits(pane, context)))) return;
        typed = true;
        await typeLine(pane, line, isUsed, context);
      },
    };
  }
}

/** In a used pane a half-typed line must not run together with ours: the shell drops it and leaves it on the screen. */
async function typeLine(pane: string, line: string, isUsed: boolean, context: ToolContext): Promise<void> {
  const options = { timeoutMs: UTILITY_CALL_MS };
  if (isUsed) {
    await context.herdr.call('pane.send_keys', { pane_id: pane, keys: ['ctrl+c'] }, options);
    await new Promise((resolve) => setTimeout(resolve, AFTER_INTERRUPT_MS));
  }
  await context.herdr.call('pane.send_text', { pane_id: pane, text: line }, options);
  await context.herdr.call('pane.send_keys', { pane_id: pane, keys: ['enter'] }, options);
}

const remembered = new WeakMap<ToolContext['herdr'], UtilityPanes>();

/** The panes of this runtime. */
export function utilityPanes({ herdr }: ToolContext): UtilityPanes {
  const panes = remembered.get(herdr) ?? new UtilityPanes();
  remembered.set(herdr, panes);
  return panes;
}

/** Whether the pane's own shell stands in front. A pane that is gone or does not tell has none that waits. */
async function shellWaits(pane: string, context: ToolContext): Promise<boolean> {
  try {
    const options = { timeoutMs: UTILITY_CALL_MS };
    const { process_info } = await context.herdr.call('pane.process_info', { pane_id: pane }, options);
    const { shell_pid, foreground_process_group_id: front } = process_info;
    return shell_pid !== undefined && front === shell_pid;
  } catch (error) {
    if (error instanceof HerdrFailure && error.answered) return false;
    throw error;
  }
}

/** Ctrl-C in the pane of a session, as a person would end it; only while that pane's Herdr is the one that answers. */
export async function interruptPane(pane: { server: string; id: string }, context: ToolContext): Promise<void> {
  if (context.live.view().server?.key !== pane.server) return;
  const options = { timeoutMs: UTILITY_CALL_MS };
  try {
    await context.herdr.call('pane.send_keys', { pane_id: pane.id, keys: ['ctrl+c'] }, options);
  } catch (error) {
    if (!(error instanceof HerdrFailure)) throw error;
    context.log.warn({ err: error, pane: pane.id }, 'the pane of a command could not be interrupted');
  }
}

function allBusy(panes: readonly string[]): OutcomeError {
  return new OutcomeError(
    'utility_pane_not_ready',
    `All ${panes.length} panes for commands of this workspace are busy, or nobody can say that they are not; nothing was run.`,
    {
      next: 'Wait until one of them has ended (herdr_exec_read), or end one with herdr_exec_kill, then call again.',
      delivery: 'not_delivered',
      details: { panes },
    },
  );
}

function unavailable(failure: HerdrFailure): OutcomeError {
  return new OutcomeError(
    'utility_pane_unavailable',
    `In a protected folder commands run in a visible pane of Herdr, and Herdr gives none (${failure.code}); the command was not run.`,
    {
      next: 'Look with herdr_inspect whether Herdr answers, then call again.',
      delivery: 'not_delivered',
      cause: failure,
      details: { herdr_code: failure.code },
    },
  );
}
