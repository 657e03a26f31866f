/** `GET /running`: what runs here now, for whoever pauses or drains this generation. Reads, changes nothing. */
import type { Exec } from '../exec/index.ts';
import type { RunningNow } from '../generations/index.ts';
import type { HerdrView } from '../herdr/index.ts';
import { SESSIONS_SAID } from '../limits.ts';
import type { RunningCalls } from '../running-calls.ts';

export interface RunningParts {
  calls: RunningCalls;
  exec: Pick<Exec, 'list'>;
  view: () => HerdrView;
  /** What a call acts on, from the ledger; undefined for a read. */
  targetOf: (dispatchId: string) => string | null | undefined;
  /** Whether this process started that command. */
  isOwn: (sessionId: string) => boolean;
}

export function runningNow({ calls, exec, view, targetOf, isOwn }: RunningParts): RunningNow {
  return {
    calls: calls.list().map(({ dispatchId, tool, principal, sinceMs }) => {
      const target = targetOf(dispatchId);
      return { dispatch_id: dispatchId, tool, principal, since_ms: sinceMs, ...(target ? { target } : {}) };
    }),
    sessions: exec
      .list(SESSIONS_SAID)
      .filter(({ state }) => state.running)
      .map(({ state: { id, command, root, startedAtMs } }) => ({
        session_id: id,
        command: command.slice(0, COMMAND_CHARS),
        root,
        since_ms: startedAtMs,
        own: isOwn(id),
      })),
    agents: view()
      .agents.filter(({ agent_status: status }) => status !== 'idle' && status !== 'done')
      .map(({ pane_id: pane, agent, agent_status: status }) => ({ pane, agent: agent ?? 'agent', status })),
  };
}

/** A command is named by its beginning. */
const COMMAND_CHARS = 200;
