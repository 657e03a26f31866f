/** What is in a pane, as one short name that an action can be held against. Pure. */
import { createHash } from 'node:crypto';
import type { PaneInfo } from '../../contract/herdr/index.ts';

/**
 * `btr1_` and 32 hex digits over the runtime's boot, the Herdr server, the place, the terminal, the agent and its session.
 * A title, a status or output changes nothing of it; another agent, another session, a restarted shell, a moved pane or a
 * replaced runtime does. Herdr's own `revision` counter is left out: it moves with every title.
 */
export function targetRevision(bootId: string, serverKey: string, pane: PaneInfo): string {
  const { agent_session: session } = pane;
  const named = [
    'btr1',
    bootId,
    serverKey,
    pane.workspace_id,
    pane.pane_id,
    pane.terminal_id,
    pane.agent ?? null,
    session ? [session.source, session.kind, session.value] : null,
  ];
  return `btr1_${createHash('sha256').update(JSON.stringify(named)).digest('hex').slice(0, 32)}`;
}
