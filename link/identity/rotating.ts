/**
 * Replacing this device's key. The next key is kept before the edge hears of it and becomes the key only when the edge
 * uses it, so that a crash, a lost answer or a second try at any point ends with a key that both sides agree on.
 */
import * as Value from 'typebox/value';
import { DeviceChanged } from '../../contract/fleet/index.ts';
import { openSecrets, type SecretStore } from '../../local/secrets/index.ts';
import type { Environment } from '../network/index.ts';
import type { Identity } from './identity.ts';
import { DEVICE_KEY, type DeviceKey, generateDeviceKey, loadDeviceKey, NEXT_KEY } from './key.ts';
import { refusedByEdge, requestAsDevice } from './rest.ts';
import { DeviceSigner } from './token.ts';

/**
 * Makes a new key and has the edge use it; the old one stops working at once. A running link goes on and uses the new
 * one from its next connection. Throws a `LocalError`; repeating the command then finishes what was begun.
 */
export async function rotateKey(
  { device, signer }: Identity,
  stateDir: string,
  environment: Environment = process.env,
): Promise<void> {
  const secrets = await openSecrets(stateDir);
  const next = await nextKey(secrets);
  const body = { public_key: next.publicKey };
  const answer = await requestAsDevice(
    device.edge_origin,
    signer,
    { method: 'POST', path: '/devices/rotate-key', body },
    environment,
  );
  const done = answer.status === 200 && Value.Check(DeviceChanged, answer.body);
  // An earlier try may have reached the edge without its answer reaching us: then the edge knows the next key already.
  if (!done && !(answer.status === 401 && (await edgeUses(next, device, environment)))) {
    throw refusedByEdge(answer, 'The key was not rotated');
  }
  await secrets.set(DEVICE_KEY, next.secretText());
  await secrets.delete(NEXT_KEY);
  signer.useKey(next);
}

/** Takes over a key that another process has rotated. A keychain that does not answer leaves the one that is in use. */
export async function renewKey({ signer }: Identity, stateDir: string): Promise<void> {
  try {
    const key = await loadDeviceKey(await openSecrets(stateDir));
    if (key) signer.useKey(key);
  } catch {
    // The edge says whether the key in use still holds; losing a look at the store is no reason to stop.
  }
}

async function edgeUses(key: DeviceKey, device: Identity['device'], environment: Environment): Promise<boolean> {
  const signer = new DeviceSigner(device.device_id, device.edge_origin, key);
  const answer = await requestAsDevice(device.edge_origin, signer, { method: 'GET', path: '/devices' }, environment);
  return answer.status === 200;
}

/** The key of an unfinished rotation, or a new one, kept before anything is sent. */
async function nextKey(secrets: SecretStore): Promise<DeviceKey> {
  const begun = await loadDeviceKey(secrets, NEXT_KEY);
  if (begun !== undefined) return begun;
  const key = generateDeviceKey();
  await secrets.set(NEXT_KEY, key.secretText());
  return key;
}
