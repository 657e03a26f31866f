/** One scripted agent in a workspace of its own, which is told something every little while and counts what it was told. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from '../../scripts/build/index.ts';
import type { Connector } from './connector.ts';
import { LOOK_MS } from './limits.ts';

export interface Agent {
  /** Tells it something and waits for the end of its turn. Throws when that was not well. */
  prompt(n: number): Promise<void>;
  /** Whether it was told each thing once: the number in its last answer. */
  doubled(): Promise<string[]>;
}

export async function startAgent(connector: Connector, workspace: string, root: string): Promise<Agent> {
  const native = async (method: string, params: Record<string, unknown>): Promise<Record<string, unknown>> => {
    const { result } = await connector.call('herdr_call', { method, params: JSON.stringify(params) });
    return result as Record<string, unknown>;
  };
  const inspected = (await connector.call('herdr_inspect', {}))['workspaces'] as { id: string; label: string }[];
  const id = inspected.find(({ label }) => label === workspace)?.id;
  const created = await native('tab.create', { workspace_id: id, cwd: root, label: 'agent' });
  const { pane_id: pane } = created['root_pane'] as { pane_id: string };
  await native('pane.send_input', { pane_id: pane, text: `'${ROOT}/scripts/demo-agent/pi'`, keys: ['enter'] });
  const target = JSON.stringify({ target: pane });
  while ((await connector.ask('herdr_call', { method: 'agent.get', params: target }))['ok'] !== true)
    await sleep(LOOK_MS);
  let told = 0;
  return {
    async prompt(n) {
      await connector.call('herdr_prompt', { target: pane, text: `Say ${n}.`, wait: { timeout_ms: 30_000 } });
      told += 1;
    },
    async doubled() {
      const params = JSON.stringify({ pane_id: pane, source: 'visible' });
      const shown = JSON.stringify(await connector.call('herdr_call', { method: 'pane.read', params }));
      const turns = Math.max(0, ...[...shown.matchAll(/Scripted answer (\d+)/g)].map(([, turn]) => Number(turn)));
      return turns === told ? [] : [`${told} prompts were sent and the agent took ${turns}`];
    },
  };
}
