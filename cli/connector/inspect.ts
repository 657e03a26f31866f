import * as Value from 'typebox/value';
import { ConnectorId, ConnectorInspected, RequestId } from '../../contract/fleet/index.ts';
import { action } from '../command.ts';
import { openEdge } from '../edge/index.ts';
import { UsageError } from '../exit.ts';
import { say, sayJson, table } from '../terminal/index.ts';
import { connectorFacts, requestFacts } from './words.ts';

/** Everything that is known of one connector, or of one sign-in that waits. */
export const inspect = action(
  'inspect',
  'Everything about one connector or open sign-in: app, rights, approval, last use',
  {
    id: { type: 'positional', description: 'conn_… or req_…', required: false },
    json: { type: 'boolean', description: 'Answer in JSON' },
  },
  async (args) => {
    const body = targetOf(args.id);
    const edge = await openEdge();
    const answer = await edge.call(
      ConnectorInspected,
      { method: 'POST', path: '/connectors/inspect', body },
      'Nothing was found',
    );
    if (args.json) return sayJson(answer.connector ?? answer.request);
    const nowMs = Date.now();
    if (answer.connector) table(connectorFacts(answer.connector, nowMs)).forEach(say);
    if (answer.request) table(requestFacts(answer.request, nowMs)).forEach(say);
  },
);

function targetOf(id: string | undefined): { connector_id: string } | { request_id: string } {
  if (Value.Check(ConnectorId, id)) return { connector_id: id };
  if (Value.Check(RequestId, id)) return { request_id: id };
  const why = id ? `"${id}" is no id of a connector or sign-in` : 'Name a connector or sign-in by its id';
  throw new UsageError(`${why} (conn_ or req_). \`herdr-mcp connector list\` shows them; nothing was sent.`);
}
