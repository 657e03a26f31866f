/** Cloudflare as deploy and cutover need it: reads that repeat, changes that never do, wrangler, journals, probes. */
export { type Account, chooseAccount } from './account.ts';
export type { Answer } from './answer.ts';
export { Api, type ApiOptions, refusedBy } from './client.ts';
export { Journal } from './journal.ts';
export { PROBE_MS, PROBE_MS_MAX, READ_AGAIN_MS } from './limits.ts';
export { healthy, identity, type Look, until } from './probe.ts';
export { type Change, type Settled, settle } from './settle.ts';
export { accountSubdomain, type Binding, checked, WorkerAt } from './worker.ts';
export { type DeployOptions, type Wrangler, wranglerOf } from './wrangler.ts';
