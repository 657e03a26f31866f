/** `herdr-mcp automation …`: clients for CI, each with a secret of its own and bound to one workstation. */
import * as Value from 'typebox/value';
import {
  type Automation,
  AutomationId,
  AutomationList,
  AutomationRevoked,
  AutomationSecret,
} from '../../contract/fleet/index.ts';
import { action, group } from '../command.ts';
import { openEdge } from '../edge/index.ts';
import { UsageError } from '../exit.ts';
import { age, note, say, sayJson, table } from '../terminal/index.ts';

const json = { type: 'boolean', description: 'Answer in JSON' } as const;
const client = { type: 'positional', description: 'The client’s id (auto_…)', required: false } as const;

const create = action(
  'create',
  'Make a client for CI; its secret is shown once, here',
  {
    name: { type: 'positional', description: 'What it is called in lists and in the audit', required: true },
    device: { type: 'string', description: 'The only workstation that it may use (dev_…); this one when absent' },
    json,
  },
  async (args) => {
    const edge = await openEdge();
    const body = { name: args.name, device_id: args.device ?? edge.deviceId };
    const made = await edge.call(
      AutomationSecret,
      { method: 'POST', path: '/automations', body },
      'No client was made',
    );
    show(made, args.json === true);
  },
);

const list = action(
  'list',
  'The clients, without their secrets',
  { json, all: { type: 'boolean', description: 'Also those that have ended' } },
  async (args) => {
    const edge = await openEdge();
    const request = { method: 'GET', path: '/automations' } as const;
    const answer = await edge.call(AutomationList, request, 'The clients were not listed');
    const automations = answer.automations.filter((one) => args.all === true || one.revoked_at_ms === undefined);
    if (args.json) return sayJson({ ...answer, automations });
    if (automations.length === 0) return say('No client for CI exists.');
    table(rows(automations, Date.now())).forEach(say);
  },
);

const rotate = action(
  'rotate',
  'Give a client a new secret; the old one and its tokens stop working',
  { client, json },
  async (args) => {
    const body = target(args.client);
    const edge = await openEdge();
    const request = { method: 'POST', path: '/automations/rotate', body } as const;
    show(await edge.call(AutomationSecret, request, 'Nothing was rotated'), args.json === true);
  },
);

const revoke = action('revoke', 'End a client: its next call is refused', { client, json }, async (args) => {
  const body = target(args.client);
  const edge = await openEdge();
  const answer = await edge.call(
    AutomationRevoked,
    { method: 'POST', path: '/automations/revoke', body },
    'The client was not revoked everywhere',
  );
  if (args.json) return sayJson(answer.automation);
  say(`Revoked: ${answer.automation.name}.`);
});

/** The one time that the secret is seen. */
function show(made: AutomationSecret, asJson: boolean): void {
  if (asJson) {
    sayJson(made);
    return;
  }
  say(`client_id:      ${made.automation.client_id}`);
  say(`client_secret:  ${made.client_secret}`);
  say(`token endpoint: ${made.token_endpoint} (grant_type=client_credentials, scope=${made.scope})`);
  note('The secret is kept nowhere else. Put it into the secret store of the CI, never on a command line.');
}

function rows(automations: readonly Automation[], nowMs: number): string[][] {
  return [
    ['CLIENT', 'NAME', 'DEVICE', 'MADE', 'LAST USED', 'STATE'],
    ...automations.map((one) => [
      one.client_id,
      one.name,
      one.device_id,
      `${age(nowMs - one.created_at_ms)} ago`,
      one.last_used_at_ms === undefined ? 'never' : `${age(nowMs - one.last_used_at_ms)} ago`,
      one.revoked_at_ms === undefined ? 'active' : 'revoked',
    ]),
  ];
}

function target(id: string | undefined): { client_id: string } {
  if (Value.Check(AutomationId, id)) return { client_id: id };
  const why = id ? `"${id}" is no id of a client` : 'Name the client by its id';
  throw new UsageError(`${why} (auto_ and 32 hex digits). \`herdr-mcp automation list\` shows them; nothing was sent.`);
}

export const automation = group('automation', 'Clients for CI', { create, list, rotate, revoke });
