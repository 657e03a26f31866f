/** The device's Ed25519 key: made here, kept in the keychain or a 0600 file, and never sent anywhere. */
import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { DevicePublicKey } from '../../contract/fleet/index.ts';
import { LocalError } from '../../local/error/index.ts';
import type { SecretStore } from '../../local/secrets/index.ts';

/** Under which name local/secrets keeps the key of a paired device. */
export const DEVICE_KEY = 'device-key';

/** The key of a pairing that the edge may have accepted although its answer was lost: the same key gets the same device. */
export const PENDING_KEY = 'device-key-pending';

/** The key that shall follow; kept before the edge hears of it, so that no crash between the two locks this machine out. */
export const NEXT_KEY = 'device-key-next';

/** A private key that signs; it does not show itself in logs. */
export class DeviceKey {
  readonly #key: KeyObject;

  constructor(key: KeyObject) {
    this.#key = key;
  }

  /** The public half as JWK (RFC 8037). */
  get publicKey(): DevicePublicKey {
    const { x } = this.#key.export({ format: 'jwk' });
    if (x === undefined) throw new TypeError('an Ed25519 key has a public half');
    return { kty: 'OKP', crv: 'Ed25519', x };
  }

  /** The signature over UTF-8 text, in base64url. */
  sign(text: string): string {
    return sign(null, Buffer.from(text), this.#key).toString('base64url');
  }

  /** The private JWK as text, for the secret store only. */
  secretText(): string {
    return JSON.stringify(this.#key.export({ format: 'jwk' }));
  }
}

export function generateDeviceKey(): DeviceKey {
  return new DeviceKey(generateKeyPairSync('ed25519').privateKey);
}

/** The kept key, `undefined` when none is kept. Throws a {@link LocalError} when what is kept is no Ed25519 key. */
export async function loadDeviceKey(secrets: SecretStore, name: string = DEVICE_KEY): Promise<DeviceKey | undefined> {
  const text = await secrets.get(name);
  if (text === undefined) return undefined;
  try {
    const key = createPrivateKey({ key: JSON.parse(text), format: 'jwk' });
    if (key.asymmetricKeyType === 'ed25519') return new DeviceKey(key);
  } catch (error) {
    throw brokenKey(secrets.backend, error);
  }
  throw brokenKey(secrets.backend);
}

function brokenKey(backend: string, cause?: unknown): LocalError {
  return new LocalError(
    'device_key_broken',
    `What the ${backend} keeps as this workstation's key is no Ed25519 key. Nothing was sent.`,
    'Restore it, or pair this machine again: it then becomes a new device.',
    cause,
  );
}
