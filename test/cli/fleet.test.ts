/** The commands of the fleet against the edge itself: two machines, their connectors, a client for CI. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pairFirst } from '../../link/identity/index.ts';
import { DEVICE_KEY, NEXT_KEY } from '../../link/identity/key.ts';
import { openSecrets } from '../../local/secrets/index.ts';
import { run } from '../../local/spawn/index.ts';
import { build } from '../../scripts/build/index.ts';
import { type LocalEdge, startEdge } from '../../scripts/start/edge.ts';
import { anyFreePort } from '../../scripts/start/ports.ts';
import { earnToken, type Grant } from '../support/access-token.ts';
import { verifies } from '../verifies.ts';
import { COMMAND } from './fake-edge.ts';

const home = mkdtempSync(join(tmpdir(), 'hm-fleet-cli-'));
const desk = join(home, 'desk');
const laptop = join(home, 'laptop');
let edge: LocalEdge;
let deskId: string;
let laptopId: string;

beforeAll(async () => {
  await build();
  edge = await startEdge({ stateDir: desk, port: await anyFreePort() });
  const environment = { HERDR_MCP_SECRETS: 'file' };
  process.env['HERDR_MCP_SECRETS'] = 'file';
  deskId = (await pairFirst(edge.origin, edge.operatorSecret, { stateDir: desk, name: 'desk', environment })).device_id;
}, 120_000);

afterAll(async () => {
  await edge.workerd.close();
  rmSync(home, { recursive: true, force: true });
});

interface Ran {
  code: number | null;
  out: string;
  err: string;
}

async function cli(stateDir: string, args: string[], input?: string): Promise<Ran> {
  const result = await run(process.execPath, [COMMAND, ...args], {
    env: { PATH: process.env['PATH'], HOME: home, HERDR_MCP_STATE_DIR: stateDir, HERDR_MCP_SECRETS: 'file' },
    ...(input === undefined ? {} : { input }),
  });
  return { code: result.code, out: result.stdout.toString(), err: result.stderr.toString() };
}

/** The answer of a command that has to succeed. */
async function json<T>(stateDir: string, args: string[], input?: string): Promise<T> {
  const { code, out, err } = await cli(stateDir, [...args, '--json'], input);
  if (code !== 0) throw new Error(`${args.join(' ')}: ${err}`);
  return JSON.parse(out) as T;
}

interface Listed {
  devices: { device_id: string; name: string; authorization: string; paused: boolean; connection: string }[];
}

describe('herdr-mcp worker', () => {
  it('pairs a second machine by address and code, and lists both with their three axes', async () => {
    verifies('cli.worker');
    const pairing = await json<{ address: string; code: string }>(desk, ['worker', 'pair', '--name', 'laptop']);
    const joined = await json<{ device_id: string }>(
      laptop,
      ['worker', 'connect', pairing.address, '--code-stdin'],
      `${pairing.code}\n`,
    );
    laptopId = joined.device_id;
    const { out } = await cli(laptop, ['worker', 'list']);
    expect(out).toMatch(/CONNECTION\s+SCHEDULING\s+AUTHORISATION/);
    expect(out).toMatch(new RegExp(`${laptopId} +laptop \\(this machine\\) +offline +enabled +active`));
  });

  it.each([
    ['pause', { paused: true, authorization: 'active' }],
    ['resume', { paused: false, authorization: 'active' }],
    ['suspend', { paused: false, authorization: 'suspended' }],
    ['restore', { paused: false, authorization: 'active' }],
  ])('%s changes its own axis alone', async (verb, expected) => {
    verifies('cli.worker');
    expect(await json(desk, ['worker', verb, laptopId])).toMatchObject({ device_id: laptopId, ...expected });
    const { devices } = await json<Listed>(desk, ['worker', 'list']);
    expect(devices.find(({ device_id }) => device_id === laptopId)).toMatchObject({
      ...expected,
      connection: 'offline',
    });
    const own = await cli(laptop, ['worker', 'list']);
    expect(own.code).toBe(verb === 'suspend' ? 1 : 0);
    if (verb === 'suspend') expect(own.err).toContain('worker restore');
  });

  it('renames by id', async () => {
    expect(await json(desk, ['worker', 'rename', laptopId, 'travel'])).toMatchObject({ name: 'travel' });
  });

  it.each([
    ['pause', 'travel'],
    ['resume', 'travel'],
    ['suspend', 'travel'],
    ['restore', 'travel'],
    ['revoke', 'travel'],
    ['rename', 'travel', 'desk'],
  ])('%s takes no name for an id, and says where ids are found', async (...args) => {
    verifies('cli.worker');
    const { code, err } = await cli(desk, ['worker', ...args]);
    expect(err).toContain('"travel" is no id of a workstation (dev_');
    expect(err).toContain('`herdr-mcp worker list` shows them; nothing was sent.');
    expect(code).toBe(2);
  });

  it('rotates the key: the old one is dead, and a rotation that was cut off is finished by the same command', async () => {
    verifies('cli.worker', 'fleet.device-lifecycle');
    const secrets = await openSecrets(laptop, { backend: 'file' });
    const old = (await secrets.get(DEVICE_KEY)) ?? '';
    expect(await cli(laptop, ['worker', 'rotate-key'])).toMatchObject({ code: 0 });
    const renewed = (await secrets.get(DEVICE_KEY)) ?? '';
    expect(renewed).not.toBe(old);
    expect(await secrets.get(NEXT_KEY)).toBeUndefined();
    await secrets.set(DEVICE_KEY, old);
    expect((await cli(laptop, ['worker', 'list'])).err).toContain('no valid token');
    // As it lies there when the process died after the edge had taken the new key over.
    await secrets.set(NEXT_KEY, renewed);
    expect(await cli(laptop, ['worker', 'rotate-key'])).toMatchObject({ code: 0 });
    expect(await secrets.get(DEVICE_KEY)).toBe(renewed);
    expect((await cli(laptop, ['worker', 'list'])).code).toBe(0);
  });
});

