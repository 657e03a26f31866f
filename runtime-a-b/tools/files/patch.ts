/** `herdr_fs_patch`: many files of one root, all or nothing. */
import { busyFacts, dirtyGate, type Root, readDirty } from '../../roots/index.ts';
import type { ToolContext, ToolHandler } from '../context.ts';
import { fittingItems, roomFor } from '../fit.ts';
import { rootFacts } from './common.ts';
import { commit, inTurn, mutating, passGates } from './mutation.ts';
import { PatchFault, parsePatch, type Section } from './patch/index.ts';
import { patchFailed } from './patch-failure.ts';
import { planPatch } from './patch-plan.ts';

interface PatchArgs {
  root: string;
  patch: string;
  dry_run?: boolean;
  confirm_dirty?: boolean;
  confirm_busy?: boolean;
}

export const fsPatch: ToolHandler = mutating(async (args, context) => {
  const asked = args as unknown as PatchArgs;
  const root = await context.roots.exact(context.live.view(), asked.root);
  const sections = parse(asked.patch);
  return await inTurn(root.path, context, async () => {
    const plans = await planPatch(context, root, sections);
    const warnings =
      asked.dry_run === true
        ? await agentsAtWork(context, root)
        : await passGates(
            context,
            plans.map((plan) => plan.target),
            root,
            asked.confirm_busy === true,
          );
    const sources = [...new Set(plans.flatMap((plan) => plan.sources))];
    const dirty = await readDirty(root.path, sources);
    const body = {
      dry_run: asked.dry_run === true,
      ...rootFacts(root),
      ...affected(plans),
      additions: plans.reduce((sum, plan) => sum + plan.additions, 0),
      removals: plans.reduce((sum, plan) => sum + plan.removals, 0),
    };
    if (asked.dry_run === true) {
      const uncommitted = [...dirty].map(([path, state]) => ({ path, state }));
      return {
        ok: true,
        body: { ...body, ...warned({ ...warnings, ...(uncommitted.length === 0 ? {} : { dirty: uncommitted }) }) },
      };
    }
    const refusal = dirtyGate(dirty, asked.confirm_dirty === true);
    if (refusal !== undefined) throw refusal;
    await commit(
      context,
      root,
      plans.flatMap((plan) => plan.changes),
    );
    return { ok: true, body: { ...body, ...warned(warnings) } };
  });
});

function parse(text: string): Section[] {
  try {
    return parsePatch(text);
  } catch (error) {
    if (!(error instanceof PatchFault)) throw error;
    throw patchFailed(`line ${error.line} of the patch: ${error.message}`, { patch_line: error.line });
  }
}

/** Every file that a patch touches, or the first of very many and how many there are. */
function affected(plans: readonly { summary: string; affected: object }[]): Record<string, unknown> {
  const named = fittingItems(
    plans.map((plan) => ({ summary: plan.summary, affected: plan.affected })),
    roomFor(),
  );
  return {
    summary: named.map((plan) => plan.summary),
    affected_files: named.map((plan) => plan.affected),
    ...(named.length < plans.length ? { affected_total: plans.length, truncated: true } : {}),
  };
}

/** A dry run changes nothing, so nobody is in its way; it still says who would be. */
async function agentsAtWork(context: ToolContext, root: Root): Promise<Record<string, unknown>> {
  const view = context.live.view();
  const { working, unclear } = busyFacts(view, await context.roots.table(view), root);
  return { ...(working.length === 0 ? {} : { working }), ...(unclear.length === 0 ? {} : { unclear }) };
}

const warned = (warnings: Record<string, unknown>) => (Object.keys(warnings).length === 0 ? {} : { warnings });
