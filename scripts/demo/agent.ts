/** The only agent that the demo prompts: a scripted one, which it starts itself in a tab of its own. */
import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import type { Talk } from './talk.ts';

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
  if (!isAbsolute(path)) throw new Error(`The demo agent was not found on the workstation: "${path}".`);
  const native = async (method: string, params: Record<string, unknown>) =>
    talk.call('herdr_call', { method, params: JSON.stringify(params) });
  const created = await native('tab.create', { workspace_id: workspace, cwd: root, label: 'demo agent' });
  const { tab, root_pane } = created['result'] as { tab: { tab_id: string }; root_pane: { pane_id: string } };
  await native('pane.send_input', { pane_id: root_pane.pane_id, text: quoted(path), keys: ['enter'] });
  return {
    pane: root_pane.pane_id,
    close: async () => {
      await native('tab.close', { tab_id: tab.tab_id });
      if (brought !== undefined)
        await shell(talk, workspace, `rm -- ${quoted(brought)} && rmdir -- ${quoted(dirname(brought))}`);
    },
  };
}

/** Writes the script into a temporary folder of the workstation. */
function bring(talk: Talk, workspace: string): Promise<string> {
  const base64 = readFileSync(SCRIPT).toString('base64');
  const command = `d=$(mktemp -d) && printf %s ${base64} | base64 -d > "$d/pi" && chmod +x "$d/pi" && echo "$d/pi"`;
  return shell(talk, workspace, command);
}

/** What a command prints, without its last line break. Throws when it failed. */
async function shell(talk: Talk, workspace: string, command: string): Promise<string> {
  const { exit_code: code, output } = await talk.call('herdr_exec', { workspace, command });
  if (code !== 0 || typeof output !== 'string') throw new Error(`The command ended with ${String(code)}: ${command}`);
  return output.trimEnd();
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
