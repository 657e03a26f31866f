/**
 * Who may say what of an agent's state. Some integrations own the whole life of their agent, some give only the native
 * session's identity, two are not believed at all; any other source is a custom one. Source: herdr-protocol.md 2.9.
 */
export type AuthorityKind = 'exclusive' | 'identity_only' | 'ignored' | 'custom';

const official = (names: string): Set<string> => new Set(names.split(' ').map((name) => `herdr:${name}`));

const EXCLUSIVE = official('pi omp mastracode opencode kilo kimi');
const IDENTITY_ONLY = official('claude codex copilot devin droid qodercli cursor grok');
const IGNORED = official('hermes antigravity_cli');

export function authorityKind(source: string): AuthorityKind {
  if (EXCLUSIVE.has(source)) return 'exclusive';
  if (IDENTITY_ONLY.has(source)) return 'identity_only';
  return IGNORED.has(source) ? 'ignored' : 'custom';
}

/** Whether a source is one of Herdr's own integrations, which alone may name a native session. */
export const isOfficial = (source: string): boolean => authorityKind(source) !== 'custom';
