import { DurableObject } from 'cloudflare:workers';
import { eq, lte } from 'drizzle-orm';
import {
  type Authorization,
  type Paired,
  type Pairing,
  type PairingConsume,
  parseDeviceToken,
} from '../../contract/fleet/index.ts';
import { type ControlAnswer, type ControlInput, runControl } from '../control/index.ts';
import {
  DEVICE_REQUESTS_PER_MINUTE,
  type FleetDevice,
  GUESSES_PER_MINUTE,
  type IdentityEnv,
  parseOrigins,
  RateWindow,
  type Refused,
  UPLOADS_PER_MINUTE,
} from '../http/index.ts';
import { log } from '../log.ts';
import { digest, sameSecret } from '../secrets/index.ts';
import { forgettableAtMs, judgeTimes, signedBy } from './device-token.ts';
import {
  allDevices,
  type Changed,
  findDevice,
  fleetViewOf,
  noteOrigin,
  rename,
  rotateKey,
  setAuthorization,
  setDefault,
  setPaused,
} from './devices.ts';
import { admitLink, type Concerned, endPrincipal, linkEnded } from './links.ts';
import { consumePairing, openPairing, operatorMayPair, type PairingContext } from './pairings.ts';
import {
  authFailed,
  clockSkew,
  incomplete,
  misconfigured,
  operatorRejected,
  operatorSpent,
  replayed,
  revoked,
  slowDown,
  suspended,
} from './refusals.ts';
import { spentTokens } from './schema.ts';
import { type FleetStore, openStore } from './store.ts';
import { tellWorkstation } from './telling.ts';

export type DeviceIdentity = { ok: true; deviceId: string; name: string };

/** Who opens a pairing: a device that has just proved itself, or a bearer that may be the operator secret. */
export type PairingMaker = { deviceId: string } | { operatorSecret: string };

/**
 * The fleet: which workstations are paired and may act. One object for the whole deployment. It stores public keys
 * only, and nothing about connection, which each device's own object knows.
 */
export class Fleet extends DurableObject<IdentityEnv> {
  #store!: FleetStore;
  readonly #guesses = new RateWindow(GUESSES_PER_MINUTE);
  readonly #uploads = new RateWindow(UPLOADS_PER_MINUTE);
  readonly #requests = new RateWindow(DEVICE_REQUESTS_PER_MINUTE);

  constructor(ctx: DurableObjectState, env: IdentityEnv) {
    super(ctx, env);
    ctx.blockConcurrencyWhile(async () => {
      this.#store = await openStore(ctx.storage);
    });
  }

