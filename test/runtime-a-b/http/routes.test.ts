import { readFileSync, statSync } from 'node:fs';
import { request as rawRequest } from 'node:http';
import { join } from 'node:path';
import * as Value from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { CURRENT_RUNTIME } from '../../../contract/epochs/index.ts';
import { BODY_BYTES_MAX } from '../../../contract/limits.ts';
import { Held, packHead, RuntimeFacts } from '../../../contract/link/index.ts';
import { readRecord } from '../../../runtime-a-b/generations/index.ts';
import { verifies } from '../../verifies.ts';
import { callOver, envelopeFor, newId, readCalled, snapshotOf, until } from '../support/index.ts';
import { herdr, rt } from './runtime.ts';

/** A request with headers that fetch would not send. */
function raw(path: string, headers: Record<string, string>, method = 'GET'): Promise<number> {
  return new Promise((resolve, reject) => {
    const { port } = rt.runtime.record;
    const request = rawRequest({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0));
    });
    request.once('error', reject).end();
  });
}

const auth = () => ({ authorization: `Bearer ${rt.token}` });
const post = (path: string, body: unknown) => rt.fetch(path, { method: 'POST', body: JSON.stringify(body) });

describe('the loopback port', () => {
  it('asks everybody for the bearer, this machine’s Host and no foreign Origin, except at /health', async () => {
    verifies('runtime.loopback');
    const own = `127.0.0.1:${rt.runtime.record.port}`;
    for (const path of ['/facts', '/held', '/mcp', '/call', '/nothing']) {
      expect([path, await raw(path, {})]).toEqual([path, 401]);
      expect([path, await raw(path, { authorization: 'Bearer wrong' })]).toEqual([path, 401]);
      expect([path, await raw(path, { ...auth(), host: `evil.example:${rt.runtime.record.port}` })]).toEqual([
        path,
        403,
      ]);
      expect([path, await raw(path, { ...auth(), host: own, origin: 'https://evil.example' })]).toEqual([path, 403]);
    }
    expect(await raw('/facts', { ...auth(), host: own, origin: `http://${own}` })).toBe(200);
    expect(await raw('/health', {})).toBe(200);
    expect(await raw('/nothing', auth())).toBe(404);
  });

  it('keeps its token in a private file and never says it', async () => {
    const file = join(rt.stateDir, 'runtime-token');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const texts = await Promise.all(['/health', '/facts', '/held'].map(async (path) => (await rt.fetch(path)).text()));
    expect(texts.join()).not.toContain(readFileSync(file, 'utf8').trim());
  });

  it('says who it is, in the record and in its facts', async () => {
    const facts: unknown = await (await rt.fetch('/facts')).json();
    expect(Value.Check(RuntimeFacts, facts)).toBe(true);
    expect(facts).toMatchObject({
      generation: 'a',
      contract_epoch: CURRENT_RUNTIME.epoch,
      contract_hash: CURRENT_RUNTIME.hash,
    });
    expect(await readRecord(rt.stateDir, 'a')).toMatchObject({ pid: process.pid, port: rt.runtime.record.port });
    expect(await (await fetch(`${rt.url}/health`)).json()).toMatchObject({ ok: true, generation: 'a', active: 0 });
  });
});

