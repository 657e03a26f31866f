import { type Context, Hono } from 'hono';
import type { Static, TSchema } from 'typebox';
import {
  AutomationCreate,
  AutomationTarget,
  ConnectorApprove,
  ConnectorDeny,
  ConnectorInspect,
  ConnectorRevoke,
  DeviceDefault,
  DeviceRename,
  DeviceRotateKey,
  DeviceTarget,
  PairingConsume,
  PairingRequest,
} from '../../contract/fleet/index.ts';
import { renderPairPage } from '../consent/index.ts';
import {
  callerAddress,
  languageOf,
  MAIN,
  originOf,
  parseOrigins,
  privateJson,
  type Refused,
  refusal,
  refuse,
} from '../http/index.ts';
import { presencesOf } from '../presence/index.ts';
import { authenticateDevice, deviceTokenOf, type FleetEnv, fleetOf } from './authenticate.ts';
import { listedDevice } from './devices.ts';
import { bodyOf } from './intake.ts';

type RouteContext = Context<{ Bindings: FleetEnv }>;

/**
 * The fleet's REST and the pairing page. Every route but `consume` and the page is signed by a paired device; the only
 * other way in is the one-time operator secret, and only to open the first pairing. No connector may call any of them.
 */
export const fleetRoutes = new Hono<{ Bindings: FleetEnv }>();

const answer = (result: { ok: true } | Refused): Response =>
  result.ok ? privateJson(result) : refuse(result, Date.now());

const callerOf = (c: RouteContext): { origin: string; address: string } => ({
  origin: originOf(parseOrigins(c.env.ORIGINS), c.req.url),
  address: callerAddress(c.req.raw.headers),
});

/** A route for paired devices: authenticates, reads the body, answers. */
function forDevices<S extends TSchema>(
  schema: S,
  act: (c: RouteContext, body: Static<S>, self: { deviceId: string }) => Promise<{ ok: true } | Refused>,
): (c: RouteContext) => Promise<Response> {
  return async (c) => {
    const intake = await bodyOf(c.req.raw, schema);
    if (!intake.ok) return intake.response;
    const self = await authenticateDevice(c.req.raw, c.env);
    return self.ok ? answer(await act(c, intake.body, self)) : self.response;
  };
}

fleetRoutes.get('/pair', (c) => renderPairPage(languageOf(c.req.header('accept-language') ?? null)));

fleetRoutes.post('/devices/pairings', async (c) => {
  const intake = await bodyOf(c.req.raw, PairingRequest);
  if (!intake.ok) return intake.response;
  const bearer = deviceTokenOf(c.req.raw.headers);
  if (bearer !== undefined && !bearer.includes('.')) {
    return answer(await fleetOf(c.env).openPairing({ operatorSecret: bearer }, intake.body, callerOf(c)));
  }
  const self = await authenticateDevice(c.req.raw, c.env);
  if (!self.ok) return self.response;
  return answer(await fleetOf(c.env).openPairing({ deviceId: self.deviceId }, intake.body, callerOf(c)));
});

fleetRoutes.post('/devices/pairings/consume', async (c) => {
  const intake = await bodyOf(c.req.raw, PairingConsume);
  return intake.ok ? answer(await fleetOf(c.env).consumePairing(intake.body, callerOf(c))) : intake.response;
});

fleetRoutes.get('/devices', async (c) => {
  const self = await authenticateDevice(c.req.raw, c.env);
  if (!self.ok) return self.response;
  const known = (await fleetOf(c.env).listDevices()).filter((device) => device.authorization !== 'revoked');
  const nowMs = Date.now();
  const presences = await presencesOf(c.env, known, nowMs);
  const devices = known.map((device, index) => listedDevice(device, presences[index], nowMs));
  return privateJson({ ok: true, devices, self: self.deviceId, observed_at_ms: nowMs });
});

