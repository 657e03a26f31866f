/** Which connectors may drive a web chat. The person at the workstation says so; no call can. */
import { action } from '../command.ts';
import { json } from '../continuity/index.ts';
import { say, sayJson } from '../terminal/index.ts';
import { look } from './ask.ts';

const connector = {
  type: 'positional',
  required: true,
  description: 'The connector, as herdr-mcp connector list shows it',
} as const;

const change = (name: string, method: 'put' | 'revoke', description: string, done: string) =>
  action(name, description, { connector, json }, async (args) => {
    const answer = await look(`herdr_mcp.browser_grant.${method}`, { connector_id: args.connector });
    if (args.json) return sayJson(answer);
    say(answer.changed === true ? `${args.connector} ${done}` : `${args.connector}: nothing to change`);
  });

export const grant = change('grant', 'put', 'Let a connector drive web chats', 'may drive web chats');
export const revoke = change('revoke', 'revoke', 'Take that back', 'may no longer drive web chats');

export const grants = action('grants', 'Connectors that may drive web chats', { json }, async (args) => {
  const answer = await look('herdr_mcp.browser_grant.list', {});
  if (args.json) return sayJson(answer);
  const found = answer.grants as { connector_id: string; granted_at_ms: number }[];
  if (found.length === 0) return say('None.');
  for (const { connector_id: id, granted_at_ms: at } of found) say(`${id}  since ${new Date(at).toISOString()}`);
});
