import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Device } from '../../link/identity/index.ts';
import { openIdentity, pairFirst, readDevice, writeDevice } from '../../link/identity/index.ts';
import { LocalError } from '../../local/error/index.ts';
import type { LocalEdge } from './edge.ts';

/**
 * Pairs this clone with its own edge the first time, and follows the edge when its port has moved. The edge's objects
 * and `device.json` belong together: when only one of the two is left, nothing is guessed.
 */
export async function ensurePaired(stateDir: string, edge: LocalEdge): Promise<Device> {
  const device = await readDevice(stateDir);
  if (device) {
    if (device.edge_origin === edge.origin) return device;
    const moved = { ...device, edge_origin: edge.origin, mcp_url: `${edge.origin}/mcp` };
    await writeDevice(stateDir, moved);
    return moved;
  }
  try {
    return await pairFirst(edge.origin, edge.operatorSecret, { stateDir });
  } catch (error) {
    if (!(error instanceof LocalError) || error.code !== 'operator_secret_spent') throw error;
    throw new LocalError(
      'device_file_missing',
      `The local edge knows this clone's device, but ${stateDir}/device.json is gone.`,
      `Put it back, or begin anew: remove ${stateDir}/edge (web AIs then sign in again).`,
      error,
    );
  }
}

/**
 * Throws when a folder is paired with an edge that is not its own: following that one to a local port would lose it; and
 * when its key is lost, because the link could not prove itself once everything runs.
 */
export async function requireOwnEdge(stateDir: string, device: Device): Promise<void> {
  const isHere = new URL(device.edge_origin).hostname === '127.0.0.1' && existsSync(join(stateDir, 'edge'));
  if (!isHere) {
    throw new LocalError(
      'paired_elsewhere',
      `${stateDir} is paired with ${device.edge_origin}, not with an edge of its own; nothing was started or changed.`,
      `Use that edge: npm start -- --edge ${device.edge_origin} (or another state folder: HERDR_MCP_STATE_DIR).`,
    );
  }
  try {
    await openIdentity(stateDir);
  } catch (error) {
    if (!(error instanceof LocalError) || !KEY_LOST.has(error.code)) throw error;
    throw new LocalError(
      error.code,
      `The key of this clone's device is gone from ${stateDir}/keys, or is broken; nothing was started or changed.`,
      `Put it back, or begin anew: remove ${stateDir}/edge and ${stateDir}/device.json (web AIs then sign in again).`,
      error,
    );
  }
}

const KEY_LOST: ReadonlySet<string> = new Set(['device_key_missing', 'device_key_broken']);
