/** Who this workstation is at the edge: `device.json` in the state folder. Names only; the key is elsewhere. */
import type { Static } from 'typebox';
import * as Type from 'typebox';
import * as Value from 'typebox/value';
import { LocalError } from '../../local/error/index.ts';
import { ensurePrivateDir, readPrivateFile, writeAtomic } from '../../local/files/index.ts';
import { statePaths } from '../../local/paths/index.ts';

export const Device = Type.Object({
  device_id: Type.String({ pattern: '^dev_[0-9A-HJKMNP-TV-Z]{26}$' }),
  name: Type.String(),
  /** The audience of this device's tokens and where its link connects; no path. */
  edge_origin: Type.String(),
  /** The address that a web AI is given. */
  mcp_url: Type.String(),
  paired_at_ms: Type.Integer(),
});
export type Device = Static<typeof Device>;

/** The device of a state folder, `undefined` before pairing. Throws a {@link LocalError} for a file that is no such record. */
export async function readDevice(stateDir: string): Promise<Device | undefined> {
  const path = statePaths(stateDir).device;
  const bytes = await readPrivateFile(path);
  if (bytes === undefined) return undefined;
  const device = parse(bytes.toString('utf8'));
  if (Value.Check(Device, device)) return device;
  throw new LocalError(
    'device_file_broken',
    `${path} does not name a paired device, so the link does not know who it is.`,
    'Restore the file, or remove it and pair this machine again.',
  );
}

/** Records the device. Everything before it (the key) must already be kept: this file is what makes a machine paired. */
export async function writeDevice(stateDir: string, device: Device): Promise<void> {
  ensurePrivateDir(stateDir);
  await writeAtomic(statePaths(stateDir).device, `${JSON.stringify(device, null, 2)}\n`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
