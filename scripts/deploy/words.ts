/** The plan as a person reads it before anything happens. Pure. */
import { VERSION } from '../../local/version/index.ts';
import type { DeployFacts } from './facts.ts';
import type { DeployWish } from './options.ts';

/** One line a step, in order; a step that is not needed says so. */
export function planOf(facts: DeployFacts, wish: DeployWish): string[] {
  const { account, subdomain, origins, standing, secrets, device } = facts;
  const steps = [
    subdomain === undefined
      ? `register ${wish.subdomain}.workers.dev for this account (for good: it can be changed in the dashboard only)`
      : undefined,
    `${standing ? 'replace' : 'create'} the Worker ${wish.name} with version ${VERSION}: three Durable Object classes with SQLite, no KV, no D1, no R2`,
    `serve ${origins.join(', ')} as stage ${wish.stage}`,
    secrets.includes('CODE_SECRET') ? 'keep CODE_SECRET' : 'make and set the secret CODE_SECRET',
    device
      ? `keep this machine's pairing as ${device.name} (${device.device_id})`
      : 'make OPERATOR_SECRET, pair this machine with it, remove it, and see that the edge refuses it',
    !device || !secrets.includes('OPERATOR_SECRET') ? undefined : 'remove OPERATOR_SECRET, which was left there',
    'look at /health, at the sign-in metadata, at the refusal of a call without a token, and read the device list as this machine',
  ].filter((step) => step !== undefined);
  return [
    `Cloudflare account ${account.name} (${account.id})`,
    ...steps.map((step, index) => `  ${index + 1}. ${step}`),
    'It needs these rights and no others: Account Settings: Read; Workers Scripts: Edit. Paired devices, connectors, routes and DNS are not touched.',
    ...(wish.dryRun ? ['Dry run: nothing was changed.'] : []),
  ];
}
