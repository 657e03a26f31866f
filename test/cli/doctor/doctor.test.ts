import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Check, Note, runChecks } from '../../../cli/doctor/check.ts';
import { MACHINE } from '../../../cli/doctor/machine.ts';
import { askAs } from '../../../cli/doctor/probe.ts';
import { HOSTS, PUBLIC, skewMs, troubleOf } from '../../../cli/doctor/public.ts';
import { DEVICE_KEY, generateDeviceKey, writeDevice } from '../../../link/identity/index.ts';
import { LocalError } from '../../../local/error/index.ts';
import { ensurePrivateDir } from '../../../local/files/index.ts';
import { openSecrets } from '../../../local/secrets/index.ts';
import { verifies } from '../../verifies.ts';
import { DEVICE } from '../fake-edge.ts';

let stateDir: string;
let env: NodeJS.ProcessEnv;
beforeEach(() => {
  stateDir = ensurePrivateDir(mkdtempSync(join(tmpdir(), 'hm-doctor-')));
  env = { ...process.env, HERDR_MCP_STATE_DIR: stateDir, HERDR_MCP_SECRETS: 'file' };
});
afterEach(() => rmSync(stateDir, { recursive: true, force: true }));

const named = (checks: readonly Check[], ...names: string[]) => checks.filter(({ name }) => names.includes(name));

describe('the clock', () => {
  it.each([
    ['agrees, however long the answer took', 5_000, 1_000, 60_000, 0],
    ['is ahead of an edge that looked before it was asked', 1_000, 91_000, 99_000, 90_000],
    ['is behind an edge that looked after it had answered', 99_000, 1_000, 9_000, -90_000],
  ])('%s', (_, edge, asked, answered, skew) => {
    verifies('cli.doctor');
    expect(skewMs(edge, asked, answered)).toBe(skew);
  });
});

describe('the checks', () => {
  const wrong: Check = {
    name: 'wrong',
    after: [],
    look: async () => {
      throw new LocalError('x', 'It is wrong, because.', 'mend it');
    },
  };

  it('hide no other, unless one stands on it', async () => {
    verifies('cli.doctor');
    const noted: Check = { name: 'noted', after: [], look: async () => new Note('well', 'beside') };
    const findings = await runChecks(
      [
        wrong,
        { name: 'on it', after: ['wrong'], look: async () => 'never' },
        noted,
        { name: 'on the note', after: ['noted'], look: async () => 'fine' },
      ],
      env,
    );
    expect(findings.map(({ name, state }) => [name, state])).toEqual([
      ['wrong', 'failed'],
      ['on it', 'unknown'],
      ['noted', 'note'],
      ['on the note', 'ok'],
    ]);
    expect(findings[0]).toMatchObject({ fact: 'It is wrong, because.', next: 'mend it' });
  });

  it('--fix believes a repair only when the look afterwards does, and says when it failed', async () => {
    let mended = false;
    const mendable: Check = {
      name: 'mendable',
      after: [],
      look: async () => {
        if (mended) return 'fine now';
        throw new LocalError('x', 'Not yet.', 'fix it');
      },
      fix: async () => {
        mended = true;
        return 'did it';
      },
    };
    expect(await runChecks([mendable], env)).toMatchObject([{ state: 'failed' }]);
    expect(await runChecks([mendable], env, true)).toMatchObject([{ state: 'ok', fact: 'fine now', fixed: 'did it' }]);
    const broken: Check = { ...wrong, fix: async () => Promise.reject(new Error('no right')) };
    expect(await runChecks([broken, { ...wrong, fix: async () => 'claimed' }], env, true)).toMatchObject([
      { state: 'failed', fixed: 'it could not be mended: no right' },
      { state: 'failed', fixed: 'claimed' },
    ]);
  });
});

describe('files that others can read', () => {
  it('are named with the command, and --fix takes the rights of others, no others', async () => {
    const open = join(stateDir, 'notes.json');
    writeFileSync(open, '{}');
    chmodSync(open, 0o644);
    const checks = named(MACHINE, 'state folder', 'files');
    const [, found] = await runChecks(checks, env);
    expect(found).toMatchObject({ state: 'failed', next: `chmod -R go-rwx ${stateDir}` });
    expect(found?.fact).toContain(open);
    const [, mended] = await runChecks(checks, env, true);
    expect(mended).toMatchObject({ state: 'ok', fixed: 'took the rights of others from 1 file' });
    expect(statSync(open).mode & 0o777).toBe(0o600);
  });
});