describe('the edge of a clone', () => {
  it('writes what only its user can read, so that a fresh start is well', async () => {
    verifies('cli.doctor');
    const { out } = await cli(desk, ['doctor', '--json']);
    const { findings } = JSON.parse(out) as { findings: { name: string; state: string; fact: string }[] };
    expect(findings.find(({ name }) => name === 'files')).toMatchObject({ state: 'ok' });
  });
});

describe('herdr-mcp connector', () => {
  const listTools = (token: string) =>
    fetch(`${edge.origin}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
    });

  it('inspects a sign-in, approves it for reading on one device, inspects the connector, and ends it', async () => {
    verifies('cli.connector');
    let connector = '';
    const grant: Grant = await earnToken(`${edge.origin}/mcp`, async ({ requestId, code }) => {
      const open = await cli(desk, ['connector', 'inspect', requestId]);
      expect(open.out).toMatch(/tries left +5/);
      const approved = await json<{ connector_id: string }>(
        desk,
        ['connector', 'approve', requestId, '--read-only', '--device', laptopId, '--code-stdin'],
        `${code}\n`,
      );
      connector = approved.connector_id;
    });
    expect((await listTools(grant.accessToken)).status).toBe(200);
    const { out } = await cli(desk, ['connector', 'inspect', connector]);
    expect(out).toMatch(/may +read\n/);
    expect(out).toMatch(new RegExp(`on +${laptopId}`));
    expect(out).toMatch(new RegExp(`approved +\\d+ s ago, at ${deskId}`));
    expect(out).toMatch(/last used +\d+ s ago/);
    expect(await json(desk, ['connector', 'revoke', connector])).toMatchObject({ ok: true });
    expect((await listTools(grant.accessToken)).status).toBe(401);
    expect((await cli(desk, ['connector', 'inspect', connector])).out).toMatch(/state +revoked: revoked_by_owner/);
  });

  it('denies one that waits', async () => {
    const denied = earnToken(`${edge.origin}/mcp`, async ({ requestId }) => {
      expect((await cli(laptop, ['connector', 'deny', requestId])).code).toBe(0);
    });
    await expect(denied).rejects.toThrow(/access_denied|denied/);
  });

  it('says what it needs when the id is none', async () => {
    expect(await cli(desk, ['connector', 'inspect', 'Claude'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('connector list'),
    });
  });
});

describe('herdr-mcp automation', () => {
  interface Made {
    automation: { client_id: string };
    client_secret: string;
    token_endpoint: string;
  }
  const tokenOf = async ({ automation, client_secret, token_endpoint }: Made) => {
    const body = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: automation.client_id,
      client_secret,
      resource: `${edge.origin}/mcp`,
    });
    return (await fetch(token_endpoint, { method: 'POST', body })).status;
  };

  it('makes one whose secret is shown once, rotates it, and ends it', async () => {
    verifies('cli.automation');
    const made = await json<Made>(desk, ['automation', 'create', 'nightly', '--device', laptopId]);
    expect(await tokenOf(made)).toBe(200);
    const listed = await cli(desk, ['automation', 'list']);
    expect(listed.out).toMatch(new RegExp(`${made.automation.client_id} +nightly +${laptopId}`));
    expect(listed.out).not.toContain(made.client_secret);
    const rotated = await json<Made>(desk, ['automation', 'rotate', made.automation.client_id]);
    expect(await tokenOf(made)).toBe(401);
    expect(await tokenOf(rotated)).toBe(200);
    expect((await cli(desk, ['automation', 'revoke', made.automation.client_id])).out).toContain('Revoked: nightly');
    expect(await tokenOf(rotated)).toBe(401);
    expect((await cli(desk, ['automation', 'list'])).out).toContain('No client for CI');
    expect((await cli(desk, ['automation', 'list', '--all'])).out).toContain('revoked');
  });

  it('names what is missing', async () => {
    expect(await cli(desk, ['automation', 'rotate'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('automation list'),
    });
  });
});

it('herdr-mcp artifact says that this edge keeps none, and reads nothing that is too long', async () => {
  verifies('edge.artifacts');
  const file = join(home, 'notes.md');
  writeFileSync(file, '# Notes\n');
  expect(await cli(desk, ['artifact', 'up', file])).toMatchObject({
    code: 1,
    err: expect.stringContaining('no store for artifacts'),
  });
  writeFileSync(file, Buffer.alloc(8 * 1024 * 1024 + 1));
  expect(await cli(desk, ['artifact', 'up', file])).toMatchObject({ code: 2, err: expect.stringContaining('larger') });
});
