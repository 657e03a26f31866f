/** What must be known before anything is changed. Reads only. */
import { type Device, readDevice } from '../../link/identity/index.ts';
import { LocalError } from '../../local/error/index.ts';
import type { Api } from '../cloudflare/index.ts';
import { type Account, accountSubdomain, type Binding, chooseAccount, WorkerAt } from '../cloudflare/index.ts';
import type { DeployJournal } from './journal.ts';
import type { DeployWish } from './options.ts';

export interface DeployFacts {
  account: Account;
  worker: WorkerAt;
  /** `undefined` while the account has no `workers.dev` name; the plan then registers the wished one. */
  subdomain: string | undefined;
  /** What the Worker serves after this deploy; the first is advertised. */
  origins: readonly string[];
  /** What stands there: nothing, or an edge of ours. */
  standing: readonly Binding[] | undefined;
  secrets: readonly string[];
  /** This machine, when it is a workstation of that edge already. */
  device: Device | undefined;
}

/** Looks at account, Worker and this machine. Throws a {@link LocalError} for everything that is not certain. */
export async function lookAround(
  api: Api,
  wish: DeployWish,
  context: { env: NodeJS.ProcessEnv; stateDir: string; journal: DeployJournal | undefined; known: ReadonlySet<string> },
): Promise<DeployFacts> {
  const { env, stateDir, journal, known } = context;
  const account = await chooseAccount(api, env['CLOUDFLARE_ACCOUNT_ID'] || undefined);
  if (journal && (journal.account_id !== account.id || journal.worker !== wish.name)) {
    throw new LocalError(
      'other_edge',
      `${stateDir} belongs to the Worker ${journal.worker} in account ${journal.account_id}, not to ${wish.name} in ${account.id}.`,
      'Give this edge a state folder of its own (HERDR_MCP_STATE_DIR). Nothing was changed.',
    );
  }
  const worker = new WorkerAt(api, account.id, wish.name);
  const subdomain = await accountSubdomain(api, account.id);
  const standing = await worker.bindings();
  if (standing) requireOurs(standing, wish.name, known);
  const part = subdomain ?? wish.subdomain;
  if (part === undefined) {
    throw new LocalError(
      'no_subdomain',
      'This Cloudflare account has no workers.dev name yet, and an edge needs an address.',
      'Choose one: npm run deploy -- --subdomain <part>, for https://herdr-mcp.<part>.workers.dev. Nothing was changed.',
    );
  }
  const origins = originsOf(standing, `https://${wish.name}.${part}.workers.dev`);
  const device = await readDevice(stateDir);
  if (device && !origins.includes(device.edge_origin)) {
    throw new LocalError(
      'paired_elsewhere',
      `${stateDir} is paired with ${device.edge_origin}, which is none of the addresses of this edge (${origins.join(', ')}).`,
      'Give this edge a state folder of its own (HERDR_MCP_STATE_DIR). Nothing was changed.',
    );
  }
  return { account, worker, subdomain, origins, standing, secrets: standing ? await worker.secrets() : [], device };
}

/** A Worker of the same name that is not ours, or holds what a deploy would take away, stops everything. Pure. */
function requireOurs(standing: readonly Binding[], name: string, known: ReadonlySet<string>): void {
  const classes = standing.filter(({ type }) => type === 'durable_object_namespace').map((one) => one.class_name);
  if (!['Auth', 'Fleet', 'Workstation'].every((own) => classes.includes(own))) {
    throw new LocalError(
      'other_worker',
      `The account has a Worker called ${name} already, and it is no edge of herdr-mcp.`,
      'Choose another name: npm run deploy -- --name <worker>. Nothing was changed.',
    );
  }
  const kept = new Set(['plain_text', 'secret_text', 'secret_key', 'durable_object_namespace']);
  const lost = standing.filter(({ name: binding, type }) => !kept.has(type) && !known.has(binding));
  if (lost.length > 0) {
    throw new LocalError(
      'unknown_binding',
      `The Worker ${name} is bound to ${lost.map((one) => `${one.name} (${one.type})`).join(', ')}, which wrangler.toml does not name: a deploy would take it away.`,
      'Add it to wrangler.toml, or remove it in the dashboard. Nothing was changed.',
    );
  }
}

/** The addresses after the deploy: those that it serves now, or its `workers.dev` name. Clients' sign-ins hang on them. */
function originsOf(standing: readonly Binding[] | undefined, own: string): string[] {
  const text = standing?.find(({ name, type }) => name === 'ORIGINS' && type === 'plain_text')?.text ?? '';
  const now = text
    .split(',')
    .map((origin) => origin.trim())
    .filter((origin) => origin.startsWith('https://'));
  return now.length > 0 ? now : [own];
}
