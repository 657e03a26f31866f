/** The workstations of the fleet over the private socket. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { DEVICE_KEY, generateDeviceKey, writeDevice } from '../../../link/identity/index.ts';
import { openSecrets } from '../../../local/secrets/index.ts';
import { verifies } from '../../verifies.ts';
import { ask, socketOf } from '../http/extension/client.ts';
import { testRuntime } from '../support/index.ts';

const DEVICE = 'dev_00000000000000000000000000';
let ends: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const end of ends.reverse()) await end();
  ends = [];
});

async function paired(answer: { status: number; body: object }) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folder = mkdtempSync(join(tmpdir(), 'hm-fleet-'));
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  const stateDir = join(folder, 'state');
  process.env['HERDR_MCP_SECRETS'] = 'file';
  await (await openSecrets(stateDir)).set(DEVICE_KEY, generateDeviceKey().secretText());
  const record = { device_id: DEVICE, name: 'desk', edge_origin: origin, mcp_url: `${origin}/mcp`, paired_at_ms: 0 };
  await writeDevice(stateDir, record);
  const rt = await testRuntime({ stateDir });
  ends.push(() => rt.end());
  return { fleet: () => ask(socketOf(stateDir), '/extension/fleet'), asked };
}

describe('the fleet', () => {
  it('is what the edge lists, asked as this device and once by those who look together', async () => {
    verifies('control-center.panel');
    const device = { device_id: DEVICE, name: 'desk', authorization: 'active', paused: false, paired_at_ms: 0 };
    const body = { ok: true, devices: [{ ...device, connection: 'online' }], self: DEVICE, observed_at_ms: 5 };
    const { fleet, asked } = await paired({ status: 200, body });
    const answers = await Promise.all([fleet(), fleet(), fleet()]);
    for (const one of answers) expect(one).toEqual({ status: 200, body });
    expect(asked).toEqual(['GET /devices']);
  });

  it.each([
    [{ status: 403, body: { ok: false, code: 'device_suspended' } }, 'refused'],
    [{ status: 503, body: {} }, 'unreachable'],
    [{ status: 200, body: { ok: true, devices: 'all' } }, 'unreachable'],
  ])('an edge that answers %j: %s, with what to do', async (answer, code) => {
    const { fleet } = await paired(answer);
    expect((await fleet()).body).toMatchObject({ ok: false, code, next: expect.stringMatching(/./) });
  });

  it('is none where this machine is paired with nothing', async () => {
    const rt = await testRuntime();
    ends.push(() => rt.end());
    expect((await ask(socketOf(rt.stateDir), '/extension/fleet')).body).toMatchObject({
      ok: false,
      code: 'not_paired',
    });
  });
});
