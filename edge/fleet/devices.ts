/** The device registry: three separate axes (connection is not here), and tombstones that nothing undoes. */
import { eq, ne } from 'drizzle-orm';
import type { Authorization, Device, ListedDevice } from '../../contract/fleet/index.ts';
import { type FleetDevice, type Refused, refusal } from '../http/index.ts';
import type { Presence } from '../presence/index.ts';
import { devices } from './schema.ts';
import type { FleetStore } from './store.ts';

export type DeviceRow = typeof devices.$inferSelect;

function viewOf(row: DeviceRow): Device {
  return {
    device_id: row.deviceId,
    name: row.name,
    authorization: row.authorization,
    paused: row.paused,
    paired_at_ms: row.pairedAtMs,
    ...(row.origin === null ? {} : { origin: row.origin }),
    ...(row.isDefault ? { is_default: true } : {}),
  };
}

/** The same with what is known here of its link, for who routes, lists and revokes. */
export function fleetViewOf(row: DeviceRow): FleetDevice {
  return {
    ...viewOf(row),
    may_be_linked: row.mayBeLinked,
    ...(row.linkEndedAtMs === null ? {} : { link_ended_at_ms: row.linkEndedAtMs }),
  };
}

/** The same as people are shown it, with its connection. */
export function listedDevice(device: FleetDevice, presence: Presence | undefined, nowMs: number): ListedDevice {
  const { may_be_linked: _, link_ended_at_ms: __, ...about } = device;
  return {
    ...about,
    connection: presence?.connection ?? 'unknown',
    ...(presence?.last_seen_at_ms === undefined ? {} : { last_seen_ago_ms: nowMs - presence.last_seen_at_ms }),
    ...(presence?.runtime === undefined ? {} : { runtime_version: presence.runtime.version }),
  };
}

export function findDevice(store: FleetStore, deviceId: string): DeviceRow | undefined {
  return store.db.select().from(devices).where(eq(devices.deviceId, deviceId)).get();
}

/** Every device, tombstones too, oldest first (ids are time-ordered). */
export function allDevices(store: FleetStore): DeviceRow[] {
  return store.db.select().from(devices).orderBy(devices.deviceId).all();
}

/** Every device that is not revoked, oldest first. */
export function liveDevices(store: FleetStore): DeviceRow[] {
  return store.db.select().from(devices).where(ne(devices.authorization, 'revoked')).orderBy(devices.deviceId).all();
}

export type Changed = { ok: true; device: Device } | Refused;

const unknownDevice = (deviceId: string): Refused =>
  refusal(
    'device_not_found',
    `No device ${deviceId} is paired here. Nothing was changed.`,
    'Run `herdr-mcp worker list` and use the device id from its first column.',
  );

const revokedDevice = (row: DeviceRow): Refused =>
  refusal(
    'device_revoked',
    `${row.name} (${row.deviceId}) was revoked, which cannot be undone. Nothing was changed.`,
    'Pair the machine again: it becomes a new device.',
  );

/** Renames a device. Names are unique among devices that are not revoked. */
export function rename(store: FleetStore, deviceId: string, name: string): Changed {
  const row = findDevice(store, deviceId);
  if (!row) return unknownDevice(deviceId);
  if (row.authorization === 'revoked') return revokedDevice(row);
  const wished = name.trim();
  const holder = liveDevices(store).find((other) => other.name === wished && other.deviceId !== deviceId);
  if (holder) {
    return refusal(
      'device_name_taken',
      `${holder.deviceId} is already called ${wished}. Nothing was changed.`,
      'Choose another name: a name must mean one device.',
    );
  }
  store.db.update(devices).set({ name: wished }).where(eq(devices.deviceId, deviceId)).run();
  return { ok: true, device: viewOf({ ...row, name: wished }) };
}

/** Scheduling: a paused device stays connected and gets no new calls. */
export function setPaused(store: FleetStore, deviceId: string, paused: boolean): Changed {
  const row = findDevice(store, deviceId);
  if (!row) return unknownDevice(deviceId);
  if (row.authorization === 'revoked') return revokedDevice(row);
  if (row.paused !== paused) store.db.update(devices).set({ paused }).where(eq(devices.deviceId, deviceId)).run();
  return { ok: true, device: viewOf({ ...row, paused }) };
}

/** Authorisation. From `revoked` nothing leads back; asking for it again is the same answer. */
export function setAuthorization(store: FleetStore, deviceId: string, authorization: Authorization): Changed {
  const row = findDevice(store, deviceId);
  if (!row) return unknownDevice(deviceId);
  if (row.authorization === 'revoked' && authorization !== 'revoked') return revokedDevice(row);
  // A tombstone as the default would refuse every call that names none, for ever.
  const isDefault = row.isDefault && authorization !== 'revoked';
  if (row.authorization !== authorization) {
    store.db.update(devices).set({ authorization, isDefault }).where(eq(devices.deviceId, deviceId)).run();
  }
  return { ok: true, device: viewOf({ ...row, authorization, isDefault }) };
}

/** Which device a call means that names none; `null` for none. Repeating it changes nothing. */
export function setDefault(store: FleetStore, deviceId: string | null): { ok: true; device: Device | null } | Refused {
  const row = deviceId === null ? undefined : findDevice(store, deviceId);
  if (deviceId !== null && !row) return unknownDevice(deviceId);
  if (row?.authorization === 'revoked') return revokedDevice(row);
  store.atomically(() => {
    store.db.update(devices).set({ isDefault: false }).where(eq(devices.isDefault, true)).run();
    if (row) store.db.update(devices).set({ isDefault: true }).where(eq(devices.deviceId, row.deviceId)).run();
  });
  return { ok: true, device: row ? viewOf({ ...row, isDefault: true }) : null };
}

/** Written only when a device comes by another address than the last time. */
export function noteOrigin(store: FleetStore, row: DeviceRow, origin: string): void {
  if (row.origin !== origin) store.db.update(devices).set({ origin }).where(eq(devices.deviceId, row.deviceId)).run();
}

/** Replaces a device's public key; tokens of the old one stop working at once. */
export function rotateKey(store: FleetStore, deviceId: string, publicKey: string): Changed {
  const row = findDevice(store, deviceId);
  if (!row) return unknownDevice(deviceId);
  if (row.authorization === 'revoked') return revokedDevice(row);
  store.db.update(devices).set({ publicKey }).where(eq(devices.deviceId, deviceId)).run();
  return { ok: true, device: viewOf(row) };
}
