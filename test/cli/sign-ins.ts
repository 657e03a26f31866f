/** What the edge says of sign-ins and connectors, for the tests of `herdr-mcp connector`. */
import type { App, Connector, PendingRequest } from '../../contract/fleet/index.ts';
import { DEVICE } from './fake-edge.ts';

export const APP: App = { client_id: 'c', name: 'Some AI', redirect_host: 'ai.example' };

/** The n-th request of that app. */
export const request = (n: number, state: PendingRequest['state'] = 'pending'): PendingRequest => ({
  request_id: `req_${String(n).padStart(16, '0')}`,
  state,
  app: APP,
  scopes: ['mcp'],
  origin: 'https://edge.example',
  opened_at_ms: 1_000,
  expires_at_ms: 601_000,
  tries_left: 5,
});

/** What an approval makes of it. */
export const CONNECTOR: Connector = {
  connector_id: `conn_${'a'.repeat(32)}`,
  state: 'approved',
  app: APP,
  label: 'Some AI',
  scopes: ['mcp'],
  read_only: false,
  approved_at_ms: 0,
  approved_by: DEVICE,
};

/** The answer to `GET /connectors`, a minute after the requests were opened. */
export const listed = (...requests: PendingRequest[]) => ({
  body: { ok: true, requests, connectors: [CONNECTOR], observed_at_ms: 61_000 },
});
