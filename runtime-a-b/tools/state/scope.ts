/** The `workspace` argument of the tools that show a part of everything. */
import { findNow, findWorkspace } from '../../herdr/index.ts';
import type { ToolContext } from '../context.ts';

/** The id of the workspace that is meant, undefined for all. Throws `workspace_not_found` and its kind. */
export async function scopeOf(workspace: unknown, context: ToolContext): Promise<string | undefined> {
  if (typeof workspace !== 'string') return undefined;
  return (await findNow(context.live, (view) => findWorkspace(view, workspace, context.deviceId))).workspace_id;
}
