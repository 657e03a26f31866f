import type { App, Connector, PendingRequest } from '../../contract/fleet/index.ts';
import { age } from '../terminal/index.ts';

/**
 * The app as a person should judge it: first the domain that its own HTTPS document proves, or that nothing does; then
 * its name, quoted, because a name is a claim and may say "(verified)" itself.
 */
export function appOf(app: App): string {
  return `${app.verified_domain ?? 'unverified'}: ${JSON.stringify(app.name)}`;
}

const TOLD: Record<PendingRequest['state'], string> = {
  pending: 'waiting',
  locked: 'locked after five wrong codes',
  approved: 'approved',
  denied: 'denied',
};

/** Rows of the sign-ins that wait, newest last. */
export function requestRows(requests: readonly PendingRequest[], nowMs: number): string[][] {
  return [
    ['REQUEST', 'APP', 'GOES TO', 'SCOPES', 'AGE', 'STATE'],
    ...requests.map((request) => [
      request.request_id,
      appOf(request.app),
      request.app.redirect_host,
      request.scopes.join(' '),
      age(nowMs - request.opened_at_ms),
      TOLD[request.state],
    ]),
  ];
}

/** Rows of the connectors. */
export function connectorRows(connectors: readonly Connector[], nowMs: number): string[][] {
  return [
    ['CONNECTOR', 'LABEL', 'APP', 'MAY', 'STATE', 'LAST USED'],
    ...connectors.map((one) => [
      one.connector_id,
      one.label,
      appOf(one.app),
      [one.read_only ? 'read' : 'read and write', one.device_id ?? 'every device'].join(', '),
      one.state,
      one.last_used_at_ms === undefined ? 'never' : `${age(nowMs - one.last_used_at_ms)} ago`,
    ]),
  ];
}

/** Everything about one connector, as name and value. */
export function connectorFacts(one: Connector, nowMs: number): string[][] {
  const ago = (atMs: number | undefined) => (atMs === undefined ? 'never' : `${age(nowMs - atMs)} ago`);
  return [
    ['connector', one.connector_id],
    ['label', one.label],
    ['app', appOf(one.app)],
    ['client', one.app.client_id],
    ['sends people to', one.app.redirect_host],
    ['scopes', one.scopes.join(' ')],
    ['may', one.read_only ? 'read' : 'read, write and run commands'],
    ['on', one.device_id ?? 'every workstation'],
    ['by the address', one.origin ?? 'not known yet'],
    ['state', one.ended_why === undefined ? one.state : `${one.state}: ${one.ended_why}`],
    ['approved', `${ago(one.approved_at_ms)}, at ${one.approved_by}`],
    ['first token', ago(one.connected_at_ms)],
    ['last used', ago(one.last_used_at_ms)],
    ...(one.ended_at_ms === undefined ? [] : [['ended', ago(one.ended_at_ms)]]),
  ];
}

/** The same of a sign-in that waits. */
export function requestFacts(one: PendingRequest, nowMs: number): string[][] {
  return [
    ['sign-in', one.request_id],
    ['app', appOf(one.app)],
    ['client', one.app.client_id],
    ['sends people to', one.app.redirect_host],
    ['scopes', one.scopes.join(' ')],
    ['asked at', one.origin],
    ['opened', `${age(nowMs - one.opened_at_ms)} ago`],
    ['ends in', age(one.expires_at_ms - nowMs)],
    ['state', TOLD[one.state]],
    ['tries left', String(one.tries_left)],
  ];
}