  /** Every device, revoked ones too (a caller that names one must be told so), oldest first. Reads only. */
  listDevices(): FleetDevice[] {
    return allDevices(this.#store).map(fleetViewOf);
  }

  /**
   * Checks a device's token and spends it: shape, audience, registry, signature, times, first use, in that order. A
   * question of clocks is answered with ours, so that the workstation can correct itself once.
   */
  async authenticate(token: string): Promise<DeviceIdentity | Refused> {
    const answer = await this.#judge(token);
    if (!answer.ok) log('device_refused', { why: answer.code });
    return answer;
  }

  /** The same for a link's upgrade. Names the link, and who has to be refused over it from its first moment. */
  async admitLink(token: string): Promise<(DeviceIdentity & { linkId: string; ended: string[] }) | Refused> {
    const answer = await this.authenticate(token);
    if (!answer.ok) return answer;
    const linkId = crypto.randomUUID();
    return { ...answer, linkId, ended: admitLink(this.#store, answer.deviceId, linkId, Date.now()) };
  }

  /** A device's own object saw the end of a link. */
  linkEnded(deviceId: string, linkId: string): void {
    linkEnded(this.#store, deviceId, linkId, Date.now());
  }

  /** A connector or automation client has ended: see {@link Concerned}. */
  endPrincipal(ended: { id: string; deviceId: string | null }): Concerned {
    return endPrincipal(this.#store, ended, Date.now());
  }

  async #judge(token: string): Promise<DeviceIdentity | Refused> {
    const parsed = parseDeviceToken(token);
    const row = parsed && findDevice(this.#store, parsed.claims.sub);
    if (!parsed || !row || !parseOrigins(this.env.ORIGINS).all.includes(parsed.claims.aud)) return authFailed();
    if (!(await signedBy(row.publicKey, parsed))) return authFailed();
    const nowMs = Date.now();
    const times = judgeTimes(parsed.claims, nowMs);
    if (times === 'too_long') return authFailed();
    if (times === 'clock_skew') return clockSkew(nowMs);
    if (row.authorization === 'revoked') return revoked(row.name);
    if (row.authorization === 'suspended') return suspended(row.name);
    const waitMs = this.#requests.hit(row.deviceId, nowMs);
    if (waitMs > 0) return slowDown(waitMs);
    if (!this.#spend(parsed.claims.jti, forgettableAtMs(parsed.claims), nowMs)) return replayed();
    noteOrigin(this.#store, row, parsed.claims.aud);
    return { ok: true, deviceId: row.deviceId, name: row.name };
  }

  #spend(jti: string, expiresAtMs: number, nowMs: number): boolean {
    return this.#store.atomically(() => {
      const { db } = this.#store;
      db.delete(spentTokens).where(lte(spentTokens.expiresAtMs, nowMs)).run();
      if (db.select().from(spentTokens).where(eq(spentTokens.jti, jti)).get()) return false;
      db.insert(spentTokens).values({ jti, expiresAtMs }).run();
      return true;
    });
  }

  /** Opens a pairing for a device or, while no device lives, for the one-time operator secret. */
  async openPairing(
    maker: PairingMaker,
    wish: { name?: string | undefined },
    caller: { origin: string; address: string },
  ): Promise<Pairing | Refused> {
    const context = this.#context(caller.origin);
    if (!context) return misconfigured();
    if ('deviceId' in maker) {
      log('pairing_opened', { by: maker.deviceId });
      return openPairing(this.#store, context, wish);
    }
    const waitMs = this.#guesses.hit(caller.address, context.nowMs);
    if (waitMs > 0) return slowDown(waitMs);
    const expected = this.env.OPERATOR_SECRET;
    const operatorDigest = await digest('operator-secret', maker.operatorSecret);
    const known = expected && sameSecret(operatorDigest, await digest('operator-secret', expected));
    if (!known || !operatorMayPair(this.#store, operatorDigest)) {
      log('pairing_refused', { why: known ? 'operator_secret_spent' : 'operator_secret_rejected' });
      return known ? operatorSpent() : operatorRejected();
    }
    log('pairing_opened', { by: 'operator' });
    return openPairing(this.#store, context, { ...wish, operatorDigest });
  }

  /** Turns an open pairing into a device; see {@link consumePairing}. */
  async consumePairing(wish: PairingConsume, caller: { origin: string; address: string }): Promise<Paired | Refused> {
    const context = this.#context(caller.origin);
    if (!context) return misconfigured();
    const waitMs = this.#guesses.hit(caller.address, context.nowMs);
    if (waitMs > 0) return slowDown(waitMs);
    const paired = await consumePairing(this.#store, context, wish);
    if (paired.ok) log('device_paired', { device: paired.device_id });
    else log('pairing_refused', { why: paired.code });
    return paired;
  }

  #context(origin: string): PairingContext | undefined {
    const codeSecret = this.env.CODE_SECRET;
    return codeSecret ? { codeSecret, origin, nowMs: Date.now() } : undefined;
  }

  rename(deviceId: string, name: string): Changed {
    const changed = rename(this.#store, deviceId, name);
    if (changed.ok) log('device_renamed', { device: deviceId });
    return changed;
  }

  /** A paused device keeps its connection and what runs on it, and takes no new call. */
  async setPaused(deviceId: string, paused: boolean): Promise<Changed> {
    const changed = setPaused(this.#store, deviceId, paused);
    if (changed.ok) log(paused ? 'device_paused' : 'device_resumed', { device: deviceId });
    return this.#confirmed(changed);
  }

  /** Which workstation a call means that names none. */
  setDefault(deviceId: string | null): ReturnType<typeof setDefault> {
    const changed = setDefault(this.#store, deviceId);
    if (changed.ok) log('default_device', { device: deviceId ?? 'none' });
    return changed;
  }

  /**
   * Changes what a device may do. A suspended one gets no calls and cannot connect; a revoked one never again. The
   * registry is written first, so that a failure on the way fails closed, and asking again converges.
   */
  async setAuthorization(deviceId: string, authorization: Authorization): Promise<Changed> {
    const changed = setAuthorization(this.#store, deviceId, authorization);
    if (changed.ok) log('device_authorization', { device: deviceId, authorization });
    return this.#confirmed(changed);
  }

  async #confirmed(changed: Changed): Promise<Changed> {
    if (!changed.ok) return changed;
    const { device_id: deviceId } = changed.device;
    return (await tellWorkstation(this.env, () => findDevice(this.#store, deviceId))) ? changed : incomplete(changed);
  }

  /** One of the eleven methods of fleet control; who asks was authenticated, params fit the method's schema. */
  control(input: ControlInput): ControlAnswer {
    const store = { ...this.#store, isLiveDevice: (deviceId: string) => this.#isLive(deviceId) };
    const answer = runControl(store, input, Date.now());
    log(answer.ok ? 'control' : 'control_refused', {
      method: input.method,
      principal: input.principal.id,
      why: answer.ok ? undefined : answer.code,
    });
    return answer;
  }

  /** Counts one upload of an artifact; how long to wait first, in ms, 0 when it may go on. */
  admitUpload(principalId: string): number {
    return this.#uploads.hit(principalId, Date.now());
  }

  #isLive(deviceId: string): boolean {
    const row = findDevice(this.#store, deviceId);
    return row !== undefined && row.authorization !== 'revoked';
  }

  rotateKey(deviceId: string, publicKey: string): Changed {
    const changed = rotateKey(this.#store, deviceId, publicKey);
    if (changed.ok) log('device_key_rotated', { device: deviceId });
    return changed;
  }
}
