import { AUTH_SUBPROTOCOL_PREFIX, LINK_SUBPROTOCOL } from '../../contract/link/index.ts';
import { countRefusal, type IdentityEnv, MAIN, type Refused, refusal, refuse, refusedTooOften } from '../http/index.ts';
import type { DeviceIdentity, Fleet } from './object.ts';

/** The `Fleet` object of this deployment. */
export function fleetOf(env: FleetEnv): DurableObjectStub<Fleet> {
  return env.FLEET.getByName(MAIN);
}

export type FleetEnv = Omit<IdentityEnv, 'FLEET'> & { FLEET: DurableObjectNamespace<Fleet> };

/**
 * The token that a request carries: `Authorization: Bearer`, or on an upgrade the subprotocol entry beside
 * `herdr-link.v2`. More than one, or none, is no token.
 */
export function deviceTokenOf(headers: Headers): string | undefined {
  const bearer = /^Bearer ([^\s]+)$/i.exec(headers.get('authorization') ?? '')?.[1];
  const offered = (headers.get('sec-websocket-protocol') ?? '').split(',').map((entry) => entry.trim());
  const inProtocol = offered.includes(LINK_SUBPROTOCOL)
    ? offered.filter((entry) => entry.startsWith(AUTH_SUBPROTOCOL_PREFIX))
    : [];
  const found = [
    ...(bearer ? [bearer] : []),
    ...inProtocol.map((entry) => entry.slice(AUTH_SUBPROTOCOL_PREFIX.length)),
  ];
  return found.length === 1 ? found[0] : undefined;
}

type AdmittedLink = DeviceIdentity & { linkId: string; ended: string[] };

type Denied = { ok: false; response: Response };

/**
 * Which paired device asks. Each token is accepted once, so this is called once a request. The refusal is a finished
 * 401 or 403 with `no-store`, `Date`, and for a question of clocks `now_ms`; the token is never echoed.
 */
export function authenticateDevice(request: Request, env: FleetEnv): Promise<DeviceIdentity | Denied> {
  return judged<DeviceIdentity>(request, (token) => fleetOf(env).authenticate(token));
}

/** The same for a link's upgrade; see `Fleet.admitLink`. */
export function admitLink(request: Request, env: FleetEnv): Promise<AdmittedLink | Denied> {
  return judged<AdmittedLink>(request, (token) => fleetOf(env).admitLink(token));
}

async function judged<T extends { ok: true }>(
  { headers }: Request,
  judge: (token: string) => Promise<T | Refused>,
): Promise<T | Denied> {
  const nowMs = Date.now();
  const waitMs = refusedTooOften(headers, nowMs);
  if (waitMs > 0) return denied(tooOften(waitMs), nowMs);
  const token = deviceTokenOf(headers);
  const answer = token === undefined ? UNSIGNED : await judge(token);
  if (answer.ok) return answer;
  if (answer.code !== 'rate_limited') countRefusal(headers, nowMs);
  return denied(answer, Date.now());
}

const denied = (refused: Refused, nowMs: number): Denied => ({ ok: false, response: refuse(refused, nowMs) });

const UNSIGNED = refusal(
  'device_auth_failed',
  'A paired device has to sign this request, and it carries no device token. Nothing was changed.',
  'Run the command on a paired workstation; `herdr-mcp worker connect` pairs one.',
);

const tooOften = (waitMs: number): Refused =>
  refusal(
    'rate_limited',
    'Too many requests from your address were refused. Nothing was changed.',
    'Wait as long as `retry_after_ms` says.',
    { retry_after_ms: waitMs },
  );
