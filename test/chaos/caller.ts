/** One caller: what it sends for a planned call, what it heard, and what it later looks up by its key. */
import { join } from 'node:path';
import { CALLER_WAITS_MS } from './limits.ts';
import type { PlannedCall } from './plan.ts';
import type { ChaosStage } from './stage.ts';

export type Delivery = 'not_delivered' | 'delivered' | 'unknown';

/** What a caller heard: a tool result, nothing at all, or something that no caller should ever hear. */
export type Heard =
  | { kind: 'answer'; ok: boolean; delivery: Delivery; code: string; exitCode?: number; output?: string }
  | { kind: 'nothing'; why: string }
  | { kind: 'odd'; what: string };

/** What `herdr_mcp.dispatch.status` says of a key. */
export interface LookedUp {
  found: boolean;
  dispatches: readonly { id: string; state: string; delivery: Delivery; code: string }[];
}

type Where = Pick<ChaosStage, 'mcpUrl' | 'accessToken' | 'repository' | 'workspace'>;

export const LINES = 'lines.txt';
export const fileOf = (call: PlannedCall) => `${call.kind}-${call.n}.txt`;
export const contentOf = (call: PlannedCall) => `content of ${call.n}\n`;
export const exitCodeOf = (call: PlannedCall) => call.n % 3;
export const lineOf = (call: PlannedCall) => `line ${call.n}`;

export async function send(where: Where, key: string, call: PlannedCall): Promise<Heard> {
  const pause = call.pauseMs === 0 ? '' : `sleep ${call.pauseMs / 1000}; `;
  const run = (command: string) =>
    ask(where, 'herdr_exec', { workspace: where.workspace, command: `${pause}${command}`, idempotency_key: key });
  switch (call.kind) {
    case 'append':
      return run(`echo '${lineOf(call)}' >> ${LINES}`);
    case 'run':
      return run(`echo ran >> ${fileOf(call)}; echo 'said ${call.n}'; exit ${exitCodeOf(call)}`);
    case 'write':
      return ask(where, 'herdr_fs_write', {
        path: join(where.repository, fileOf(call)),
        content: contentOf(call),
        idempotency_key: key,
      });
  }
}

export async function lookUp(where: Where, key: string): Promise<LookedUp> {
  const params = JSON.stringify({ idempotency_key: key });
  const body = await post(where, 'herdr_call', { method: 'herdr_mcp.dispatch.status', params });
  if (body.ok !== true || !Array.isArray(body.dispatches)) throw new Error(`no status: ${JSON.stringify(body)}`);
  const dispatches = body.dispatches.map((one: Record<string, unknown>) => ({
    id: String(one.dispatch_id),
    state: String(one.state),
    delivery: one.delivery as Delivery,
    code: String(one.code ?? ''),
  }));
  return { found: body.found === true, dispatches };
}

async function ask(where: Where, tool: string, args: Record<string, unknown>): Promise<Heard> {
  let body: Record<string, unknown>;
  try {
    body = await post(where, tool, args);
  } catch (error) {
    if (error instanceof Odd) return { kind: 'odd', what: error.message };
    return { kind: 'nothing', why: error instanceof Error ? error.message : String(error) };
  }
  return {
    kind: 'answer',
    ok: body.ok === true,
    delivery: (body.delivery as Delivery | undefined) ?? 'delivered',
    code: String(body.code ?? ''),
    ...(typeof body.exit_code === 'number' ? { exitCode: body.exit_code } : {}),
    ...(typeof body.output === 'string' ? { output: body.output } : {}),
  };
}

/** An HTTP answer that is no tool result: the edge promises that there is none for a signed-in caller. */
class Odd extends Error {}

async function post(where: Where, name: string, args: Record<string, unknown>): Promise<Record<string, unknown>> {
  const response = await fetch(where.mcpUrl, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${where.accessToken}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
    signal: AbortSignal.timeout(CALLER_WAITS_MS),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Odd(`HTTP ${response.status}: ${text.slice(0, 300)}`);
  const message = JSON.parse(text) as { result?: { content?: { text?: string }[] } };
  const inside = message.result?.content?.[0]?.text;
  if (inside === undefined) throw new Odd(`no tool result: ${text.slice(0, 300)}`);
  return JSON.parse(inside) as Record<string, unknown>;
}
