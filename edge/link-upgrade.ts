import { LINK_SUBPROTOCOL } from '../contract/link/index.ts';
import type { Env } from './env.ts';
import { authenticateDevice } from './fleet/index.ts';

/** `GET /ws`: the link of a paired device. Who it is comes from its token; a device in the path must be the same. */
export async function linkUpgrade(request: Request, env: Env, pathDevice?: string): Promise<Response> {
  if (request.headers.get('upgrade')?.toLowerCase() !== 'websocket') {
    return refusal(426, 'upgrade_required', 'This address takes WebSocket upgrades only.', { upgrade: 'websocket' });
  }
  const offered = (request.headers.get('sec-websocket-protocol') ?? '').split(',').map((entry) => entry.trim());
  if (!offered.includes(LINK_SUBPROTOCOL)) {
    return refusal(400, 'protocol_unsupported', `This edge speaks ${LINK_SUBPROTOCOL}. Update the older of the two.`);
  }
  const device = await authenticateDevice(request, env);
  if (!device.ok) return device.response;
  if (pathDevice !== undefined && pathDevice !== device.deviceId) {
    return refusal(403, 'device_not_allowed', 'The token belongs to another device than the address names.');
  }
  return env.WORKSTATION.getByName(device.deviceId).fetch('https://workstation/link', {
    headers: { upgrade: 'websocket' },
  });
}

function refusal(status: number, code: string, message: string, headers: Record<string, string> = {}): Response {
  return Response.json(
    { ok: false, code, message, retryable: false },
    { status, headers: { 'cache-control': 'no-store', ...headers } },
  );
}
