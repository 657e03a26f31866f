import {
  type ConnectorApprove,
  ConnectorApproved,
  ConnectorList,
  type PendingRequest,
} from '../../contract/fleet/index.ts';
import { LocalError } from '../../local/error/index.ts';
import { action } from '../command.ts';
import { type Edge, openEdge } from '../edge/index.ts';
import { UsageError } from '../exit.ts';
import { ask, note, readCode, say, sayJson, table } from '../terminal/index.ts';
import { chooseRequest } from './choose.ts';
import { appOf, requestRows } from './words.ts';

/** Approves one open sign-in with the code that its page shows. */
export const approve = action(
  'approve',
  'Let a web AI in: lists who asks, takes one, and asks for its code',
  {
    id: { type: 'positional', description: 'The request’s id (req_…), when several wait', required: false },
    request: { type: 'string', description: 'The same as an option' },
    'code-stdin': { type: 'boolean', description: 'Read the six digits from stdin instead of asking' },
    'read-only': { type: 'boolean', description: 'Allow reading tools only' },
    device: { type: 'string', description: 'Allow one device only (dev_…)' },
    label: { type: 'string', description: 'How it is listed later' },
    json: { type: 'boolean', description: 'Answer in JSON' },
  },
  async (args) => {
    const edge = await openEdge();
    const request = await pick(edge, args.id ?? args.request);
    const wish: Omit<ConnectorApprove, 'code'> = {
      request_id: request.request_id,
      ...(args['read-only'] ? { read_only: true } : {}),
      ...(args.device === undefined ? {} : { device_id: args.device }),
      ...(args.label === undefined ? {} : { label: args.label }),
    };
    const fromStdin = args['code-stdin'] === true;
    for (;;) {
      const code = await readCode('Code on the sign-in page: ', fromStdin);
      try {
        const { connector } = await edge.call(
          ConnectorApproved,
          { method: 'POST', path: '/connectors/approve', body: { ...wish, code } },
          'Nothing was approved',
        );
        if (args.json) return sayJson(connector);
        const may = connector.read_only ? 'may read' : 'may read, write and run commands';
        say(`Approved: ${connector.label} ${may}. The sign-in page goes on by itself.`);
        say(`End it at any time: herdr-mcp connector revoke ${connector.connector_id}`);
        return;
      } catch (error) {
        const again = error instanceof LocalError && error.code === 'invalid_code' && !fromStdin && process.stdin.isTTY;
        if (!again) throw error;
        note(error.sentence);
      }
    }
  },
);

async function pick(edge: Edge, id: string | undefined): Promise<PendingRequest> {
  const answer = await edge.call(
    ConnectorList,
    { method: 'GET', path: '/connectors' },
    'The open sign-ins were not listed',
  );
  const choice = chooseRequest(answer.requests, id, edge.mcpUrl);
  if ('refused' in choice) throw choice.refused;
  table(requestRows(choice.open, answer.observed_at_ms)).forEach(note);
  if ('one' in choice) return choice.one;
  if (!process.stdin.isTTY) throw new UsageError('Several sign-ins wait. Name one: --request <id>');
  const typed = await ask('Which request (its id)? ', 'name one with --request');
  const chosen = chooseRequest(choice.open, typed, edge.mcpUrl);
  if (!('one' in chosen)) throw 'refused' in chosen ? chosen.refused : new UsageError('That names none of them.');
  note(`Chosen: ${appOf(chosen.one.app)}`);
  return chosen.one;
}
