/**
 * Deploys the clone's edge and makes this machine its first workstation. In this order, each step looked at before it is
 * done and read back after it: look around (nothing is changed) → upload with the migrations → the secret that keys codes
 * → wait until the address serves this version → the one-time operator secret → pair → take that secret away and prove
 * it dead → an authenticated read. Every step is found done when the command is run again, wherever it was stopped.
 */
import { join } from 'node:path';
import { LocalError } from '../../local/error/index.ts';
import { acquireLock, ensurePrivateDir } from '../../local/files/index.ts';
import { Api } from '../cloudflare/index.ts';
import { lookAround } from './facts.ts';
import { type DeployJournal, deployJournal } from './journal.ts';
import { Deploy } from './run.ts';
import type { Deployed, DeployOptions } from './types.ts';
import { planOf } from './words.ts';

export { type DeployJournal, deployJournal } from './journal.ts';
export { type DeployWish, readWish, USAGE } from './options.ts';
export type { Deployed, DeployOptions } from './types.ts';

/** Resolves when everything is proved, with `undefined` for a dry run. Throws a {@link LocalError}; run it again then. */
export async function deploy(options: DeployOptions): Promise<Deployed | undefined> {
  const { wish, stateDir, env, wrangler, say } = options;
  const journal = deployJournal(stateDir);
  const before = await journal.read();
  const api = new Api({ token: await wrangler.token(), env, ...options.waits?.api });
  const facts = await lookAround(api, wish, { env, stateDir, journal: before, known: options.clone.bindings });
  planOf(facts, wish).forEach(say);
  if (wish.dryRun) return undefined;
  const folder = ensurePrivateDir(stateDir);
  const lock = acquireLock(join(folder, 'deploy.lock'), 'deploy');
  if (!lock.held) {
    throw new LocalError(
      'deploy_runs',
      `Process ${lock.by.pid} is deploying from this state folder already.`,
      'Wait for it, then run this again if it stopped. Nothing was changed.',
    );
  }
  try {
    return await new Deploy(options, facts, journal, {
      schema: 1,
      account_id: facts.account.id,
      worker: wish.name,
      origins: [...facts.origins],
      operator: 'none',
      ...unfinished(before),
    }).run();
  } finally {
    lock.release();
  }
}

/** What a stopped deploy left behind; of a finished one nothing: the next one is another. */
function unfinished(before: DeployJournal | undefined): Partial<DeployJournal> {
  if (!before || before.finished_at_ms !== undefined) return {};
  const { upload, operator, device_id } = before;
  return { operator, ...(upload ? { upload } : {}), ...(device_id === undefined ? {} : { device_id }) };
}
