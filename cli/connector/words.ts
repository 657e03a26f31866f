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
