/** Questions to a runtime at its loopback port. An answer that does not come is a value. */
import { readPrivateFile } from '../../../local/files/index.ts';
import { statePaths } from '../../../local/paths/index.ts';
import { timeLimit } from '../../../local/patience/index.ts';
import { ASK_MS } from '../limits.ts';

export interface Health {
  bootId: string;
  version: string;
}

/** What `/health` says; `undefined` when it does not answer as a runtime does. */
export async function askHealth(port: number, timeoutMs = ASK_MS): Promise<Health | undefined> {
  const body = await json(`http://127.0.0.1:${port}/health`, { signal: timeLimit(timeoutMs) });
  const { boot_id, version, ok } = body ?? {};
  if (ok !== true || typeof boot_id !== 'string' || typeof version !== 'string') return undefined;
  return { bootId: boot_id, version };
}

/** One JSON-RPC request at the loopback MCP door: its `result`, nothing in it after an error; `undefined` without an answer. */
export async function askMcp(
  stateDir: string,
  port: number,
  method: string,
  params: Record<string, unknown>,
): Promise<Record<string, unknown> | undefined> {
  const token = (await readPrivateFile(statePaths(stateDir).runtimeToken))?.toString('utf8').trim() ?? '';
  const body = await json(`http://127.0.0.1:${port}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal: timeLimit(ASK_MS),
  });
  if (body === undefined) return undefined;
  const { result } = body;
  return typeof result === 'object' && result !== null ? (result as Record<string, unknown>) : {};
}

/** An MCP server may answer with one event instead of plain JSON. */
const EVENT = /^data: ?(\{.*)$/m;

async function json(url: string, init: RequestInit): Promise<Record<string, unknown> | undefined> {
  try {
    const response = await fetch(url, init);
    const text = await response.text();
    const value: unknown = JSON.parse(EVENT.exec(text)?.[1] ?? text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined; // refused, silent, or no JSON: all of them mean that it does not answer
  }
}
