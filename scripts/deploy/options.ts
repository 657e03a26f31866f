/** The command line of `npm run deploy`. */
import { parseArgs } from 'node:util';
import { LocalError } from '../../local/error/index.ts';

export const USAGE = `Usage: npm run deploy [-- --dry-run] [--name <worker>] [--subdomain <part>] [--stage <name>]

Deploys this clone's edge to your Cloudflare account and pairs this machine with it. Run again it goes on where it
stopped, or deploys what has changed; nothing that it cannot know is done twice.

  --dry-run            print what would be done; change nothing
  --name <worker>      name of the Worker; herdr-mcp when absent
  --subdomain <part>   register <part>.workers.dev when the account has no workers.dev name yet
  --stage <name>       what /health calls this edge; prod when absent

CLOUDFLARE_ACCOUNT_ID says which account, CLOUDFLARE_API_TOKEN replaces \`npx wrangler login\`, HERDR_MCP_STATE_DIR
names another state folder than the installed product's. docs/operate.md lists the rights that are needed.
Exit codes: 0 done, 1 refused or stopped (run it again), 2 wrong usage.`;

export interface DeployWish {
  help: boolean;
  dryRun: boolean;
  name: string;
  subdomain?: string;
  stage: string;
}

/** What a command line asks for. Throws a {@link LocalError} with the code `usage`. */
export function readWish(args: readonly string[]): DeployWish {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  let values: { 'dry-run'?: boolean; name?: string; subdomain?: string; stage?: string; help?: boolean };
  try {
    ({ values } = parseArgs({
      args: [...args],
      options: { 'dry-run': flag, name: text, subdomain: text, stage: text, help: { ...flag, short: 'h' } },
    }));
  } catch (error) {
    if (error instanceof TypeError) throw wrong(error.message.replace(/\.$/, ''));
    throw error;
  }
  const name = values.name ?? 'herdr-mcp';
  const stage = values.stage ?? 'prod';
  if (!/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(name)) throw wrong(`--name ${name} is no name of a Worker`);
  if (!/^[a-z0-9-]{1,32}$/.test(stage)) throw wrong(`--stage ${stage} is no name of a stage`);
  if (values.subdomain !== undefined && !/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(values.subdomain)) {
    throw wrong(`--subdomain ${values.subdomain} is no part of an address`);
  }
  return {
    help: values.help === true,
    dryRun: values['dry-run'] === true,
    name,
    stage,
    ...(values.subdomain === undefined ? {} : { subdomain: values.subdomain }),
  };
}

const wrong = (why: string) => new LocalError('usage', `${why}. Nothing was changed.`, 'See: npm run deploy -- --help');
