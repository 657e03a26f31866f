import { Hono } from 'hono';
import { CURRENT_PUBLIC, CURRENT_RUNTIME, EPOCH_STATE, RUNTIME_EPOCHS } from '../contract/epochs/index.ts';
import { DEVICE_ID } from '../contract/ids.ts';
import { LINK_PROTOCOL } from '../contract/link/index.ts';
import { authenticate } from './auth/index.ts';
import type { Env } from './env.ts';
import { authenticateDevice } from './fleet/index.ts';
import { log } from './log.ts';
import { servedBy } from './mcp/index.ts';

/** What this edge is and serves: facts that need no workstation, and the presence of one that may be asked about. */
export const facts = new Hono<{ Bindings: Env }>();

const NO_STORE = { 'cache-control': 'no-store' };

facts.get('/health', (c) => {
  const { contract } = servedBy(c.env);
  return c.json(
    {
      ok: true,
      service: 'herdr-mcp-edge',
      stage: c.env.STAGE,
      edge_version: c.env.EDGE_VERSION ?? 'dev',
      public_contract: { epoch: contract.epoch, hash: contract.hash },
      runtime_contract: { epoch: CURRENT_RUNTIME.epoch, hash: CURRENT_RUNTIME.hash },
      link_protocol: LINK_PROTOCOL,
      now_ms: Date.now(),
    },
    200,
    NO_STORE,
  );
});

facts.get('/info', (c) => {
  const { contract } = servedBy(c.env);
  return c.json(
    {
      ok: true,
      service: 'herdr-mcp-edge',
      stage: c.env.STAGE,
      edge_version: c.env.EDGE_VERSION ?? 'dev',
      public_contract: {
        epoch: contract.epoch,
        hash: contract.hash,
        tools: contract.tools.length,
        state: EPOCH_STATE.public,
        current: contract.epoch === CURRENT_PUBLIC.epoch,
      },
      runtime_contract: { epoch: CURRENT_RUNTIME.epoch, hash: CURRENT_RUNTIME.hash, state: EPOCH_STATE.runtime },
      accepted_runtime_contracts: Object.values(RUNTIME_EPOCHS).map(({ epoch, hash }) => ({ epoch, hash })),
      link_protocol: LINK_PROTOCOL,
      origins: c.env.ORIGINS.split(',').map((origin) => origin.trim()),
      routes: ROUTES,
    },
    200,
    NO_STORE,
  );
});

const ROUTES = [
  '/health',
  '/info',
  '/mcp',
  '/ws',
  '/status/:device',
  '/authorize',
  '/token',
  '/register',
  '/pair',
  '/devices',
  '/dispatches',
  '/connectors',
  '/automations',
  '/semantic/status',
  '/artifacts',
];

/** Presence of one device, for a caller that may reach it or for a paired workstation. */
facts.get('/status/:device', async (c) => {
  const device = c.req.param('device');
  const allowed = await mayAsk(c.req.raw, c.env, device);
  if (allowed !== true) return allowed;
  if (!DEVICE_ID.test(device)) {
    return c.json({ ok: false, code: 'device_not_found', message: 'No such device.', retryable: false }, 404, NO_STORE);
  }
  const status = await c.env.WORKSTATION.getByName(device).status();
  return c.json({ ok: true, device_id: device, ...status, at_ms: Date.now() }, 200, NO_STORE);
});

async function mayAsk(request: Request, env: Env, device: string): Promise<true | Response> {
  const bearer = request.headers.get('authorization') ?? '';
  // A device's token is a JWT and has dots; a connector's has none.
  if (bearer.includes('.')) {
    const known = await authenticateDevice(request, env);
    return known.ok ? true : known.response;
  }
  const caller = await authenticate(request, env, { fresh: true });
  if (!caller.ok) return caller.response;
  const { deviceId } = caller.principal;
  if (deviceId === undefined || deviceId === device) return true;
  log('status_refused', { device });
  return Response.json(
    {
      ok: false,
      code: 'device_not_allowed',
      message: 'This connection is approved for another device.',
      retryable: false,
    },
    { status: 403, headers: NO_STORE },
  );
}
