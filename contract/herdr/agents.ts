/** The 21 agents that Herdr knows. Source: reference/herdr-protocol.md 2.9. */
export interface KnownAgent {
  label: string;
  /** Other process names under which it runs. */
  aliases: readonly string[];
  /** What `agent.start` types into the shell. */
  executable: string;
}

const agent = (label: string, executable: string, ...aliases: string[]): KnownAgent => ({ label, aliases, executable });

export const KNOWN_AGENTS: readonly KnownAgent[] = [
  agent('pi', 'pi'),
  agent('claude', 'claude', 'claude-code'),
  agent('codex', 'codex'),
  agent('gemini', 'gemini'),
  agent('cursor', 'cursor-agent', 'cursor-agent'),
  agent('devin', 'devin', 'devin-cli'),
  agent('agy', 'agy', 'antigravity', 'antigravity-cli'),
  agent('cline', 'cline'),
  agent('omp', 'omp'),
  agent('mastracode', 'mastracode', 'mastra-code'),
  agent('opencode', 'opencode', 'opencode2', 'open-code'),
  agent('copilot', 'copilot', 'github-copilot', 'ghcs'),
  agent('kimi', 'kimi', 'kimi-code'),
  agent('kiro', 'kiro-cli', 'kiro-cli'),
  agent('droid', 'droid'),
  agent('amp', 'amp', 'amp-local'),
  agent('grok', 'grok', 'grok-build'),
  agent('hermes', 'hermes', 'hermes-agent'),
  agent('kilo', 'kilo', 'kilo-code'),
  agent('qodercli', 'qodercli', 'qoder', 'qoderclicn', 'qodercn'),
  agent('maki', 'maki'),
];

const byName = new Map<string, KnownAgent>(
  KNOWN_AGENTS.flatMap((known) => [known.label, known.executable, ...known.aliases].map((name) => [name, known])),
);

const SUFFIX = /\.(exe|cmd|bat|ps1|js)$/;

/** The known agent behind a process name or a path's last part; case and one executable suffix do not count. */
export function knownAgent(name: string): KnownAgent | undefined {
  return byName.get(name.toLowerCase().replace(SUFFIX, ''));
}

/** Agent names: `[a-z][a-z0-9_-]{0,31}`, unique within a server. */
export function isAgentName(name: string): boolean {
  return /^[a-z][a-z0-9_-]{0,31}$/.test(name);
}
