/** The three tools of commands over one project. */
import { join } from 'node:path';
import type { LiveView } from '../../../runtime-a-b/roots/index.ts';
import { execTools } from '../../../runtime-a-b/tools/exec/index.ts';
import { place } from '../exec/support.ts';
import { liveView, type PaneSketch, refusal, repository, temporaryFolder } from '../roots/live-view.ts';
import { testTools } from '../tools-files/context.ts';

interface Body extends Record<string, unknown> {
  session_id: string;
  output: string;
  next_offset: number;
  text: string;
  bytes_total: number;
}

export function setUp(
  sketches?: (root: string) => readonly PaneSketch[],
  policy = {},
  state: LiveView['state'] = 'live',
) {
  const where = place();
  const root = repository(join(temporaryFolder(), 'r'), { 'a.txt': 'a' });
  const view = liveView(sketches?.(root) ?? [{ cwd: root }], state);
  const exec = where.open();
  const tools = testTools(execTools, view, { exec, policy, stateDir: where.stateDir });
  const call = async (tool: string, args: Record<string, unknown>) => {
    const answer = await tools.call(tool, args);
    const body = answer.body as unknown as Body;
    if (typeof body.session_id === 'string') where.track(body.session_id);
    return { ...answer, body };
  };
  const run = async (command: string, more: Record<string, unknown> = {}) =>
    (await call('herdr_exec', { workspace: 'w1', command, ...more })).body;
  const refused = async (tool: string, args: Record<string, unknown>) => {
    const failure = await refusal(() => tools.call(tool, args));
    if (typeof failure.details.session_id === 'string') where.track(failure.details.session_id);
    return failure;
  };
  return { where, root, exec, tools, call, run, refused };
}
