/** What became of a call, asked through the tool that every host has. */
import { beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { Client, connectorsSeenBy } from '../auth/harness.ts';
import { FakeLink, toolResult } from '../workstation/fake-link.ts';
import { eventually, freshDispatchId, freshEdge, type Rig } from '../workstation/rig.ts';
import { bodyOf, call, rpc } from './client.ts';

let rig: Rig;
let token: string;
beforeEach(async () => {
  rig = await freshEdge();
  token = rig.token;
});

const STATUS = 'herdr_mcp.dispatch.status';

async function ask(params: Record<string, unknown> | string, who = token): Promise<Record<string, unknown>> {
  const text = typeof params === 'string' ? params : JSON.stringify(params);
  return bodyOf(await call('herdr_call', { method: STATUS, params: text }, { token: who }));
}

/** A link whose runtime knows nothing of the method, as an old one would. */
function answering(
  link: FakeLink,
  ledger: (params: Record<string, unknown>) => Record<string, unknown> | undefined,
): void {
  link.onCall = ({ call: envelope, args }) => {
    if (args.method !== STATUS) {
      link.answer(envelope.dispatch_id, toolResult({ ok: true, ran: true }));
      return;
    }
    const known = ledger(JSON.parse(String(args.params)));
    link.answer(envelope.dispatch_id, toolResult(known ?? { ok: false, code: 'unknown_local_method' }), {
      ok: known !== undefined,
    });
  };
}

const write = (key?: string, who = token) =>
  call(
    'herdr_exec_start',
    { root: '/r', command: 'echo', ...(key === undefined ? {} : { idempotency_key: key }) },
    { token: who },
  );

function idOf(answer: Awaited<ReturnType<typeof write>>): string {
  const id = (answer.message.result?._meta as { herdr?: { dispatch_id?: string } } | undefined)?.herdr?.dispatch_id;
  if (id === undefined) throw new Error(`no dispatch id: ${answer.text}`);
  return id;
}

const settled = (id: string) =>
  eventually(async () => {
    const body = await ask({ dispatch_id: id });
    const [entry] = body.dispatches as Array<Record<string, unknown>>;
    return entry?.state === 'settled' ? entry : undefined;
  }, 'the receipt');

describe('calls that never left the host', () => {
  it('are said never to have been received, with the time up to which that is known; each key then runs once', async () => {
    verifies('dispatch.receipts', 'edge.mcp-bad-input');
    const link = await FakeLink.connect(rig.device);
    answering(link, () => undefined);
    const posted = await Promise.all(Array.from({ length: 8 }, (_, i) => write(`k0${i + 1}`)));
    expect(posted.every((answer) => bodyOf(answer).ok === true)).toBe(true);
    const startedAtMs = Date.now();
    const missing = await ask({ idempotency_key: 'k09' });
    expect(missing).toMatchObject({
      ok: true,
      found: false,
      message: 'No dispatch with this key was received.',
      delivery: 'not_delivered',
    });
    expect(missing.looked_up_to_ms).toBeGreaterThanOrEqual(startedAtMs - 1000);
    const sent = link.calls.filter(({ call: { tool } }) => tool === 'herdr_exec_start');
    expect(sent).toHaveLength(8);
    const keys = sent.map(({ args }) => args.idempotency_key);
    // Only the digest of a key leaves the edge.
    expect(new Set(keys).size).toBe(8);
    for (const key of keys) expect(key).toMatch(/^sha256:[0-9a-f]{64}$/);
    await write('k09');
    expect(await ask({ idempotency_key: 'k09' })).toMatchObject({
      found: true,
      dispatches: [{ tool: 'herdr_exec_start' }],
    });
  });

  it('are told so also while the workstation is away', async () => {
    verifies('dispatch.receipts');
    expect(await ask({ idempotency_key: 'k01' })).toMatchObject({ found: false, delivery: 'not_delivered' });
    expect(await ask({ dispatch_id: freshDispatchId() })).toMatchObject({ found: false });
  });
});

describe('a dispatch that was received', () => {
  it('is found by id and key after its workstation went away, with what the edge saw', async () => {
    verifies('dispatch.receipts');
    const link = await FakeLink.connect(rig.device);
    answering(link, () => undefined);
    const id = idOf(await write('k1'));
    expect(await settled(id)).toMatchObject({
      dispatch_id: id,
      device_id: rig.device.deviceId,
      delivery: 'delivered',
      call_ok: true,
      tool: 'herdr_exec_start',
    });
    await link.cut();
    const body = await ask({ idempotency_key: 'k1' });
    expect(body).toMatchObject({ found: true, dispatches: [{ dispatch_id: id, delivery: 'delivered' }] });
    expect(body.ledger).toContain('receipts of the edge');
  });

  it('is merged with what the runtime’s ledger says, whose word on what ran is the better one', async () => {
    verifies('dispatch.receipts');
    const link = await FakeLink.connect(rig.device);
    const id = { value: '' };
    answering(link, (params) => ({
      ok: true,
      dispatches: [
        { dispatch_id: params.dispatch_id ?? id.value, state: 'succeeded', delivery: 'delivered', session_id: 's1' },
      ],
    }));
    id.value = idOf(await write('k1'));
    for (const params of [{ dispatch_id: id.value }, { last: 3 }, {}]) {
      const body = await ask(params);
      expect(body.dispatches).toMatchObject([
        { dispatch_id: id.value, state: 'succeeded', session_id: 's1', tool: 'herdr_exec_start' },
      ]);
      expect(body).not.toHaveProperty('ledger');
    }
    const forwarded = link.calls.filter(({ args }) => args.method === STATUS);
    expect(forwarded.length).toBeGreaterThan(0);
    expect(forwarded.every(({ call: envelope }) => envelope.class === 'read')).toBe(true);
  });

  it('gives what the call answered, which its caller may never have heard', async () => {
    verifies('dispatch.receipts');
    const link = await FakeLink.connect(rig.device);
    const result = { ok: true, path: '/r/worktree' };
    answering(link, ({ dispatch_id, last }) => {
      const entry = { dispatch_id: dispatch_id ?? id, state: 'settled', delivery: 'delivered', call_ok: true };
      return last === undefined
        ? { ok: true, found: true, dispatch: entry, result }
        : { ok: true, dispatches: [entry] };
    });
    const id = idOf(await write('k1'));
    for (const params of [{ dispatch_id: id }, { idempotency_key: 'k1' }])
      expect((await ask(params)).dispatches).toMatchObject([{ dispatch_id: id, call_ok: true, result }]);
    expect((await ask({ last: 1 })).dispatches).not.toMatchObject([{ result }]);
  });

  it('says what to do while its outcome is not known, and no more when it is', async () => {
    verifies('dispatch.receipts');
    const link = await FakeLink.connect(rig.device);
    const ledger = { known: undefined as Record<string, unknown> | undefined };
    link.onCall = ({ call: envelope, args }) => {
      if (args.method !== STATUS) return; // it runs and does not end
      const { known } = ledger;
      link.answer(envelope.dispatch_id, toolResult({ ok: true, found: known !== undefined, dispatch: known }));
    };
    void write('k1');
    const { call: sent } = await link.nextCall();
    const id = sent.dispatch_id;
    const entry = async () => ((await ask({ dispatch_id: id })).dispatches as Record<string, unknown>[])[0];
    expect(await entry()).toMatchObject({ state: 'sent', next: expect.stringContaining('do not send it again') });
    ledger.known = { dispatch_id: id, state: 'running', delivery: 'unknown' };
    expect(await entry()).toMatchObject({ state: 'running', next: expect.stringContaining('still runs') });
    ledger.known = { dispatch_id: id, state: 'interrupted', delivery: 'unknown', code: 'interrupted', call_ok: false };
    expect(await entry()).toMatchObject({ next: expect.stringContaining('Look at what it was to change') });
    ledger.known = { dispatch_id: id, state: 'settled', delivery: 'delivered', call_ok: true };
    expect(await entry()).not.toHaveProperty('next');
    await link.cut();
    expect(await entry()).toMatchObject({ state: 'sent', next: expect.stringContaining('when the workstation') });
  });

  it('is nobody else’s to see', async () => {
    verifies('dispatch.receipts');
    const link = await FakeLink.connect(rig.device);
    answering(link, () => undefined);
    const id = idOf(await write('k1'));
    const { access_token: other } = await (await Client.register()).connect(rig.device);
    expect(await ask({ dispatch_id: id }, other)).toMatchObject({ found: false });
    expect(await ask({ idempotency_key: 'k1' }, other)).toMatchObject({ found: false });
    expect(await ask({}, other)).toMatchObject({ found: false, dispatches: [] });
  });
});

describe('a question that is none', () => {
  it.each([
    ['not json', 'invalid_params_json'],
    ['[]', 'invalid_params_json'],
    ['{"dispatch_id":"d_1"}', 'invalid_params'],
    ['{"last":0}', 'invalid_params'],
    ['{"last":1000}', 'invalid_params'],
    ['{"idempotency_key":""}', 'invalid_params'],
    ['{"last":1,"dispatch_id":"d_00000000000000000000000000000000"}', 'invalid_params'],
    ['{"color":"red"}', 'invalid_params'],
  ])('%s → %s', async (params, code) => {
    expect(await ask(params)).toMatchObject({ ok: false, code });
  });
});

describe('a revoked connector', () => {
  it('is 401 with the challenge on its very next call, whoever remembered its token; another one lives on', async () => {
    verifies('oauth.revocation');
    const link = await FakeLink.connect(rig.device);
    answering(link, () => undefined);
    const { access_token: other } = await (await Client.register()).connect(rig.device);
    expect(bodyOf(await call('herdr_fs_read', { path: '/a' }, { token }))).toMatchObject({ ok: true });
    const { connectors } = await connectorsSeenBy(rig.device);
    const principal = link.calls[0]?.call.principal.id;
    expect(connectors.map(({ connector_id }) => connector_id)).toContain(principal);
    const before = link.calls.length;
    const revoked = await rig.device.post('/connectors/revoke', { connector_id: principal });
    expect(await revoked.json()).toMatchObject({ ok: true, confirmed_by: [rig.device.deviceId] });
    for (let i = 0; i < 2; i++) {
      const refused = await call('herdr_fs_read', { path: '/a' }, { token });
      expect(refused.status).toBe(401);
      expect(refused.headers.get('www-authenticate')).toContain('error="invalid_token"');
    }
    expect((await rpc('tools/list', {}, { token })).status).toBe(401);
    expect((await call('herdr_call', { method: STATUS, params: '{}' }, { token })).status).toBe(401);
    expect(link.calls.length).toBe(before);
    expect(bodyOf(await call('herdr_fs_read', { path: '/a' }, { token: other }))).toMatchObject({ ok: true });
  });
});

describe('a revoked connector whose token an isolate still remembers', () => {
  it.each<[string, string, Record<string, unknown>]>([
    ['the list of devices', 'herdr_devices', {}],
    ['an unknown tool', 'herdr_nothing', {}],
    ['administration', 'herdr_call', { method: 'herdr_mcp.device.revoke', params: '{}' }],
    ['fleet control', 'herdr_call', { method: 'herdr_mcp.work_chain.create', params: '{}' }],
    ['a device that is not there', 'herdr_fs_read', { path: '/a', device: 'nobody' }],
    ['a receipt', 'herdr_call', { method: STATUS, params: '{"last":1}' }],
  ])('gets 401 for %s, although the edge answers that alone', async (_what, tool, args) => {
    verifies('oauth.revocation');
    const link = await FakeLink.connect(rig.device);
    answering(link, () => undefined);
    await call('herdr_fs_read', { path: '/a' }, { token });
    const principal = link.calls[0]?.call.principal.id;
    await rig.device.post('/connectors/revoke', { connector_id: principal });
    const refused = await call(tool, args, { token });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toContain('error="invalid_token"');
  });
});

describe('while no workstation is connected', () => {
  it('everything frozen is answered, and a call says not_delivered and what to do', async () => {
    verifies('main.offline-list');
    expect((await rpc('tools/list', {}, { token })).message.result?.tools).toHaveLength(19);
    expect(bodyOf(await call('herdr_devices', {}, { token }))).toMatchObject({ devices: [{ connection: 'offline' }] });
    const answer = await call('herdr_fs_read', { path: '/a' }, { token });
    expect(answer.message.result?.isError).toBe(true);
    expect(bodyOf(answer)).toMatchObject({ code: 'workstation_offline', delivery: 'not_delivered', retryable: true });
    expect(String(bodyOf(answer).next)).toContain('`npm start` in its clone');
  });
});
