import { isAgentName, KNOWN_AGENTS } from '../../contract/herdr/index.ts';
import { START_TIMEOUT_ABOVE_MS, START_TIMEOUT_AT_MOST_MS, START_TIMEOUT_MS } from '../limits.ts';
import { isStartShell } from '../processes/index.ts';
import { agentInfo, type Pane, paneUpdated, type Session } from '../session/index.ts';
import { CallError, type Handler } from './call.ts';
import { keysOf, type } from './typing.ts';

/** One word of a POSIX command line. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** The same for PowerShell, where a quote is doubled. */
const powershellQuoted = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) && !word.startsWith('@') ? word : `'${word.replaceAll("'", "''")}'`;

function commandLine(argv: readonly string[], shell: string): string {
  const powershell = /^(?:pwsh|powershell)/i.test(shell);
  return argv.map(powershell ? powershellQuoted : quoted).join(' ');
}

/** The name of the shell that waits alone in the foreground; refuses a pane where anything else runs. */
function idleShell(session: Session, pane: Pane): string {
  const { processes } = session.ports;
  const shell = pane.terminal.pid;
  const group = processes.foregroundGroup(shell);
  if (group === undefined) {
    throw new CallError('agent_pane_unavailable', `the foreground of ${pane.id} cannot be read; nothing was typed`);
  }
  const members = group === shell ? processes.group(group) : [];
  const name = members[0]?.name;
  if (members.length !== 1 || name === undefined || !isStartShell(name) || pane.track.agent !== undefined) {
    throw new CallError(
      'agent_pane_busy',
      `${pane.id} does not show an idle shell; nothing was typed. Try again in a moment.`,
    );
  }
  return name;
}

function checkName(session: Session, name: string): void {
  if (!isAgentName(name)) {
    throw new CallError(
      'invalid_agent_name',
      `${JSON.stringify(name)} is no agent name: a letter, then up to 31 of a-z 0-9 _ -`,
    );
  }
  if ([...session.panes.values()].some((pane) => pane.name === name)) {
    throw new CallError('agent_name_taken', `another agent is called ${name}`);
  }
}

/**
 * Types an agent's command line into an idle shell and answers at once, with the start pending. That it has become
 * ready is seen by asking for the agent. Source: reference/herdr-protocol.md 6.8.
 */
export const startAgent: Handler<'agent.start'> = ({ name, kind, pane_id, args = [], timeout_ms }, { session }) => {
  const known = KNOWN_AGENTS.find((candidate) => candidate.label === kind);
  if (!isAgentName(name)) checkName(session, name);
  if (!known)
    throw new CallError('unsupported_agent_kind', `${JSON.stringify(kind)} is not a kind of agent that can be started`);
  if (args.some((word) => /[\x00-\x1f\x7f]/.test(word))) {
    throw new CallError('invalid_agent_argument', 'an argument holds a control character; nothing was typed');
  }
  const timeout = timeout_ms ?? START_TIMEOUT_MS;
  if (timeout <= START_TIMEOUT_ABOVE_MS || timeout > START_TIMEOUT_AT_MOST_MS) {
    throw new CallError(
      'invalid_agent_timeout',
      `timeout_ms must be more than ${START_TIMEOUT_ABOVE_MS} and at most ${START_TIMEOUT_AT_MOST_MS}`,
    );
  }
  const pane = session.panes.get(pane_id);
  if (!pane) throw new CallError('agent_pane_not_found', `there is no pane ${pane_id}`);
  checkName(session, name);
  if (pane.name !== undefined || pane.launch) {
    throw new CallError('agent_pane_busy', `${pane_id} already starts or hosts ${pane.name ?? 'an agent'}`);
  }
  const shell = idleShell(session, pane);
  const argv = [known.executable, ...args];
  type(pane, commandLine(argv, shell) + keysOf(pane, ['enter']).join(''), 'agent_start_input_failed');
  const now = session.ports.now();
  pane.name = name;
  pane.launch = { kind, startedAt: now, deadline: now + timeout, ready: false };
  paneUpdated(session, pane);
  return { type: 'agent_started', agent: agentInfo(session, pane), argv };
};

export { checkName };
