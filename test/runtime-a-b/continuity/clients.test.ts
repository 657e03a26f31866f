import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { newId, type TestRuntime, testRuntime } from '../support/index.ts';

let rt: TestRuntime;
beforeAll(async () => {
  rt = await testRuntime();
});
afterAll(() => rt.end());

const P = { project_ref: 'herdr', repo_id: 'github.com/o/r', work_chain_id: 'two-chats' };

type Answer = Record<string, unknown>;
const textOf = (result: unknown): Answer =>
  JSON.parse((result as { content: { text: string }[] }).content[0]?.text ?? '{}') as Answer;

describe('two conversations, two clients', () => {
  it('the second resumes what the first left, from the handoff’s own words', async () => {
    verifies('continuity.journal', 'continuity.resolve', 'memory.checkpoints');
    const url = new URL(`${rt.url}/mcp`);
    const requestInit = { headers: { authorization: `Bearer ${rt.token}` } };
    const first = new Client({ name: 'first chat', version: '1' });
    await first.connect(new StreamableHTTPClientTransport(url, { requestInit }));
    const call = async (method: string, params: Answer, idempotency_key?: string) =>
      textOf(
        await first.callTool({
          name: 'herdr_call',
          arguments: { method, params: JSON.stringify(params), ...(idempotency_key ? { idempotency_key } : {}) },
        }),
      );
    const bound = await call('work_memory.bind', { ...P, provider: 'claude', session_ref: 'chat-1' });
    expect(bound).toMatchObject({ ok: true, created: true });
    const say = { ...P, provider: 'claude', session_ref: 'chat-1' };
    const turn = await call('work_memory.append_turn', {
      ...say,
      role: 'user',
      text: 'パーサーを書いて 🚀',
      provider_message_ref: 'm1',
    });
    await call('work_memory.append_turn', {
      ...say,
      role: 'assistant',
      text: 'Done.\nNext step: write tests',
      provider_message_ref: 'm2',
    });
    const checkpoint = {
      ...P,
      expected_checkpoint_revision: 0,
      summary: 'The parser exists.',
      checkpoint_json: '{"goal":"a parser","finished":["grammar"]}',
      through_message_id: turn.message_id,
    };
    // The answer is lost; the same call with the same key gets it again, and nothing is written twice.
    const put = await call('work_memory.checkpoint.put', checkpoint, 'key-1');
    expect(put).toMatchObject({ ok: true, checkpoint_revision: 1 });
    const again = await call('work_memory.checkpoint.put', checkpoint, 'key-1');
    expect(again).toMatchObject({ ok: true, checkpoint_revision: 1, idempotent_replay: true });
    const stale = await call(
      'work_memory.checkpoint.put',
      { ...checkpoint, summary: 'Planned on revision 0.' },
      'key-2',
    );
    expect(stale).toMatchObject({
      ok: false,
      code: 'work_memory_checkpoint_revision_conflict',
      delivery: 'not_delivered',
    });
    const handoff = await call('herdr_mcp.browser_handoff.prepare', {
      continuity_id: bound.continuity_id,
      source_url: 'https://claude.ai/chat/6861b2f4-90c0-8003-b7ae-1f0d5c2a9e11',
    });
    const { message } = handoff.handoff as { message: string };
    await first.close();

    // A new conversation knows only the message.
    const second = new ClientV1({ name: 'second chat', version: '1' });
    await second.connect(new TransportV1(url, { requestInit }) as Parameters<ClientV1['connect']>[0]);
    const [, method, params] = /method "([^"]+)" and params ("(?:[^"\\]|\\.)*")/.exec(message) ?? [];
    const resumed = textOf(
      await second.callTool({ name: 'herdr_call', arguments: { method, params: JSON.parse(params ?? '""') } }),
    );
    expect(resumed).toMatchObject({
      ok: true,
      continuity_id: bound.continuity_id,
      history: true,
      checkpoint: { checkpoint_revision: 1, summary: 'The parser exists.' },
      work_state: {
        current: false,
        goal: { source: 'checkpoint', values: ['a parser'] },
        next_step: { source: 'tail', values: ['write tests'] },
        open: { source: 'missing' },
      },
      turns: [{ role: 'user', text: 'パーサーを書いて 🚀' }, { role: 'assistant' }],
    });
    const found = textOf(
      await second.callTool({
        name: 'herdr_call',
        arguments: { method: 'work_memory.search', params: JSON.stringify({ ...P, query: 'パーサー' }) },
      }),
    );
    expect(found.hits).toHaveLength(1);
    await second.close();
  });

  it('stands in the ledger like every other write, and a refused one frees its key', async () => {
    const params = JSON.stringify({ ...P, work_chain_id: 'ledger' });
    const dispatch_id = newId();
    const args = { method: 'work_memory.bind', params, idempotency_key: 'k' };
    const { envelope, json } = await rt.call('herdr_call', args, { dispatch_id });
    expect(envelope).toMatchObject({ ok: true, delivery: 'delivered' });
    const status = await rt.call('herdr_call', {
      method: 'herdr_mcp.dispatch.status',
      params: JSON.stringify({ dispatch_id }),
    });
    expect(JSON.stringify(status.json)).toContain('"delivered"');
    expect((await rt.call('herdr_call', args, { dispatch_id })).json.continuity_id).toBe(json.continuity_id);
    const wrong = { method: 'work_memory.bind', params: '{"project_ref":""}', idempotency_key: 'k2' };
    expect((await rt.call('herdr_call', wrong)).envelope).toMatchObject({
      ok: false,
      delivery: 'not_delivered',
      code: 'invalid_params',
    });
    expect((await rt.call('herdr_call', { ...args, idempotency_key: 'k2' })).envelope.ok).toBe(true);
  });

  it('reads are reads and writes are writes, for a connector that may only read', async () => {
    const principal = { kind: 'connector', id: 'conn_r', label: 'r', read_only: true } as const;
    const read = await rt.call('herdr_call', { method: 'continuity.list' }, { principal });
    expect(read.envelope.ok).toBe(true);
    const write = await rt.call('herdr_call', { method: 'work_memory.bind', params: JSON.stringify(P) }, { principal });
    expect(write.envelope).toMatchObject({ ok: false, code: 'connector_read_only', delivery: 'not_delivered' });
    const prepare = await rt.call(
      'herdr_call',
      {
        method: 'herdr_mcp.browser_handoff.prepare',
        params: '{"continuity_id":"hc:none","source_url":"https://chatgpt.com/c/abcdefgh"}',
      },
      { principal },
    );
    expect(prepare.envelope.code).toBe('continuity_not_found');
  });

  it('lists its methods with plain schemas', async () => {
    const { json } = await rt.call('herdr_methods', { query: 'work_memory' });
    const methods = json.methods as { method: string; params: object }[];
    expect(methods.map(({ method }) => method)).toEqual(
      expect.arrayContaining(['work_memory.bind', 'work_memory.checkpoint.put', 'work_memory.search']),
    );
    expect(JSON.stringify(methods)).not.toMatch(/\$ref|\$defs|propertyNames|exclusiveMinimum/);
  });
});
