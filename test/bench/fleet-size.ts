/**
 * A deployment of 100 devices and 1,000 connectors beside one of each: a call, the list of devices, a revocation. Both
 * are the product's own Worker in workerd; the records are copies of the first real ones, written into the objects'
 * databases while nobody runs.
 */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { deviceClaims, deviceTokenInput, type Paired, type Pairing } from '../../contract/fleet/index.ts';
import { timeOrdered, ulid } from '../../contract/ids.ts';
import { builtEdge, DIST } from '../../scripts/build/index.ts';
import { startWorkerd, type Workerd } from '../../scripts/workerd/index.ts';
import { earnToken } from '../support/access-token.ts';
import { callOf, headers } from './full-path.ts';
import { compare, type Probe } from './measure.ts';
import { post } from './post.ts';
import { type Row, ratioRow } from './table.ts';

const LARGE = { devices: 100, connectors: 1000 };
/** One device; connectors enough to be revoked one by one. */
const SMALL = { devices: 1, connectors: 60 };

interface Edge {
  origin: string;
  token: string;
  devices: string[];
  /** Connectors that nobody needs. */
  spare: string[];
  key: KeyObject;
  close(): Promise<void>;
}

export async function measureFleetSize(): Promise<Row[]> {
  const large = await openEdge(LARGE);
  try {
    const small = await openEdge(SMALL);
    try {
      return [await routing(large, small), await listing(large, small), await revoking(large, small)];
    } finally {
      await small.close();
    }
  } finally {
    await large.close();
  }
}

async function routing(large: Edge, small: Edge): Promise<Row> {
  const comparison = await compare({
    ours: toolCall(large, 'herdr_fs_read', { path: '/a', device: large.devices[0] }),
    floor: toolCall(small, 'herdr_fs_read', { path: '/a', device: small.devices[0] }),
    calls: 50,
    warmUp: 30,
  });
  return ratioRow(
    { id: 'F1', what: 'a call, 100 devices and 1,000 connectors', beside: 'the same with one device' },
    comparison,
    { p50: 1.5 },
  );
}

async function listing(large: Edge, small: Edge): Promise<Row> {
  const comparison = await compare({
    ours: toolCall(large, 'herdr_devices', {}),
    floor: toolCall(small, 'herdr_devices', {}),
    calls: 10,
    warmUp: 3,
    rounds: 5,
  });
  return ratioRow(
    { id: 'F2', what: 'herdr_devices with 100 devices', beside: 'the same with one device' },
    comparison,
    { p50: 2.5 },
  );
}

async function revoking(large: Edge, small: Edge): Promise<Row> {
  const comparison = await compare({ ours: revoke(large), floor: revoke(small), calls: 5, warmUp: 3, rounds: 5 });
  return ratioRow(
    { id: 'F3', what: 'revoking a connector at 100 devices', beside: 'the same at one device' },
    comparison,
    { p50: 1.5 },
  );
}

function toolCall({ origin, token }: Edge, tool: string, args: Record<string, unknown>): Probe {
  const body = JSON.stringify(callOf(tool, args));
  return () => post(`${origin}/mcp`, body, headers(token));
}

/** Each time another connector, signed by another device: they have one key here, and a limit of requests each. */
function revoke(edge: Edge): Probe {
  let n = 0;
  return async () => {
    const device = edge.devices[n % edge.devices.length] as string;
    const connector_id = edge.spare[n++];
    if (connector_id === undefined) throw new Error('no connector is left to be revoked');
    const bearer = tokenOf(edge, device);
    await post(`${edge.origin}/connectors/revoke`, JSON.stringify({ connector_id }), headers(bearer));
  };
}

function tokenOf({ origin, key }: Pick<Edge, 'origin' | 'key'>, device: string): string {
  const input = deviceTokenInput(deviceClaims(device, origin, Date.now(), randomBytes(16).toString('base64url')));
  return `${input}.${sign(null, Buffer.from(input), key).toString('base64url')}`;
}

