/** Which generation a call must reach because what it names lives in that process. Pure. */

const decoder = new TextDecoder();

/** Tools that name a running command by its session id. */
const SESSION_TOOLS: ReadonlySet<string> = new Set(['herdr_exec_read', 'herdr_exec_kill']);

/**
 * The generation inside a call's session id (`es_a_…` lives in `a`, see runtime-a-b/exec), or `undefined` when any generation will do.
 * Only the arguments of the tools that take a session id are read; everything else passes unparsed.
 */
export function generationNamedIn(tool: string, args: Uint8Array): string | undefined {
  if (SESSION_TOOLS.has(tool)) return generationOfSession(parse(decoder.decode(args))?.['session_id']);
  if (tool !== 'herdr_call') return undefined;
  const text = decoder.decode(args);
  if (!text.includes('herdr_mcp.exec.')) return undefined;
  const params = parse(text)?.['params'];
  return typeof params === 'string' ? generationOfSession(parse(params)?.['session_id']) : undefined;
}

function generationOfSession(id: unknown): string | undefined {
  return typeof id === 'string' ? /^es_([ab])_/.exec(id)?.[1] : undefined;
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