fleetRoutes.post(
  '/devices/rename',
  forDevices(DeviceRename, (c, body) => fleetOf(c.env).rename(body.device_id, body.name)),
);
fleetRoutes.post(
  '/devices/default',
  forDevices(DeviceDefault, (c, body) => fleetOf(c.env).setDefault(body.device_id)),
);
fleetRoutes.post(
  '/devices/pause',
  forDevices(DeviceTarget, (c, body) => fleetOf(c.env).setPaused(body.device_id, true)),
);
fleetRoutes.post(
  '/devices/resume',
  forDevices(DeviceTarget, (c, body) => fleetOf(c.env).setPaused(body.device_id, false)),
);
fleetRoutes.post(
  '/devices/suspend',
  forDevices(DeviceTarget, (c, body) => fleetOf(c.env).setAuthorization(body.device_id, 'suspended')),
);
fleetRoutes.post(
  '/devices/restore',
  forDevices(DeviceTarget, (c, body) => fleetOf(c.env).setAuthorization(body.device_id, 'active')),
);
fleetRoutes.post(
  '/devices/revoke',
  forDevices(DeviceTarget, (c, body) => fleetOf(c.env).setAuthorization(body.device_id, 'revoked')),
);
fleetRoutes.post('/devices/revoke-self', async (c) => {
  const self = await authenticateDevice(c.req.raw, c.env);
  return self.ok ? answer(await fleetOf(c.env).setAuthorization(self.deviceId, 'revoked')) : self.response;
});
fleetRoutes.post(
  '/devices/rotate-key',
  forDevices(DeviceRotateKey, (c, body, self) => fleetOf(c.env).rotateKey(self.deviceId, body.public_key.x)),
);

fleetRoutes.get('/connectors', async (c) => {
  const self = await authenticateDevice(c.req.raw, c.env);
  if (!self.ok) return self.response;
  const listed = await authOf(c.env).listConnectors();
  return privateJson({ ok: true, ...listed, observed_at_ms: Date.now() });
});

fleetRoutes.post(
  '/connectors/inspect',
  forDevices(ConnectorInspect, (c, body) => authOf(c.env).inspect(body)),
);
fleetRoutes.post(
  '/connectors/approve',
  forDevices(ConnectorApprove, async (c, body, self) => {
    if (body.device_id !== undefined && !(await isLiveDevice(c, body.device_id))) {
      return noSuchDevice(body.device_id, 'approved');
    }
    return authOf(c.env).approve({ ...body, by: self.deviceId });
  }),
);
fleetRoutes.post(
  '/connectors/deny',
  forDevices(ConnectorDeny, (c, body) => authOf(c.env).deny(body.request_id)),
);
fleetRoutes.post(
  '/connectors/revoke',
  forDevices(ConnectorRevoke, (c, body) => authOf(c.env).revoke(body.connector_id)),
);

fleetRoutes.get('/automations', async (c) => {
  const self = await authenticateDevice(c.req.raw, c.env);
  if (!self.ok) return self.response;
  return privateJson({ ok: true, automations: await authOf(c.env).listAutomations() });
});

fleetRoutes.post(
  '/automations',
  forDevices(AutomationCreate, async (c, body, self) => {
    if (!(await isLiveDevice(c, body.device_id))) return noSuchDevice(body.device_id, 'made');
    const { origin } = callerOf(c);
    return authOf(c.env).createAutomation({ name: body.name, deviceId: body.device_id, by: self.deviceId, origin });
  }),
);
fleetRoutes.post(
  '/automations/rotate',
  forDevices(AutomationTarget, (c, body) =>
    authOf(c.env).rotateAutomation({ clientId: body.client_id, origin: callerOf(c).origin }),
  ),
);
fleetRoutes.post(
  '/automations/revoke',
  forDevices(AutomationTarget, (c, body) => authOf(c.env).revokeAutomation(body.client_id)),
);

async function isLiveDevice(c: RouteContext, deviceId: string): Promise<boolean> {
  const devices = await fleetOf(c.env).listDevices();
  return devices.some((device) => device.device_id === deviceId && device.authorization !== 'revoked');
}

function noSuchDevice(deviceId: string, whatWasNotDone: string): Refused {
  return refusal(
    'device_not_found',
    `No device ${deviceId} is paired here. Nothing was ${whatWasNotDone}.`,
    'Run `herdr-mcp worker list` and use the device id from its first column.',
  );
}

function authOf(env: FleetEnv) {
  return env.AUTH.getByName(MAIN);
}

for (const path of ['/devices', '/devices/*', '/connectors', '/connectors/*', '/automations', '/automations/*']) {
  fleetRoutes.all(path, (c) =>
    refuse(
      refusal(
        'not_found',
        `${c.req.method} ${c.req.path} is no route of the fleet.`,
        'Use the herdr-mcp command of the same release as this edge.',
      ),
      Date.now(),
    ),
  );
}
