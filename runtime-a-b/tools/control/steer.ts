/**
 * Whether the turn that runs could be steered. Herdr gives no door into an agent's running turn, so the answer always is
 * why not, exactly; words are never typed as a prompt instead.
 */
import type { ControlOutcome } from '../../../contract/control/index.ts';
import type { PaneInfo } from '../../../contract/herdr/index.ts';

export function steerAnswer(pane: PaneInfo): { outcome: ControlOutcome; evidence: Record<string, unknown> } {
  const evidence = { agent: pane.agent ?? null, status: pane.agent_status };
  if (pane.agent === undefined) return { outcome: 'no_agent', evidence };
  if (pane.agent_status !== 'working') return { outcome: 'no_active_turn', evidence };
  // Codex takes words into a running turn, but only over a session that Herdr does not give us.
  return { outcome: pane.agent === 'codex' ? 'session_not_resolved' : 'unsupported_provider', evidence };
}
