/** Looks that are stricter than one answer: several in a row, and an authenticated read at a given address. */
import { createPrivateKey } from 'node:crypto';
import * as Value from 'typebox/value';
import { DeviceList } from '../../contract/fleet/index.ts';
import { DEVICE_KEY, DeviceKey, DeviceSigner, openIdentity, requestAsDevice } from '../../link/identity/index.ts';
import type { Environment } from '../../link/network/index.ts';
import { LocalError } from '../../local/error/index.ts';
import { openSecrets } from '../../local/secrets/index.ts';
import type { Look } from '../cloudflare/index.ts';

/** Good `times` in a row, looked at until the time is over. */
export function greenInARow(look: Look, times: number, everyMs: number, withinMs: number): Look {
  return async () => {
    const end = performance.now() + withinMs;
    for (let good = 0; ; ) {
      const wrong = await look();
      good = wrong === undefined ? good + 1 : 0;
      if (good >= times) return undefined;
      if (performance.now() + everyMs > end) return wrong ?? 'it was not good often enough in a row';
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  };
}

/** Whether the edge lists this machine to itself at an address: its own when none is named. */
export function knownAt(stateDir: string, origin: string | undefined, env: Environment): Look {
  return async () => {
    try {
      const { device, signer } = await openIdentity(stateDir);
      const at = origin ?? device.edge_origin;
      const own = at === device.edge_origin ? signer : await signerFor(stateDir, device.device_id, at);
      const answer = await requestAsDevice(at, own, { method: 'GET', path: '/devices' }, env);
      const isListed =
        answer.status === 200 &&
        Value.Check(DeviceList, answer.body) &&
        answer.body.devices.some(({ device_id }) => device_id === device.device_id);
      return isListed ? undefined : `${at} does not list this machine (status ${answer.status})`;
    } catch (error) {
      if (error instanceof LocalError) return error.message;
      throw error;
    }
  };
}

/** The same key, for tokens of another audience. */
async function signerFor(stateDir: string, deviceId: string, origin: string): Promise<DeviceSigner> {
  const text = await (await openSecrets(stateDir)).get(DEVICE_KEY);
  const key = createPrivateKey({ key: JSON.parse(text ?? '{}'), format: 'jwk' });
  return new DeviceSigner(deviceId, origin, new DeviceKey(key));
}