describe('POST /call', () => {
  it('answers a packed result whose bytes are the MCP result, once serialised', async () => {
    const { envelope, result, json } = await rt.call('herdr_inspect');
    expect(envelope).toMatchObject({ ok: true, delivery: 'delivered' });
    expect(Object.keys(result)).toEqual(['content', 'isError']);
    expect(result.isError).toBe(false);
    expect(json).toMatchObject({ ok: true, workspaces: [] });
    expect(envelope.size).toBe(Buffer.byteLength(JSON.stringify(result)));
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['herdr_nothing', {}, 'unknown_tool'],
    ['herdr_inspect', { cursor: 5 }, 'invalid_params'],
    ['herdr_inspect', { nonsense: 1 }, 'invalid_params'],
    ['herdr_since', { cursor: -1 }, 'invalid_params'],
    ['herdr_prompt', { target: 'a' }, 'invalid_params'],
    ['herdr_prompt', { target: 'a', text: 'x', wait: { until: ['happy'] } }, 'invalid_params'],
    ['herdr_call', {}, 'invalid_params'],
  ])('refuses %s %j with %s; nothing was run and nothing recorded', async (tool, args, code) => {
    const { envelope, result, json } = await rt.call(tool, args);
    expect(envelope).toMatchObject({ ok: false, code, delivery: 'not_delivered' });
    expect(result.isError).toBe(true);
    expect(json).toMatchObject({
      ok: false,
      code,
      delivery: 'not_delivered',
      retryable: false,
      dispatch_id: envelope.dispatch_id,
    });
    expect(json.message).toMatch(/Nothing was run/);
    expect(json.next).toBeTruthy();
    expect((await rt.call('herdr_call', status({ dispatch_id: envelope.dispatch_id }))).json.found).toBe(false);
  });

  it('refuses a call of a contract that it does not know yet', async () => {
    const { json } = await rt.call('herdr_inspect', {}, { contract_epoch: 6 });
    expect(json).toMatchObject({ code: 'contract_mismatch', delivery: 'not_delivered' });
  });

  it.each([['[1,2]'], ['"text"'], ['{"a":'], ['']])('refuses arguments that are %j', async (text) => {
    const { json } = await callOver(rt.fetch, envelopeFor('herdr_inspect', {}), text);
    expect(json).toMatchObject({ code: 'invalid_params', delivery: 'not_delivered' });
  });

  it('answers what is no packed call with a plain error', async () => {
    expect((await rt.fetch('/call', { method: 'POST', body: 'x' })).status).toBe(400);
    expect((await rt.fetch('/call', { method: 'POST', body: Buffer.alloc(64) })).status).toBe(400);
    const bad = packHead({ ...envelopeFor('herdr_inspect', {}), dispatch_id: 'd_nonsense' });
    expect((await rt.fetch('/call', { method: 'POST', body: bad })).status).toBe(400);
    expect((await rt.fetch('/call', { method: 'POST', body: Buffer.alloc(2 * BODY_BYTES_MAX) })).status).toBe(413);
  });

  it('takes a write for a write although it is announced as a read', async () => {
    const args = { method: 'pane.close', params: '{"pane_id":"w1:p1"}' };
    const readOnly = { kind: 'connector', id: 'conn_ro', label: 'x', read_only: true } as const;
    const { json } = await rt.call('herdr_call', args, { class: 'read', principal: readOnly });
    expect(json.code).toBe('connector_read_only');
  });

  it('goes on when its connection closes, and can be joined again', async () => {
    verifies('runtime.call-join');
    let open: () => void = () => {};
    let asked = 0;
    herdr.methods['workspace.list'] = async () => {
      asked += 1;
      await new Promise<void>((resolve) => {
        open = resolve;
      });
      return { type: 'workspace_list', workspaces: [] };
    };
    const args = { method: 'workspace.list' };
    const envelope = envelopeFor('herdr_call', args);
    const abort = new AbortController();
    const body = Buffer.concat([packHead(envelope), Buffer.from(JSON.stringify(args))]);
    const first = rt.fetch('/call', { method: 'POST', body, signal: abort.signal }).catch((error: unknown) => error);
    await until('the call', () => asked === 1);
    abort.abort();
    expect(await first).toBeInstanceOf(Error);
    const held = (await (await rt.fetch('/held')).json()) as Held;
    expect(Value.Check(Held, held)).toBe(true);
    expect(held.held).toContainEqual({ dispatch_id: envelope.dispatch_id, state: 'running', class: 'read' });
    const again = callOver(rt.fetch, envelope, args);
    const waiting = rt.fetch(`/held/${envelope.dispatch_id}`);
    open();
    expect((await again).json).toMatchObject({ ok: true, result: { type: 'workspace_list' } });
    expect((await readCalled(await waiting)).envelope.ok).toBe(true);
    expect(asked).toBe(1);
    await post('/ack', { dispatch_ids: [envelope.dispatch_id, newId()] });
    expect((await rt.fetch(`/held/${envelope.dispatch_id}`)).status).toBe(404);
  });

  it('is stopped by POST /cancel alone', async () => {
    let asked = 0;
    herdr.methods['tab.list'] = () => {
      asked += 1;
      return undefined;
    };
    const args = { method: 'tab.list' };
    const envelope = envelopeFor('herdr_call', args);
    const call = callOver(rt.fetch, envelope, args);
    await until('the call', () => asked === 1);
    expect(await (await post('/cancel', { dispatch_id: newId() })).json()).toEqual({ ok: true, cancelled: false });
    expect(await (await post('/cancel', { dispatch_id: envelope.dispatch_id })).json()).toEqual({
      ok: true,
      cancelled: true,
    });
    expect((await call).json.ok).toBe(false);
    expect((await post('/cancel', { dispatch_id: 'nonsense' })).status).toBe(400);
  });

  it('refuses a revoked connector from its very next call', async () => {
    const principal = { kind: 'connector', id: 'conn_gone', label: 'x' } as const;
    expect((await rt.call('herdr_inspect', {}, { principal })).json.ok).toBe(true);
    expect((await post('/revoke', { connector_id: 'conn_gone' })).status).toBe(204);
    expect((await rt.call('herdr_inspect', {}, { principal })).json.code).toBe('connector_revoked');
  });

  it('lists more than ten calls at once without letting one wait for another', async () => {
    herdr.methods['session.snapshot'] = () => snapshotOf();
    const answers = await Promise.all(Array.from({ length: 14 }, () => rt.call('herdr_inspect')));
    expect(answers.every(({ json }) => json.ok === true)).toBe(true);
  });
});

