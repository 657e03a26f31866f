/** Making this machine a device: by address and code, or the first time by the operator secret. */
import { hostname } from 'node:os';
import type * as Type from 'typebox';
import type { TSchema } from 'typebox';
import * as Value from 'typebox/value';
import { Paired, Pairing } from '../../contract/fleet/index.ts';
import { LocalError } from '../../local/error/index.ts';
import { ensurePrivateDir } from '../../local/files/index.ts';
import { openSecrets, type SecretStore } from '../../local/secrets/index.ts';
import { type EdgeAnswer, type Environment, isLoopback } from '../network/index.ts';
import { type Device, readDevice, writeDevice } from './device.ts';
import { DEVICE_KEY, type DeviceKey, generateDeviceKey, loadDeviceKey, PENDING_KEY } from './key.ts';
import { ask, type DeviceRequest, refusedByEdge } from './rest.ts';

export interface PairOptions {
  stateDir: string;
  /** How people will see this machine; the host's name when absent. */
  name?: string;
  /** Pairs again although this folder already is a device. */
  replace?: boolean;
  environment?: Environment;
}

/** `<origin>/pair#<pairing_id>` taken apart, or `undefined` when the text is no pairing address. */
export function parsePairingAddress(address: string): { origin: string; pairingId: string } | undefined {
  const url = URL.parse(address.trim());
  if (url === null || url.pathname !== '/pair' || url.username !== '' || url.password !== '') return undefined;
  const pairingId = url.hash.slice(1);
  if (!/^pair_[0-9a-f]{32}$/.test(pairingId)) return undefined;
  return isUsableOrigin(url) ? { origin: url.origin, pairingId } : undefined;
}

/**
 * Pairs this machine with the address and the six digits that a paired workstation shows, and records the device.
 * Repeated after a lost answer it gets the same device, because the key is kept before it is sent.
 * A code that somebody must type is asked for when nothing else stands in the way.
 * Throws a {@link LocalError}; nothing is recorded then.
 */
export async function pair(
  address: string,
  code: string | (() => Promise<string>),
  options: PairOptions,
): Promise<Device> {
  const parsed = parsePairingAddress(address);
  if (parsed === undefined) {
    throw new LocalError(
      'pairing_address_invalid',
      'This is no pairing address. Nothing was sent.',
      'Copy the whole address, https://…/pair#pair_…, that the paired workstation shows.',
    );
  }
  await refusePaired(options);
  const digits = (typeof code === 'string' ? code : await code()).replace(/[\s-]/g, '');
  if (!/^\d{6}$/.test(digits)) {
    throw new LocalError('pairing_code_invalid', 'The code has six digits. Nothing was sent.', 'Type it again.');
  }
  return consume(parsed.origin, parsed.pairingId, digits, options);
}

/**
 * Pairs the first machine of an edge with the one-time operator secret that start or deploy gave it.
 * Throws a {@link LocalError}, also when the edge has a device already: the secret is then spent.
 */
export async function pairFirst(origin: string, operatorSecret: string, options: PairOptions): Promise<Device> {
  const url = URL.parse(origin);
  if (url === null || !isUsableOrigin(url)) {
    throw new LocalError(
      'edge_origin_invalid',
      `${origin} is no address of an edge. Nothing was sent.`,
      'Use https:// and the host; plain http works for this machine only.',
    );
  }
  const environment = options.environment ?? process.env;
  const name = options.name === undefined ? {} : { name: options.name };
  const request = { method: 'POST', path: '/devices/pairings', body: name } as const;
  const answer = await ask(url.origin, request, environment, operatorSecret);
  const pairing = expectAnswer(Pairing, answer, 'No pairing was opened');
  return consume(url.origin, pairing.pairing_id, pairing.code, options);
}

async function refusePaired({ stateDir, replace }: PairOptions): Promise<void> {
  ensurePrivateDir(stateDir);
  const existing = await readDevice(stateDir);
  if (existing === undefined || replace === true) return;
  throw new LocalError(
    'already_paired',
    `This machine is already paired with ${existing.edge_origin} as ${existing.name}. Nothing was changed.`,
    'Use another state folder (HERDR_MCP_STATE_DIR), or say that it should be replaced.',
  );
}

async function consume(origin: string, pairingId: string, code: string, options: PairOptions): Promise<Device> {
  const { stateDir } = options;
  await refusePaired(options);
  const secrets = await openSecrets(stateDir);
  const key = await pendingKey(secrets);
  const body = { pairing_id: pairingId, code, public_key: key.publicKey, name: deviceName(options.name ?? hostname()) };
  const request = { method: 'POST', path: '/devices/pairings/consume', body } as const;
  const answer = await askTwice(origin, request, options.environment ?? process.env);
  const paired = expectAnswer(Paired, answer, 'This machine was not paired');
  const device: Device = {
    device_id: paired.device_id,
    name: paired.name,
    edge_origin: paired.origin,
    mcp_url: paired.mcp_url,
    paired_at_ms: Date.now(),
  };
  await secrets.set(DEVICE_KEY, key.secretText());
  await writeDevice(stateDir, device);
  await secrets.delete(PENDING_KEY);
  return device;
}

/** An answer that got lost on its way is asked for again: the same key gets the same device. */
async function askTwice(origin: string, request: DeviceRequest, environment: Environment): Promise<EdgeAnswer> {
  try {
    return await ask(origin, request, environment);
  } catch {
    return ask(origin, request, environment);
  }
}

/** The key of an unfinished pairing, or a new one, kept before anything is sent. */
async function pendingKey(secrets: SecretStore): Promise<DeviceKey> {
  const pending = await loadDeviceKey(secrets, PENDING_KEY);
  if (pending !== undefined) return pending;
  const key = generateDeviceKey();
  await secrets.set(PENDING_KEY, key.secretText());
  return key;
}

function expectAnswer<Schema extends TSchema>(schema: Schema, answer: EdgeAnswer, what: string): Type.Static<Schema> {
  if (answer.status >= 200 && answer.status < 300 && Value.Check(schema, answer.body)) return answer.body;
  throw refusedByEdge(answer, what);
}

/** A device's name as the edge accepts it: one line without control characters, at most 128. */
function deviceName(wish: string): string {
  const line = wish.replace(/[\u0000-\u001f\u007f]+/g, ' ').trim();
  return line === '' ? 'workstation' : line.slice(0, 128);
}

/** Whether a device may prove itself there: over https, or on this machine. */
export function isUsableOrigin(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname.replace(/^\[|\]$/g, '')));
}
