/** What the worker asks the runtime. Every answer is what was said, or null: nobody knows. Nothing is repeated here. */
import { EXTENSION_ROUTE, type RegistryAnswer, type RegistryRequest } from '../../contract/extension/index.ts';
import { isObject } from '../../contract/json.ts';
import type { Fresh } from '../machines/worker/index.ts';
import { freshOf, inboxOf, paneTextOf } from './facts.ts';
import { OUTPUT_CHARS_MAX, PANES_READ_MAX, REQUEST_MS } from './limits.ts';
import type { NativeAnswer, NativePort } from './native.ts';

export interface JournalTurnBody {
  continuity_id: string;
  conversation_url: string;
  workspace_id: string;
  project_id: string;
  title: string;
  message_id: string;
  role: 'user' | 'assistant';
  text: string;
  observed_at: number;
}

export interface RuntimeDoor {
  fresh(): Promise<Fresh | null>;
  /** `none`: this runtime keeps no inbox. */
  inbox(session: string, workspace: string | null): Promise<ReturnType<typeof inboxOf> | 'none'>;
  acknowledge(session: string, task: string): Promise<boolean>;
  /** What the panes show, the newest part of it. */
  output(panes: readonly string[]): Promise<string>;
  journal(turn: JournalTurnBody): Promise<{ durable: boolean; continuityId: string | null; final: boolean }>;
  registry(request: RegistryRequest): Promise<RegistryAnswer | null>;
}

export function createRuntimeDoor(native: NativePort, onAnswer: (reached: boolean) => void): RuntimeDoor {
  async function ask(...given: Parameters<NativePort['request']>): Promise<NativeAnswer> {
    const answer = await native.request(...given);
    if (answer.ok) onAnswer(true);
    else if (answer.error === 'extension_ipc_unavailable') onAnswer(false);
    return answer;
  }
  const post = (path: string, body: unknown, timeoutMs: number) => ask({ method: 'POST', path, body, timeoutMs });

  async function paneText(pane: string): Promise<string> {
    const params = JSON.stringify({ pane_id: pane, source: 'visible' });
    const call = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'herdr_call', arguments: { method: 'pane.read', params } },
    };
    const answer = await post('/mcp', call, REQUEST_MS.read);
    return answer.ok ? (paneTextOf(answer.body) ?? '') : '';
  }

  return {
    async fresh() {
      const answer = await ask({ method: 'GET', path: '/push/state', timeoutMs: REQUEST_MS.state });
      return answer.ok && answer.status === 200 ? freshOf(answer.body) : null;
    },
    async inbox(session, workspace) {
      const query = new URLSearchParams({ parent_session_ref: session, limit: '64' });
      if (workspace !== null) query.set('workspace_id', workspace);
      const path = `${EXTENSION_ROUTE.tasks}?${query}`;
      const answer = await ask({ method: 'GET', path, timeoutMs: REQUEST_MS.tasks });
      if (!answer.ok) return null;
      return answer.status === 404 ? 'none' : inboxOf(answer.body);
    },
    async acknowledge(session, task) {
      const answer = await post(
        EXTENSION_ROUTE.taskAck,
        { task_id: task, parent_session_ref: session },
        REQUEST_MS.ack,
      );
      return answer.ok && isObject(answer.body) && answer.body['ok'] === true;
    },
    async output(panes) {
      const texts = await Promise.all(panes.slice(0, PANES_READ_MAX).map(paneText));
      return texts
        .filter((text) => text !== '')
        .join('\n')
        .slice(-OUTPUT_CHARS_MAX);
    },
    async journal(turn) {
      const answer = await post('/extension/continuity/turn', turn, REQUEST_MS.turn);
      if (!answer.ok || !isObject(answer.body)) return { durable: false, continuityId: null, final: false };
      const id = answer.body['continuity_id'];
      const durable = answer.status === 200 && answer.body['ok'] === true;
      // A refusal with a code is the journal's last word: asking again with the same turn changes nothing.
      return { durable, continuityId: durable && typeof id === 'string' ? id : null, final: !durable };
    },
    async registry(request) {
      const answer = await post(EXTENSION_ROUTE.registry, request, REQUEST_MS.registry);
      return answer.ok && answer.status === 200 && isObject(answer.body) && 'ok' in answer.body
        ? (answer.body as unknown as RegistryAnswer)
        : null;
    },
  };
}
