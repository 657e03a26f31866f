/** `herdr-mcp connector` and `herdr-mcp worker` against an edge that plays along. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { verifies } from '../verifies.ts';
import { DEVICE, type FakeEdge, fakeEdge } from './fake-edge.ts';
import { CONNECTOR, listed, request } from './sign-ins.ts';

let edge: FakeEdge;
afterEach(() => edge.close());

const refusal = (status: number, code: string, message: string) => ({
  status,
  body: { ok: false, code, message, next: 'Type it again.', retryable: false },
});

describe('herdr-mcp connector', () => {
  it('lists who asks and who may, as this device', async () => {
    verifies('cli.connector');
    edge = await fakeEdge();
    edge.answers['GET /connectors'] = listed(request(1));
    const { code, out } = await edge.cli(['connector', 'list']);
    expect(code).toBe(0);
    expect(out).toContain('req_0000000000000001  unverified: "Some AI"  ai.example  mcp     1 min');
    expect(out).toContain(CONNECTOR.connector_id);
    expect(edge.asked).toEqual([{ method: 'GET', path: '/connectors', body: undefined, device: DEVICE }]);
  });

  it('approves the only one that waits, with the code from stdin and what it may', async () => {
    verifies('cli.connector');
    edge = await fakeEdge();
    edge.answers['GET /connectors'] = listed(request(1));
    edge.answers['POST /connectors/approve'] = { body: { ok: true, connector: CONNECTOR } };
    const { code, out, err } = await edge.cli(
      ['connector', 'approve', '--code-stdin', '--read-only', '--label', 'my AI'],
      '123 456\n',
    );
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(edge.asked[1]?.body).toEqual({
      request_id: 'req_0000000000000001',
      code: '123456',
      read_only: true,
      label: 'my AI',
    });
    expect(out).toContain('Approved: Some AI');
    expect(err).toContain('ai.example');
  });

  it('chooses none of several, and approves the one that is named', async () => {
    edge = await fakeEdge();
    edge.answers['GET /connectors'] = listed(request(1), request(2));
    edge.answers['POST /connectors/approve'] = { body: { ok: true, connector: CONNECTOR } };
    const first = await edge.cli(['connector', 'approve', '--code-stdin'], '123456\n');
    expect(first.code).toBe(2);
    expect(first.err).toContain('Name one: --request');
    expect(edge.asked).toHaveLength(1);
    const second = await edge.cli(
      ['connector', 'approve', '--request', 'req_0000000000000002', '--code-stdin'],
      '123456',
    );
    expect(second.code).toBe(0);
    expect(edge.asked.at(-1)?.body).toMatchObject({ request_id: 'req_0000000000000002' });
  });

  it('tells a wrong code with the edge’s own sentence, and sends nothing that is no code', async () => {
    edge = await fakeEdge();
    edge.answers['GET /connectors'] = listed(request(1));
    edge.answers['POST /connectors/approve'] = refusal(403, 'invalid_code', 'The code is wrong; 4 tries are left.');
    const wrong = await edge.cli(['connector', 'approve', '--code-stdin'], '000000\n');
    expect(wrong).toMatchObject({ code: 1, out: '' });
    expect(wrong.err).toContain('Nothing was approved: The code is wrong; 4 tries are left. Type it again.');
    const sent = edge.asked.length;
    const none = await edge.cli(['connector', 'approve', '--code-stdin'], 'hello\n');
    expect(none).toMatchObject({ code: 2, err: expect.stringContaining('six digits') });
    expect(edge.asked.slice(sent).every(({ path }) => path === '/connectors')).toBe(true);
  });

  it('asks for the code only at a terminal, and takes it from no argument', async () => {
    edge = await fakeEdge();
    edge.answers['GET /connectors'] = listed(request(1));
    const noTerminal = await edge.cli(['connector', 'approve']);
    expect(noTerminal).toMatchObject({ code: 2, err: expect.stringContaining('--code-stdin') });
    const onArgv = await edge.cli(['connector', 'approve', '--code', '123456']);
    expect(onArgv).toMatchObject({ code: 2, err: expect.stringContaining('no option --code') });
  });

  it('says so when nobody waits', async () => {
    edge = await fakeEdge();
    edge.answers['GET /connectors'] = listed();
    const { code, err } = await edge.cli(['connector', 'approve', '--code-stdin'], '123456\n');
    expect(code).toBe(1);
    expect(err).toContain('No sign-in waits for approval.');
  });

  it.each([['deny'], ['revoke'], ['deny', 'conn_1'], ['revoke', 'Claude']])(
    'says where to find the id that %s needs',
    async (...words) => {
      expect(await edge.cli(['connector', ...words])).toMatchObject({
        code: 2,
        err: expect.stringContaining('herdr-mcp connector list'),
      });
    },
  );

  it('denies and revokes by id', async () => {
    verifies('cli.connector');
    edge = await fakeEdge();
    edge.answers['POST /connectors/deny'] = { body: { ok: true, request: { ...request(1), state: 'denied' } } };
    edge.answers['POST /connectors/revoke'] = {
      body: { ok: true, connector: { ...CONNECTOR, state: 'revoked' }, confirmed_by: [DEVICE] },
    };
    expect(await edge.cli(['connector', 'deny', 'req_0000000000000001'])).toMatchObject({ code: 0 });
    const revoked = await edge.cli(['connector', 'revoke', CONNECTOR.connector_id]);
    expect(revoked).toMatchObject({ code: 0, out: expect.stringContaining('Confirmed by 1 workstation') });
    expect(edge.asked.map(({ body }) => body)).toEqual([
      { request_id: 'req_0000000000000001' },
      { connector_id: CONNECTOR.connector_id },
    ]);
  });

  it('does not call a revocation done that a workstation has not confirmed', async () => {
    edge = await fakeEdge();
    edge.answers['POST /connectors/revoke'] = refusal(
      503,
      'connector_revoke_incomplete',
      'One device has not confirmed.',
    );
    expect(await edge.cli(['connector', 'revoke', CONNECTOR.connector_id])).toMatchObject({
      code: 1,
      err: expect.stringContaining('not revoked everywhere'),
    });
  });

  it('believes no answer that is not what was promised', async () => {
    edge = await fakeEdge();
    edge.answers['GET /connectors'] = { body: { ok: true, requests: 'none' } };
    expect(await edge.cli(['connector', 'list'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('without saying why'),
    });
  });
});

describe('herdr-mcp worker', () => {
  it('shows address and code of a new pairing', async () => {
    edge = await fakeEdge();
    const address = `${edge.origin}/pair#pair_${'1'.repeat(32)}`;
    edge.answers['POST /devices/pairings'] = {
      body: {
        ok: true,
        pairing_id: `pair_${'1'.repeat(32)}`,
        code: '654321',
        address,
        expires_at_ms: Date.now() + 600_000,
      },
    };
    const { code, out } = await edge.cli(['worker', 'pair', '--name', 'laptop']);
    expect(code).toBe(0);
    expect(out).toContain(`herdr-mcp worker connect "${address}"`);
    expect(out).toContain('654321');
    expect(edge.asked[0]).toMatchObject({ body: { name: 'laptop' }, device: DEVICE });
  });

  it('connects this machine with address and code, and keeps the key to itself', async () => {
    edge = await fakeEdge({ paired: false });
    edge.answers['POST /devices/pairings/consume'] = {
      body: { ok: true, device_id: DEVICE, name: 'laptop', origin: edge.origin, mcp_url: `${edge.origin}/mcp` },
    };
    const address = `${edge.origin}/pair#pair_${'1'.repeat(32)}`;
    const { code, out } = await edge.cli(
      ['worker', 'connect', address, '--name', 'laptop', '--code-stdin'],
      '654321\n',
    );
    expect(code).toBe(0);
    expect(out).toContain(DEVICE);
    const sent = edge.asked[0]?.body as { public_key: object; code: string };
    expect(Object.keys(sent.public_key).sort()).toEqual(['crv', 'kty', 'x']);
    expect(JSON.parse(readFileSync(join(edge.stateDir, 'device.json'), 'utf8'))).toMatchObject({ device_id: DEVICE });
  });

  it('revokes only after a yes', async () => {
    edge = await fakeEdge();
    edge.answers['POST /devices/revoke'] = {
      body: {
        ok: true,
        device: { device_id: DEVICE, name: 'desk', authorization: 'revoked', paused: false, paired_at_ms: 0 },
      },
    };
    expect(await edge.cli(['worker', 'revoke', DEVICE])).toMatchObject({
      code: 2,
      err: expect.stringContaining('--yes'),
    });
    expect(edge.asked).toHaveLength(0);
    expect(await edge.cli(['worker', 'revoke', DEVICE, '--yes'])).toMatchObject({ code: 0 });
  });
});
