import { afterAll, beforeAll, expect, it } from 'vitest';
import { LOCAL_MCP_PATH } from '../../../contract/browser/methods.ts';
import { EXTENSION_ROUTE } from '../../../contract/extension/index.ts';
import { NATIVE_PATHS } from '../../../contract/extension/native.ts';
import { verifies } from '../../verifies.ts';
import { ask, socketOf } from '../http/extension/client.ts';
import { type TestRuntime, testRuntime } from '../support/index.ts';

let rt: TestRuntime;
beforeAll(async () => {
  rt = await testRuntime();
});
afterAll(() => rt?.end());

const message = (method: string, params: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'herdr_call', arguments: { method, params: JSON.stringify(params) } },
});
const answerOf = (body: unknown): Record<string, unknown> => {
  const { result } = body as { result: { content: { text: string }[] } };
  return JSON.parse(result.content[0]?.text ?? '') as Record<string, unknown>;
};
const overSocket = async (path: string, method: string, params: object) =>
  answerOf(
    (
      await ask(socketOf(rt.stateDir), path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(message(method, params)),
      })
    ).body,
  );
const overTcp = async (method: string, params: object) =>
  answerOf(
    await (
      await rt.fetch('/mcp', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(message(method, params)),
      })
    ).json(),
  );

const CREATE = {
  source_url: 'https://chatgpt.com/c/6789abcd-0000-4000-8000-000000000001',
  message: 'Go on.',
  idempotency_key: 'k',
};
const METHOD = 'herdr_mcp.browser_session.create';

it('only the private socket, past what the native host forwards, brings a grant', async () => {
  verifies('bridge.local-agents');
  expect([...NATIVE_PATHS.keys()]).not.toContain(LOCAL_MCP_PATH);
  expect(NATIVE_PATHS.get(EXTENSION_ROUTE.actuation)).toEqual(['POST']);
  // Nothing is registered, so whoever has the grant is told that the chat is not known.
  expect(await overSocket(LOCAL_MCP_PATH, METHOD, CREATE)).toMatchObject({
    ok: false,
    code: 'browser_resource_not_found',
    delivery: 'not_delivered',
  });
  expect(await overSocket('/mcp', METHOD, CREATE)).toMatchObject({ code: 'caller_grant_missing' });
  expect(await overTcp(METHOD, CREATE)).toMatchObject({ code: 'caller_grant_missing' });
  expect(
    (await rt.fetch(LOCAL_MCP_PATH, { method: 'POST', body: JSON.stringify(message(METHOD, CREATE)) })).status,
  ).toBe(404);
  // The link's own route carries a principal that it was told: what it says of itself is no grant.
  for (const id of ['cli', 'extension']) {
    const principal = { kind: 'local' as const, id, label: 'x' };
    const { json } = await rt.call('herdr_call', { method: METHOD, params: JSON.stringify(CREATE) }, { principal });
    expect(json).toMatchObject({ ok: false, code: 'caller_grant_missing' });
  }
});

it('a forbidden input is refused by its name, before anything is held against a schema', async () => {
  for (const name of ['selector', 'rawUrl', 'js']) {
    expect(await overSocket(LOCAL_MCP_PATH, METHOD, { ...CREATE, [name]: 'x' })).toMatchObject({
      ok: false,
      code: 'browser_forbidden_input',
    });
  }
  expect(await overSocket(LOCAL_MCP_PATH, METHOD, { ...CREATE, colour: 'x' })).toMatchObject({
    code: 'invalid_params',
  });
});

it('an extension’s body that fits no operation is refused, and what nobody asked for is not there', async () => {
  const post = (body: object) =>
    ask(socketOf(rt.stateDir), EXTENSION_ROUTE.actuation, { method: 'POST', body: JSON.stringify(body) });
  expect((await post({ operation: 'actuation.run', script: 'x' })).status).toBe(400);
  expect((await post({ operation: 'actuation.pending', endpoint_ref: `bep_${'0'.repeat(32)}`, url: 'x' })).status).toBe(
    400,
  );
  expect((await post({ operation: 'actuation.pending', endpoint_ref: `bep_${'0'.repeat(32)}` })).body).toEqual({
    ok: true,
    waiting: [],
  });
});

it('a chat is named by its current user message through the doors of callers, and never over TCP', async () => {
  verifies('bridge.archive-self');
  const ARCHIVE = 'herdr_mcp.browser_session.archive';
  const words = { current_user_message: 'Archive this chat.', idempotency_key: 'k-archive' };
  const unknown = { ok: false, code: 'browser_resource_not_found', delivery: 'not_delivered' };
  expect(await overSocket(LOCAL_MCP_PATH, ARCHIVE, words)).toMatchObject(unknown);
  expect(await overTcp(ARCHIVE, words)).toMatchObject({ code: 'caller_grant_missing' });
  expect(await overSocket(LOCAL_MCP_PATH, ARCHIVE, { ...words, session_ref: `br_${'0'.repeat(64)}` })).toMatchObject({
    code: 'invalid_params',
  });
  expect(await overSocket(LOCAL_MCP_PATH, ARCHIVE, { ...words, url: 'https://chatgpt.com/' })).toMatchObject({
    code: 'browser_forbidden_input',
  });
  const principal = { kind: 'connector' as const, id: 'conn_archive', label: 'x' };
  const asked = () => rt.call('herdr_call', { method: ARCHIVE, params: JSON.stringify(words) }, { principal });
  expect((await asked()).json).toMatchObject({ ok: false, code: 'caller_grant_missing' });
  await overSocket(LOCAL_MCP_PATH, 'herdr_mcp.browser_grant.put', { connector_id: principal.id });
  expect((await asked()).json).toMatchObject(unknown);
});
