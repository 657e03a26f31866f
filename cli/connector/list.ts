import * as Value from 'typebox/value';
import {
  ConnectorDenied,
  ConnectorId,
  ConnectorList,
  ConnectorRevoked,
  RequestId,
} from '../../contract/fleet/index.ts';
import { action } from '../command.ts';
import { openEdge } from '../edge/index.ts';
import { UsageError } from '../exit.ts';
import { say, sayJson, table } from '../terminal/index.ts';
import { appOf, connectorRows, requestRows } from './words.ts';

const json = { type: 'boolean', description: 'Answer in JSON' } as const;

export const list = action(
  'list',
  'Open sign-ins and approved connectors',
  { json, all: { type: 'boolean', description: 'Also connectors that have ended' } },
  async (args) => {
    const edge = await openEdge();
    const answer = await edge.call(
      ConnectorList,
      { method: 'GET', path: '/connectors' },
      'The connectors were not listed',
    );
    const connectors = answer.connectors.filter((one) => args.all === true || one.state !== 'revoked');
    if (args.json) return sayJson({ ...answer, connectors });
    if (answer.requests.length > 0) {
      say('Sign-ins that wait for approval:');
      table(requestRows(answer.requests, answer.observed_at_ms)).forEach(say);
      say('');
    }
    if (connectors.length === 0) return say('No connector is approved.');
    table(connectorRows(connectors, answer.observed_at_ms)).forEach(say);
  },
);

export const deny = action(
  'deny',
  'Refuse a sign-in that waits',
  { request: { type: 'positional', description: 'The request’s id (req_…)', required: false }, json },
  async (args) => {
    if (!Value.Check(RequestId, args.request)) throw noId(args.request, 'request', 'req_ and 16 hex digits');
    const edge = await openEdge();
    const { request } = await edge.call(
      ConnectorDenied,
      { method: 'POST', path: '/connectors/deny', body: { request_id: args.request } },
      'Nothing was denied',
    );
    if (args.json) return sayJson(request);
    say(`Denied: ${appOf(request.app)}.`);
  },
);

export const revoke = action(
  'revoke',
  'End a connector: its next call is refused',
  { connector: { type: 'positional', description: 'The connector’s id (conn_…)', required: false }, json },
  async (args) => {
    if (!Value.Check(ConnectorId, args.connector)) throw noId(args.connector, 'connector', 'conn_ and 32 hex digits');
    const edge = await openEdge();
    const answer = await edge.call(
      ConnectorRevoked,
      { method: 'POST', path: '/connectors/revoke', body: { connector_id: args.connector } },
      'The connector was not revoked everywhere',
    );
    if (args.json) return sayJson(answer);
    say(`Revoked: ${answer.connector.label}. Confirmed by ${answer.confirmed_by.length} workstation(s).`);
  },
);

/** Told before the edge is asked: nothing was sent, and where ids are found. */
function noId(given: string | undefined, what: string, shape: string): UsageError {
  const why = given ? `"${given}" is no id of a ${what} (${shape})` : `Name the ${what} by its id (${shape})`;
  return new UsageError(`${why}. \`herdr-mcp connector list\` shows them; nothing was sent.`);
}