describe('a port that another program holds', () => {
  it('is named, with how to find whose it is', async () => {
    const server = http.createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    writeFileSync(join(stateDir, 'config.json'), JSON.stringify({ runtime: { port, candidate_port: port } }), {
      mode: 0o600,
    });
    const findings = await runChecks(named(MACHINE, 'state folder', 'configuration', 'ports'), env);
    await new Promise((resolve) => server.close(resolve));
    expect(findings.at(-1)).toMatchObject({ state: 'failed' });
    expect(findings.at(-1)?.fact).toContain(`Port ${port}`);
    expect(findings.at(-1)?.next).toContain(`lsof -iTCP:${port}`);
  });
});

describe('the public path as the two hosts see it', () => {
  let server: http.Server;
  let respond: (userAgent: string, response: http.ServerResponse, request: http.IncomingMessage) => void;
  let origin: string;
  beforeEach(async () => {
    server = http.createServer((request, response) => respond(request.headers['user-agent'] ?? '', response, request));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await writeDevice(stateDir, {
      device_id: DEVICE,
      name: 'desk',
      edge_origin: origin,
      mcp_url: `${origin}/mcp`,
      paired_at_ms: 1,
    });
    await (await openSecrets(stateDir, { backend: 'file' })).set(DEVICE_KEY, generateDeviceKey().secretText());
    writeFileSync(join(stateDir, 'keys', 'backend'), 'file\n', { mode: 0o600 });
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  const well = (response: http.ServerResponse, request: http.IncomingMessage): void => {
    const challenge = {
      'www-authenticate': `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`,
    };
    response.writeHead(request.method === 'GET' ? 200 : 401, { 'content-type': 'application/json', ...challenge });
    response.end('{}');
  };
  const look = async () => {
    const checks = PUBLIC.filter(({ name }) => name === 'pairing' || name.startsWith('public path'));
    const found = await runChecks(
      checks.map((check) => ({ ...check, after: [] })),
      env,
    );
    return Object.fromEntries(found.map((one) => [one.name, one]));
  };

  it('is well when both are answered as they should be', async () => {
    respond = (_, response, request) => well(response, request);
    expect(await look()).toMatchObject({
      'public path as ChatGPT': { state: 'ok' },
      'public path as Claude': { state: 'ok' },
    });
  });

  it('names the switch when a bot filter keeps one of them out, and only that one', async () => {
    verifies('cli.doctor');
    respond = (userAgent, response, request) => {
      if (userAgent !== HOSTS.Claude) return well(response, request);
      response.writeHead(403, { 'content-type': 'text/html' }).end('<html>Attention Required! error code: 1010</html>');
    };
    const found = await look();
    expect(found['public path as ChatGPT']).toMatchObject({ state: 'ok' });
    expect(found['public path as Claude']).toMatchObject({ state: 'failed' });
    expect(found['public path as Claude']?.next).toContain('"Block AI bots" off');
  });

  it('and is no bot filter when the edge itself answers wrongly or not at all', async () => {
    respond = (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    const found = await look();
    expect(found['public path as Claude']).toMatchObject({ state: 'failed', next: 'herdr-mcp status' });
    expect(await askAs('x', 'GET', new URL('http://127.0.0.1:1/'), {})).toHaveProperty('silent');
  });

  const answer = { status: 200, json: true, mitigated: undefined, challenge: undefined };
  const table: [string, Parameters<typeof troubleOf>, boolean | undefined][] = [
    ['well', [answer, 200], undefined],
    ['a challenge page', [{ ...answer, status: 403, json: false, mitigated: 'challenge' }, 200], true],
    ['a page with 403', [{ ...answer, status: 403, json: false }, 401], true],
    ['our own 403', [{ ...answer, status: 403 }, 401], false],
    ['a 401 without the address', [{ ...answer, status: 401 }, 401], false],
    [
      'a 401 with a relative address',
      [{ ...answer, status: 401, challenge: 'Bearer resource_metadata="/x"' }, 401],
      false,
    ],
    [
      'a 401 as it should be',
      [{ ...answer, status: 401, challenge: 'Bearer resource_metadata="https://e/x"' }, 401],
      undefined,
    ],
  ];
  it.each(table)('%s', (_, given, blocked) => {
    expect(troubleOf(...given)?.blocked).toBe(blocked);
  });
});
