/** Tokens with which this runtime asks the edge's pool as the paired device. The key stays where the link keeps it. */
import { createPrivateKey, type KeyObject, randomBytes, sign } from 'node:crypto';
import { deviceClaims, deviceTokenInput } from '../../contract/fleet/index.ts';
import { objectOf } from '../../contract/json.ts';
import { LocalError } from '../../local/error/index.ts';
import { readPrivateFile } from '../../local/files/index.ts';
import { statePaths } from '../../local/paths/index.ts';
import { openSecrets } from '../../local/secrets/index.ts';

/** Under which name the link keeps the key of a paired device. */
const DEVICE_KEY = 'device-key';

export interface DeviceTokens {
  origin: string;
  token(): string;
  /** Takes over the edge's clock, in ms since 1970. */
  correctClock(edgeNowMs: number): void;
}

/** Undefined when this machine is not paired. Rejects with a `LocalError` when its key cannot be had now. */
export async function deviceTokens(stateDir: string, nowMs: () => number): Promise<DeviceTokens | undefined> {
  // Without a record of a device this machine is not paired.
  const record = (await readPrivateFile(statePaths(stateDir).device))?.toString('utf8') ?? '';
  const { device_id: id, edge_origin: origin } = objectOf(record) ?? {};
  if (typeof id !== 'string' || typeof origin !== 'string') return undefined;
  const text = await (await openSecrets(stateDir)).get(DEVICE_KEY);
  if (text === undefined) return undefined;
  if (!URL.canParse(origin)) throw unusable(`The edge's address in the record of this device is none.`);
  const key = privateKey(text);
  let offsetMs = 0;
  return {
    origin,
    token() {
      const jti = randomBytes(18).toString('base64url');
      const input = deviceTokenInput(deviceClaims(id, origin, nowMs() + offsetMs, jti));
      return `${input}.${sign(null, Buffer.from(input), key).toString('base64url')}`;
    },
    correctClock(edgeNowMs) {
      offsetMs = edgeNowMs - nowMs();
    },
  };
}

function privateKey(text: string): KeyObject {
  try {
    return createPrivateKey({ key: JSON.parse(text), format: 'jwk' });
  } catch (error) {
    throw unusable('The key of this device cannot be read.', error);
  }
}

const unusable = (message: string, cause?: unknown): LocalError =>
  new LocalError('device_key_unusable', message, 'herdr-mcp doctor says how to pair this machine anew.', cause);
