import { generateKeyPairSync, type KeyObject, verify } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseDeviceToken } from '../../../contract/fleet/index.ts';
import { ensurePrivateDir } from '../../../local/files/index.ts';
import { openSecrets } from '../../../local/secrets/index.ts';
import { edgePool } from '../../../runtime-a-b/semantic/edge-pool.ts';
import { openSemantic } from '../../../runtime-a-b/semantic/index.ts';
import { verifies } from '../../verifies.ts';
import { DEVICE, silent as silentLog, tempFolder } from '../support/index.ts';

type Reply = { status: number; body: unknown };
const folder = tempFolder();
const stateDir = join(folder.path, 'state');
const asked = {
  kind: 'evaluate' as const,
  request: { state: 's', questions: { a: { type: 'noul' as const, question: 'Yes?' } } },
};
const POOL = {
  ok: true,
  available: true,
  evaluate_available: true,
  chat_available: false,
  routes: [{ name: 'shared', protocol: 'decision', model: 'big' }],
  policy: 'advisory_only',
};

let server: Server;
let publicKey: KeyObject;
let aheadMs = 0;
let replies: Reply[] = [];
const paths: string[] = [];
const seenTokens = new Set<string>();
let clockMs = Date.now();

/** The edge as far as a device sees it: each token once, its own clock, and then what the test says. */
beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume().on('end', () => {
      paths.push(request.url ?? '');
      const token = (request.headers.authorization ?? '').replace('Bearer ', '');
      const parsed = parseDeviceToken(token);
      const answer = ({ status, body }: Reply) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      const signed =
        parsed && verify(null, Buffer.from(parsed.signed), publicKey, Buffer.from(parsed.signature, 'base64url'));
      if (!parsed || !signed || seenTokens.has(parsed.claims.jti) || parsed.claims.sub !== DEVICE) {
        return answer({ status: 401, body: { ok: false, code: 'device_token_invalid', message: 'no' } });
      }
      seenTokens.add(parsed.claims.jti);
      const nowMs = clockMs + aheadMs;
      if (Math.abs(parsed.claims.iat * 1000 - nowMs) > 60_000) {
        return answer({ status: 401, body: { ok: false, code: 'device_clock_skew', message: 'clock', now_ms: nowMs } });
      }
      if (request.url === '/semantic/status') return answer({ status: 200, body: POOL });
      answer(
        replies.shift() ?? {
          status: 200,
          body: { ok: true, model: 'big', answers: { a: { type: 'noul', noul: 0.9 } }, route: 'shared' },
        },
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ensurePrivateDir(stateDir);
  await pairAgain();
  const device = {
    device_id: DEVICE,
    name: 'n',
    edge_origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mcp_url: 'x',
    paired_at_ms: 1,
  };
  writeFileSync(join(stateDir, 'device.json'), JSON.stringify(device), { mode: 0o600 });
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  folder.remove();
});
beforeEach(() => {
  [aheadMs, replies, paths.length] = [0, [], 0];
});

async function pairAgain(): Promise<void> {
  const pair = generateKeyPairSync('ed25519');
  publicKey = pair.publicKey;
  const secrets = await openSecrets(stateDir, { backend: 'file' });
  await secrets.set('device-key', JSON.stringify(pair.privateKey.export({ format: 'jwk' })));
}

const never = () => new AbortController().signal;
const pool = () => edgePool(stateDir, () => clockMs++);

describe('the edge’s pool', () => {
  it('is asked as the paired device, each time with a token of its own, and what it offers once a minute', async () => {
    verifies('tasks.semantic');
    const edge = pool();
    expect(await edge.offers(never())).toEqual({ status: POOL });
    await edge.offers(never());
    expect(await edge.ask(asked, 1_000, never())).toMatchObject({ ok: true, route: 'shared', told: { model: 'big' } });
    expect(await edge.ask(asked, 1_000, never())).toMatchObject({ ok: true });
    expect(paths).toEqual(['/semantic/status', '/semantic/evaluate', '/semantic/evaluate']);
    clockMs += 60_001;
    await edge.offers(never());
    expect(paths).toHaveLength(4);
  });

  it('tells a wrong clock the right one, and reads a rotated key anew', async () => {
    const edge = pool();
    aheadMs = 3_600_000;
    expect(await edge.ask(asked, 1_000, never())).toMatchObject({ ok: true });
    aheadMs = 0;
    const other = pool();
    expect(await other.ask(asked, 1_000, never())).toMatchObject({ ok: true });
    await pairAgain();
    expect(await other.ask(asked, 1_000, never())).toMatchObject({ ok: true });
  });

  it.each<[Reply, string]>([
    [{ status: 502, body: { ok: false, code: 'http_500', message: 'm' } }, 'http_500'],
    [{ status: 502, body: { ok: false, code: 'timeout', message: 'm' } }, 'timeout'],
    [{ status: 503, body: { ok: false, code: 'semantic_routes_cooling_down', message: 'm' } }, 'routes_cooling_down'],
    [{ status: 503, body: { ok: false, code: 'semantic_provider_unavailable', message: 'm' } }, 'provider_unavailable'],
    [{ status: 503, body: { ok: false, code: 'semantic_provider_misconfigured', message: 'm' } }, 'route_invalid'],
    [{ status: 400, body: { ok: false, code: 'semantic_request_rejected', message: 'm' } }, 'invalid_request'],
    [{ status: 500, body: 'an exception with sk-secret' }, 'http_500'],
    [{ status: 200, body: { ok: true, model: 'big', answers: {} } }, 'invalid_response'],
    [
      { status: 200, body: { ok: true, model: 'big', answers: { a: { type: 'choice', choice: 'x' } } } },
      'invalid_response',
    ],
  ])('an answer %j is %s', async (reply, reason) => {
    verifies('tasks.semantic');
    replies = [reply];
    const edge = pool();
    expect(await edge.ask(asked, 1_000, never())).toEqual({ ok: false, reason });
    const cools = reason !== 'invalid_request' && reason !== 'invalid_response';
    expect((await edge.ask(asked, 1_000, never())).ok).toBe(!cools);
  });

  it('serves the whole service while no local route is there, and an unpaired machine simply has none', async () => {
    verifies('tasks.semantic');
    const semantic = openSemantic({ stateDir, nowMs: () => clockMs++, log: silentLog });
    expect(await semantic.evaluate(asked.request, { boundary: 'test' })).toMatchObject({
      ok: true,
      provider: 'edge:shared',
    });
    expect(await semantic.chat({ messages: [{ role: 'user', content: 'x' }] }, { boundary: 'test' })).toMatchObject({
      reason: 'not_configured',
    });
    const alone = openSemantic({ stateDir: join(folder.path, 'alone'), nowMs: () => clockMs++, log: silentLog });
    expect(await alone.evaluate(asked.request, { boundary: 'test' })).toMatchObject({ reason: 'not_configured' });
  });

  it('is not there for a machine whose key or record is broken, and nothing fails for it', async () => {
    verifies('tasks.semantic');
    const key = JSON.stringify(generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }));
    for (const [name, origin, secret] of [
      ['no-key', 'http://127.0.0.1:1', '{"kty":"OKP"}'],
      ['no-json', 'http://127.0.0.1:1', 'nonsense'],
      ['no-address', 'nowhere', key],
    ] as const) {
      const dir = join(folder.path, name);
      ensurePrivateDir(dir);
      writeFileSync(join(dir, 'device.json'), JSON.stringify({ device_id: DEVICE, edge_origin: origin }), {
        mode: 0o600,
      });
      await (await openSecrets(dir, { backend: 'file' })).set('device-key', secret);
      const semantic = openSemantic({ stateDir: dir, nowMs: () => clockMs++, log: silentLog });
      expect(await semantic.evaluate(asked.request, { boundary: 'test' })).toMatchObject({ reason: 'not_configured' });
      expect(await semantic.status()).toMatchObject({ available: false });
    }
  });
});
