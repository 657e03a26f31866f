import { LINK_SUBPROTOCOL } from '../contract/link/index.ts';
import type { Env } from './env.ts';
import { admitLink } from './fleet/index.ts';
import { LINK_ID_HEADER } from './workstation/index.ts';

/** `GET /ws`: the link of a paired device. Who it is comes from its token; a device in the path must be the same. */
export async function linkUpgrade(request: Request, env: Env, pathDevice?: string): Promise<Response> {
  if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket') {
    return refusal(426, 'upgrade_required', 'This address takes WebSocket upgrades only.', { upgrade: 'websocket' });
  }
  const offered = (request.headers.get('sec-websocket-protocol') ?? '').split(',').map((entry) => entry.trim());
  if (!offered.includes(LINK_SUBPROTOCOL)) {
    return refusal(400, 'protocol_unsupported', `This edge speaks ${LINK_SUBPROTOCOL}. Update the older of the two.`);
  }
  const device = await admitLink(request, env);
  if (!device.ok) return device.response;
  if (pathDevice !== undefined && pathDevice !== device.deviceId) {
    return refusal(403, 'device_not_allowed', 'The token belongs to another device than the address names.');
  }
  const object = env.WORKSTATION.getByName(device.deviceId);
  // Who ended while no link was there is refused before the first call can go over this one.
  for (const principalId of device.ended) await object.revokeConnector(principalId);
  return object.fetch('https://workstation/link', {
    headers: { upgrade: 'websocket', [LINK_ID_HEADER]: device.linkId },
  });
}

function refusal(status: number, code: string, message: string, headers: Record<string, string> = {}): Response {
  return Response.json(
    { ok: false, code, message, retryable: false },
    { status, headers: { 'cache-control': 'no-store', ...headers } },
  );
}