const status = (params: object) => ({ method: 'herdr_mcp.dispatch.status', params: JSON.stringify(params) });

describe('herdr_mcp.dispatch.status', () => {
  it('finds a write by id, by key and among the last, and says when a key never came', async () => {
    verifies('dispatch.receipts');
    herdr.methods['pane.send_text'] = () => ({ type: 'ok' });
    const args = { method: 'pane.send_text', params: '{"pane_id":"w1:p1","text":"x"}', idempotency_key: 'k-status' };
    const { envelope } = await rt.call('herdr_call', args);
    const byId = await rt.call('herdr_call', status({ dispatch_id: envelope.dispatch_id }));
    expect(byId.json).toMatchObject({
      found: true,
      dispatch: {
        dispatch_id: envelope.dispatch_id,
        method: 'pane.send_text',
        target: 'w1:p1',
        state: 'settled',
        delivery: 'delivered',
        call_ok: true,
      },
      result: { ok: true, method: 'pane.send_text' },
    });
    expect((await rt.call('herdr_call', status({ idempotency_key: 'k-status' }))).json).toMatchObject({ found: true });
    expect((await rt.call('herdr_call', status({ last: 1 }))).json).toMatchObject({
      dispatches: [{ dispatch_id: envelope.dispatch_id }],
    });
    expect((await rt.call('herdr_call', status({ idempotency_key: 'never' }))).json).toMatchObject({
      ok: true,
      found: false,
      message: 'no dispatch with this key was received',
      looked_up_at_ms: expect.any(Number),
    });
  });

  it('shows a connection its own calls only', async () => {
    const mine = await rt.call('herdr_call', { method: 'pane.send_text', params: '{"pane_id":"w1:p1","text":"y"}' });
    const principal = { kind: 'connector', id: 'conn_other', label: 'x' } as const;
    const theirs = await rt.call('herdr_call', status({ dispatch_id: mine.envelope.dispatch_id }), { principal });
    expect(theirs.json.found).toBe(false);
    expect((await rt.call('herdr_call', status({}), { principal })).json.dispatches).toEqual([]);
  });

  it('refuses two questions at once and parameters that it does not know', async () => {
    expect((await rt.call('herdr_call', status({ last: 1, dispatch_id: 'x' }))).json.code).toBe('invalid_params');
    expect((await rt.call('herdr_call', status({ nope: 1 }))).json.code).toBe('invalid_params');
  });
});
