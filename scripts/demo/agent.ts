/** The only agent that the demo prompts: a scripted one, which it starts itself in a tab of its own. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Talk } from './conversation.ts';

const SCRIPT = join(import.meta.dirname, '..', 'demo-agent', 'pi');

export interface DemoAgent {
  /** Id of its pane. */
  pane: string;
  /** Closes its tab, which ends it, and removes what was brought. */
  close(): Promise<void>;
}

/** Finds the script in the project, or brings it; then opens a tab and types its path there. */
export async function startDemoAgent(talk: Talk, workspace: string, root: string): Promise<DemoAgent> {
  const found = await shell(
    talk,
    workspace,
    `test -x scripts/demo-agent/pi && echo ${quoted(`${root}/scripts/demo-agent/pi`)} || true`,
  );
  const brought = found === '' ? await bring(talk, workspace) : undefined;
  const path = brought ?? found;
  const native = async (method: string, params: Record<string, unknown>) =>
    talk.call('herdr_call', { method, params: JSON.stringify(params) });
  const created = await native('tab.create', { workspace_id: workspace, cwd: root, label: 'demo agent' });
  const { tab, root_pane } = created['result'] as { tab: { tab_id: string }; root_pane: { pane_id: string } };
  await native('pane.send_input', { pane_id: root_pane.pane_id, text: quoted(path), keys: ['enter'] });
  return {
    pane: root_pane.pane_id,
    close: async () => {
      await native('tab.close', { tab_id: tab.tab_id });
      if (brought !== undefined) await shell(talk, workspace, `rm -r -- "$(dirname ${quoted(brought)})"`);
    },
  };
}

/** Writes the script into a temporary folder of the workstation. */
function bring(talk: Talk, workspace: string): Promise<string> {
  const base64 = readFileSync(SCRIPT).toString('base64');
  const command = `d=$(mktemp -d) && printf %s ${base64} | base64 -d > "$d/pi" && chmod +x "$d/pi" && echo "$d/pi"`;
  return shell(talk, workspace, command);
}

/** What a command prints, without its last line break. */
async function shell(talk: Talk, workspace: string, command: string): Promise<string> {
  const body = await talk.call('herdr_exec', { workspace, command });
  return String(body['stdout'] ?? '').trim();
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
