import { AUTH_SUBPROTOCOL_PREFIX, LINK_SUBPROTOCOL } from '../../contract/link/index.ts';
import { type IdentityEnv, MAIN, refusal, refuse } from '../http/index.ts';
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

type Denied = { ok: false; response: Response };

/**
 * Which paired device asks. Each token is accepted once, so this is called once a request. The refusal is a finished
 * 401 or 403 with `no-store`, `Date`, and for a question of clocks `now_ms`; the token is never echoed.
 */
export async function authenticateDevice(request: Request, env: FleetEnv): Promise<DeviceIdentity | Denied> {
  const token = deviceTokenOf(request.headers);
  if (token === undefined) return unsigned();
  const answer = await fleetOf(env).authenticate(token);
  return answer.ok ? answer : { ok: false, response: refuse(answer, Date.now()) };
}

/** The same for a link's upgrade; see `Fleet.admitLink`. */
export async function admitLink(
  request: Request,
  env: FleetEnv,
): Promise<(DeviceIdentity & { linkId: string; ended: string[] }) | Denied> {
  const token = deviceTokenOf(request.headers);
  if (token === undefined) return unsigned();
  const answer = await fleetOf(env).admitLink(token);
  return answer.ok ? answer : { ok: false, response: refuse(answer, Date.now()) };
}

function unsigned(): Denied {
  const missing = refusal(
    'device_auth_failed',
    'A paired device has to sign this request, and it carries no device token. Nothing was changed.',
    'Run the command on a paired workstation; `herdr-mcp worker connect` pairs one.',
  );
  return { ok: false, response: refuse(missing, Date.now()) };
}