async function openEdge(size: { devices: number; connectors: number }): Promise<Edge> {
  const home = mkdtempSync(join(tmpdir(), 'hm-fleet-'));
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const objects = join(home, 'objects');
  const first = await start(home, objects, port);
  let token: string;
  const { publicKey, privateKey: key } = generateKeyPairSync('ed25519');
  try {
    const paired = await pair(origin, String(publicKey.export({ format: 'jwk' }).x));
    ({ accessToken: token } = await earnToken(`${origin}/mcp`, async ({ requestId, code }) => {
      const bearer = tokenOf({ origin, key }, paired);
      await post(`${origin}/connectors/approve`, JSON.stringify({ request_id: requestId, code }), headers(bearer));
    }));
  } finally {
    await first.close();
  }
  const grown = grow(objects, size);
  const second = await start(home, objects, port);
  const close = async () => {
    await second.close();
    rmSync(home, { recursive: true, force: true });
  };
  return { origin, token, key, ...grown, close };
}

async function pair(origin: string, x: string): Promise<string> {
  const opened = await post(`${origin}/devices/pairings`, '{}', headers(OPERATOR));
  const { pairing_id, code } = JSON.parse(opened.toString()) as Pairing;
  const wish = { pairing_id, code, public_key: { kty: 'OKP', crv: 'Ed25519', x } };
  const answer = await post(`${origin}/devices/pairings/consume`, JSON.stringify(wish), headers('none'));
  return (JSON.parse(answer.toString()) as Paired).device_id;
}

const OPERATOR = 'operator-of-the-benchmark';

function start(home: string, storage: string, port: number): Promise<Workerd> {
  return startWorkerd({
    ...builtEdge(DIST),
    text: {
      ORIGINS: `http://127.0.0.1:${port}`,
      STAGE: 'dev',
      OPERATOR_SECRET: OPERATOR,
      CODE_SECRET: 'codes-of-the-benchmark',
    },
    configDir: join(home, 'config'),
    storage,
    port,
    endsWithParent: true,
  });
}

/** Copies of the one device and the one connector with its grant, under ids of their own. */
function grow(objects: string, size: { devices: number; connectors: number }): { devices: string[]; spare: string[] } {
  const atMs = Date.now();
  const fleet = open(objects, 'herdr-mcp-Fleet');
  for (let n = 1; n < size.devices; n++) {
    fleet
      .prepare(
        `INSERT INTO devices (device_id, name, public_key, authorization, paused, paired_at_ms, may_be_linked)
           SELECT ?, ?, public_key, authorization, paused, paired_at_ms, 0 FROM devices ORDER BY device_id LIMIT 1`,
      )
      .run(`dev_${ulid(atMs + n, randomBytes(10))}`, `machine ${n}`);
  }
  const devices = fleet.prepare('SELECT device_id FROM devices ORDER BY device_id').pluck().all() as string[];
  fleet.close();
  const auth = open(objects, 'herdr-mcp-Auth');
  const spare: string[] = [];
  for (let n = 1; n < size.connectors; n++) {
    const id = `conn_${timeOrdered(atMs + n, randomBytes(10))}`;
    auth
      .prepare(
        `INSERT INTO connectors SELECT ?, state, client_id, app, label, scopes, read_only, device_id, approved_at_ms,
           approved_by, connected_at_ms, last_used_at_ms, ended_at_ms, ended_why, origin FROM connectors ORDER BY connector_id LIMIT 1`,
      )
      .run(id);
    const entry = auth.prepare("INSERT INTO entries VALUES (?, '{}', ?)");
    for (const kind of ['grant', 'token']) entry.run(`${kind}:${id}:g:${n}`, atMs + 10_000_000);
    spare.push(id);
  }
  auth.close();
  return { devices, spare };
}

/** The database of the one object of a class. */
function open(objects: string, folder: string): Database.Database {
  const file = readdirSync(join(objects, folder)).find(
    (name) => name.endsWith('.sqlite') && name !== 'metadata.sqlite',
  );
  if (file === undefined) throw new Error(`no database in ${folder}`);
  return new Database(join(objects, folder, file));
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        typeof address === 'object' && address !== null ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}
