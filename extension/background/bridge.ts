/**
 * The bridge's way to the runtime: the live list of tools, and one call of one of them, over the native host and the
 * private socket. Nothing is repeated here: whether a call may be sent again is decided where its ledger is.
 */

import { isObject } from '../../contract/json.ts';
import {
  type BridgeCall,
  type CallOutcome,
  type Catalogue,
  isStillWanted,
  type Tool,
} from '../machines/bridge/index.ts';
import type { State } from '../machines/worker/index.ts';
import type { SiteId } from '../page.ts';
import { CATALOGUE_FRESH_MS, CATALOGUE_PAUSE_MS, REQUEST_MS } from './limits.ts';
import { type NativeAnswer, type NativePort, NEVER_PASSED_ON } from './native.ts';

const HEADERS = {
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2025-11-25',
  'x-herdr-client': 'browser-json-bridge/1',
};

/** Who asks, as the runtime's audit list shows it. */
const CLIENT = { 'io.modelcontextprotocol/clientInfo': { name: 'browser-json-bridge', version: '1' } };

export interface BridgeDoor {
  /** As the runtime lists it now; null: it does not answer, and was not asked again at once. Asked for before it is needed. */
  catalogue(): Promise<Catalogue | null>;
  call(tool: string, args: Readonly<Record<string, unknown>>): Promise<CallOutcome>;
}

export function createBridgeDoor(native: Pick<NativePort, 'request' | 'connect'>, nowMs: () => number): BridgeDoor {
  let known: { catalogue: Catalogue; at: number } | null = null;
  let failedAt = Number.NEGATIVE_INFINITY;
  let asking: Promise<Catalogue | null> | null = null;

  async function rpc(method: string, params: object, timeoutMs: number): Promise<NativeAnswer> {
    await native.connect();
    const body = { jsonrpc: '2.0', id: 1, method, params };
    return native.request({ method: 'POST', path: '/mcp', headers: HEADERS, body, timeoutMs });
  }

  async function list(): Promise<Catalogue | null> {
    const answer = await rpc('tools/list', {}, REQUEST_MS.toolsList);
    const tools = answer.ok && answer.status === 200 ? toolsOf(answer.body) : null;
    if (tools === null || tools.length === 0) {
      failedAt = nowMs();
      return null;
    }
    const catalogue = { tools, digest: await digestOf(tools) };
    known = { catalogue, at: nowMs() };
    return catalogue;
  }

  return {
    async catalogue() {
      const now = nowMs();
      if (known !== null && now - known.at < CATALOGUE_FRESH_MS) return known.catalogue;
      if (now - failedAt < CATALOGUE_PAUSE_MS) return null;
      asking ??= list().finally(() => {
        asking = null;
      });
      return asking;
    },
    async call(tool, args) {
      return outcomeOf(await rpc('tools/call', { name: tool, arguments: args, _meta: CLIENT }, REQUEST_MS.call));
    },
  };
}

export function outcomeOf(answer: NativeAnswer): CallOutcome {
  if (!answer.ok) {
    const { error } = answer;
    // An answer that cannot be read was one to something that ran.
    return NEVER_PASSED_ON.has(error) ? { kind: 'not_sent', why: error } : { kind: 'unknown', why: error };
  }
  const { status, body } = answer;
  if (isObject(body) && isObject(body['result'])) return { kind: 'answered', answer: body['result'] };
  if (isObject(body) && isObject(body['error'])) {
    const { code, message } = body['error'];
    return { kind: 'refused', error: `rpc_${String(code)}`, detail: String(message ?? '').slice(0, 500) };
  }
  // An answer in another form says nothing about what ran.
  return { kind: 'unknown', why: `http_${status}` };
}

function toolsOf(body: unknown): Tool[] | null {
  if (!isObject(body) || !isObject(body['result']) || !Array.isArray(body['result']['tools'])) return null;
  return body['result']['tools'].flatMap((one: unknown): Tool[] => {
    if (!isObject(one) || typeof one['name'] !== 'string' || !isObject(one['inputSchema'])) return [];
    const { name, description, inputSchema } = one;
    return [{ name, description: typeof description === 'string' ? description : '', inputSchema }];
  });
}

async function digestOf(tools: readonly Tool[]): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(tools));
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return [...digest.subarray(0, 8)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Whether a call may still leave: nothing was stopped, switched off or taken away since it was decided. */
export function wantedBy(
  state: () => Promise<Pick<State, 'bridge' | 'config'>>,
  isAllowed: (site: SiteId, switchedOn: readonly SiteId[]) => Promise<boolean>,
): (call: BridgeCall) => Promise<boolean> {
  return async (call) => {
    const { bridge, config } = await state();
    const site = bridge.loops[call.conversation]?.site;
    const allowed = site !== undefined && (await isAllowed(site, config.sites));
    return isStillWanted(bridge, call, () => allowed);
  };
}
