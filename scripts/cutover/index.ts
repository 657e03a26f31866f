/**
 * A new public address beside the old one. In this order: look at everything → write down what is there → (delete the
 * name's DNS records) → attach the domain → wait until it serves → deploy with both addresses, the new one first → see
 * that each is its own sign-in and that this machine is known at both. What fails after the first change is undone in the
 * reverse order: the version that served, the domain, the records, exactly. The old address never stops serving.
 */
import { join } from 'node:path';
import { LocalError } from '../../local/error/index.ts';
import { acquireLock, ensurePrivateDir } from '../../local/files/index.ts';
import { refuseInManagedSession } from '../../local/managed/index.ts';
import { Api, WorkerAt } from '../cloudflare/index.ts';
import { deployJournal } from '../deploy/index.ts';
import { retire } from './retire.ts';
import { Cutover } from './run.ts';
import type { CutoverEnd, CutoverOptions } from './types.ts';

export { cutoverJournal } from './journal.ts';
export { type CutoverWish, readWish, USAGE } from './options.ts';
export type { CutoverEnd, CutoverOptions } from './types.ts';
export { statusOf } from './words.ts';

/** Resolves with how it ended. Throws a {@link LocalError} when nothing was changed, or when a rollback did not succeed. */
export async function cutover(options: CutoverOptions): Promise<CutoverEnd> {
  const { wish, stateDir, env } = options;
  refuseInManagedSession('The cutover', env);
  const deployed = await deployJournal(stateDir).read();
  if (deployed?.finished_at_ms === undefined) {
    throw new LocalError(
      'not_deployed',
      `No finished deploy is written down in ${stateDir}, so it is not known which edge is meant. Nothing was changed.`,
      'Deploy it from here first: npm run deploy',
    );
  }
  const lock = acquireLock(join(ensurePrivateDir(stateDir), 'deploy.lock'), 'cutover');
  if (!lock.held) {
    throw new LocalError('deploy_runs', `Process ${lock.by.pid} (${lock.by.name}) works on this edge.`, 'Wait for it.');
  }
  try {
    const token = await options.wrangler.token();
    const api = new Api({ token, env, ...options.waits?.api });
    const dns = new Api({ token: env['CLOUDFLARE_DNS_API_TOKEN'] || token, env, ...options.waits?.api });
    const worker = new WorkerAt(api, deployed.account_id, deployed.worker);
    if (wish.do === 'retire') return await retire({ options, deployed, worker, ...wish });
    const run = new Cutover(options, deployed, worker, dns);
    return wish.do === 'rollback' ? await run.back() : await run.forth(wish);
  } finally {
    lock.release();
  }
}
