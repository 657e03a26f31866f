/**
 * Pairing: an address and six digits make a workstation a device. The address holds half of the secret in its fragment,
 * the person types the other half; both live ten minutes, and five wrong codes end the pairing.
 */
import { asc, count, eq, lte } from 'drizzle-orm';
import type { Paired, Pairing, PairingConsume } from '../../contract/fleet/index.ts';
import { ulid } from '../../contract/ids.ts';
import { CODE_TRIES, OPEN_PAIRINGS_MAX, PAIRING_MS, type Refused, refusal, resourceOf } from '../http/index.ts';
import { digest, randomHex, sameSecret, sixDigits } from '../secrets/index.ts';
import { liveDevices } from './devices.ts';
import { nameFor } from './names.ts';
import { devices, pairings, spentOperatorSecrets } from './schema.ts';
import type { FleetStore } from './store.ts';

export interface PairingContext {
  codeSecret: string;
  origin: string;
  nowMs: number;
}

const pairingDigest = (pairingId: string): Promise<string> => digest('pairing-id', pairingId);

/** Opens a pairing. Above the bound the oldest open one is dropped: its code no longer works. */
export async function openPairing(
  store: FleetStore,
  context: PairingContext,
  wish: { name?: string | undefined; operatorDigest?: string | undefined },
): Promise<Pairing> {
  const pairingId = `pair_${randomHex(16)}`;
  const idDigest = await pairingDigest(pairingId);
  const nonce = randomHex(16);
  const code = await sixDigits(context.codeSecret, 'pairing-code', `${pairingId}:${nonce}`);
  const expiresAtMs = context.nowMs + PAIRING_MS;
  store.atomically(() => {
    store.db.delete(pairings).where(lte(pairings.expiresAtMs, context.nowMs)).run();
    for (const surplus of openPairings(store).slice(0, -(OPEN_PAIRINGS_MAX - 1))) {
      store.db.delete(pairings).where(eq(pairings.idDigest, surplus.idDigest)).run();
    }
    store.db
      .insert(pairings)
      .values({
        idDigest,
        nonce,
        name: wish.name ?? null,
        tries: 0,
        createdAtMs: context.nowMs,
        expiresAtMs,
        operatorDigest: wish.operatorDigest ?? null,
      })
      .run();
  });
  return {
    ok: true,
    pairing_id: pairingId,
    code,
    address: `${context.origin}/pair#${pairingId}`,
    expires_at_ms: expiresAtMs,
  };
}

function openPairings(store: FleetStore): { idDigest: string }[] {
  return store.db.select({ idDigest: pairings.idDigest }).from(pairings).orderBy(asc(pairings.createdAtMs)).all();
}

/** One refusal for every reason: a stranger learns neither whether the id exists nor how many tries are left. */
const rejected = (): Refused =>
  refusal(
    'pairing_rejected',
    'This pairing address and code do not work: the code is wrong, was tried too often, or is older than ten minutes. No device was added.',
    'Make a new pairing on a paired workstation (`herdr-mcp worker pair`) and use its address and code.',
  );

/**
 * Turns an open pairing into a device. The same request repeated with the same key gets the same device, so that a lost
 * answer costs nothing; with another key it is refused, because the pairing is used up.
 */
export async function consumePairing(
  store: FleetStore,
  context: PairingContext,
  wish: PairingConsume,
): Promise<Paired | Refused> {
  const idDigest = await pairingDigest(wish.pairing_id);
  const found = store.db.select().from(pairings).where(eq(pairings.idDigest, idDigest)).get();
  if (!found) return rejected();
  const code = await sixDigits(context.codeSecret, 'pairing-code', `${wish.pairing_id}:${found.nonce}`);
  return store.atomically(() => {
    const row = store.db.select().from(pairings).where(eq(pairings.idDigest, idDigest)).get();
    if (!row || row.expiresAtMs <= context.nowMs || row.tries >= CODE_TRIES) return rejected();
    if (!sameSecret(code, wish.code)) {
      store.db
        .update(pairings)
        .set({ tries: row.tries + 1 })
        .where(eq(pairings.idDigest, idDigest))
        .run();
      return rejected();
    }
    if (row.deviceId !== null)
      return row.publicKey === wish.public_key.x ? known(store, context, row.deviceId) : rejected();
    return admit(store, context, row, wish);
  });
}

function known(store: FleetStore, context: PairingContext, deviceId: string): Paired | Refused {
  const device = liveDevices(store).find((row) => row.deviceId === deviceId);
  return device ? paired(context, deviceId, device.name) : rejected();
}

function admit(
  store: FleetStore,
  context: PairingContext,
  row: typeof pairings.$inferSelect,
  wish: PairingConsume,
): Paired {
  const deviceId = `dev_${ulid(context.nowMs, crypto.getRandomValues(new Uint8Array(10)))}`;
  const taken = new Set(liveDevices(store).map((device) => device.name));
  const name = nameFor([row.name, wish.name], deviceId, taken);
  const publicKey = wish.public_key.x;
  store.db
    .insert(devices)
    .values({
      deviceId,
      name,
      publicKey,
      authorization: 'active',
      origin: context.origin,
      paused: false,
      pairedAtMs: context.nowMs,
      mayBeLinked: false,
    })
    .run();
  store.db.update(pairings).set({ deviceId, publicKey }).where(eq(pairings.idDigest, row.idDigest)).run();
  if (row.operatorDigest !== null) {
    store.db
      .insert(spentOperatorSecrets)
      .values({ secretDigest: row.operatorDigest, spentAtMs: context.nowMs })
      .onConflictDoNothing()
      .run();
  }
  return paired(context, deviceId, name);
}

function paired(context: PairingContext, deviceId: string, name: string): Paired {
  return { ok: true, device_id: deviceId, name, origin: context.origin, mcp_url: resourceOf(context.origin) };
}

/** Whether an operator secret may still open a pairing: no device lives, and this secret has not paired one before. */
export function operatorMayPair(store: FleetStore, secretDigest: string): boolean {
  const spentBefore = store.db
    .select({ n: count() })
    .from(spentOperatorSecrets)
    .where(eq(spentOperatorSecrets.secretDigest, secretDigest))
    .get();
  return (spentBefore?.n ?? 0) === 0 && liveDevices(store).length === 0;
}
