/** Reading one pane for a person: bounded, and one deep read at a time, because it moves that pane's screen. */
import { type ControlRequest, READ_CHARS, READ_LINES } from '../../../contract/control/index.ts';
import type { PaneInfo } from '../../../contract/herdr/index.ts';
import { directoryOf, HerdrFailure, herdrOutcome } from '../../herdr/index.ts';
import { TITLE_CHARS_MAX } from '../../limits.ts';
import type { ToolContext } from '../context.ts';

export function readDetails(pane: PaneInfo, { live }: ToolContext): Record<string, unknown> {
  const { workspaces, tabs, agents } = live.view();
  const agent = agents.find(({ pane_id: id }) => id === pane.pane_id);
  const title = pane.terminal_title_stripped ?? pane.terminal_title;
  return {
    pane: pane.pane_id,
    tab: tabs.find(({ tab_id: id }) => id === pane.tab_id)?.label ?? pane.tab_id,
    workspace: workspaces.find(({ workspace_id: id }) => id === pane.workspace_id)?.label ?? pane.workspace_id,
    agent: agent?.name ?? pane.agent ?? null,
    kind: pane.agent ?? null,
    status: pane.agent === undefined ? null : pane.agent_status,
    cwd: directoryOf(pane) ?? null,
    title: title?.slice(0, TITLE_CHARS_MAX) ?? null,
    focused: pane.focused,
    session: pane.agent_session === undefined ? null : pane.agent_session.kind,
  };
}

type OutputArgs = NonNullable<Extract<ControlRequest, { action: 'recent_output' }>['args']>;

let reading: Promise<unknown> = Promise.resolve();

export async function readOutput(
  pane: PaneInfo,
  { lines = READ_LINES.default, chars = READ_CHARS.default }: OutputArgs,
  context: ToolContext,
): Promise<Record<string, unknown>> {
  const params = { pane_id: pane.pane_id, source: 'recent_unwrapped', lines, strip_ansi: true } as const;
  const turn = reading.then(() => context.herdr.call('pane.read', params, { signal: context.signal }));
  reading = turn.catch(() => undefined); // the one who asked hears of it; the next one reads for himself
  const { read } = await turn.catch((error: unknown) => {
    throw error instanceof HerdrFailure ? herdrOutcome(error, 'pane.read') : error;
  });
  const rows = plain(read.text).replace(/\s+$/, '').split('\n').slice(-lines);
  const text = rows.join('\n');
  return { text: text.slice(-chars), lines: rows.length, cut: read.truncated || text.length > chars };
}

/** What a terminal would act on is taken out: a page shows it as text. */
const FOREIGN =
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
const plain = (text: string): string => text.replace(FOREIGN, '');
