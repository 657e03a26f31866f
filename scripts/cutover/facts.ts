/** What must be known, and well, before anything is changed. Reads only. */
import { randomBytes } from 'node:crypto';
import { LocalError } from '../../local/error/index.ts';
import { VERSION } from '../../local/version/index.ts';
import { type Api, healthy, identity, type Look, type WorkerAt } from '../cloudflare/index.ts';
import { domainAt, recordsOf, requireDnsRights, zoneOf } from './domain.ts';
import type { CutoverJournal } from './journal.ts';
import type { CutoverWish } from './options.ts';
import type { CutoverOptions } from './types.ts';
import { knownAt } from './verify.ts';

interface Question {
  options: Pick<CutoverOptions, 'env' | 'stateDir'>;
  wish: Extract<CutoverWish, { do: 'run' }>;
  /** The addresses that serve now. */
  origins: readonly string[];
  worker: WorkerAt;
  /** With the rights for DNS records. */
  dns: Api;
}

/** Reads only. A name that is ours already, and served, is a cutover that is done. */
export async function lookAround(question: Question): Promise<CutoverJournal | { green: true }> {
  const { worker, dns: dnsApi, origins } = question;
  const { hostname, replaceDns } = question.wish;
  const { env, stateDir } = question.options;
  const origin = `https://${hostname}`;
  if (origins.includes(origin)) {
    await expectWell(origin, identity(origin, env));
    return { green: true };
  }
  for (const old of origins) {
    await expectWell(old, healthy(old, VERSION, env));
    await expectWell(old, identity(old, env));
  }
  await expectWell('this machine', knownAt(stateDir, undefined, env));
  const zone = await zoneOf(worker.api, hostname);
  const domain = await domainAt(worker, hostname);
  if (domain) {
    throw new LocalError(
      'domain_taken',
      `${hostname} is attached to the Worker ${domain.service} already. Nothing was changed.`,
      'Detach it in the dashboard, or use another name.',
    );
  }
  await requireDnsRights(dnsApi, zone.id);
  const dns = await recordsOf(dnsApi, zone.id, hostname);
  if (dns.length > 0 && !replaceDns) {
    throw new LocalError(
      'dns_in_use',
      `${hostname} has DNS records now: ${dns.map(({ type, content }) => `${type} ${content ?? ''}`).join(', ')}. Nothing was changed.`,
      'Use another name, or say --replace-dns: they are written down, deleted, and put back when the cutover fails.',
    );
  }
  const serving = await worker.serving();
  if (!serving) throw new LocalError('not_serving', `The Worker ${worker.name} serves nothing.`, 'npm run deploy');
  return {
    schema: 1,
    account_id: worker.account,
    worker: worker.name,
    hostname,
    zone_id: zone.id,
    before: { origins: [...origins], version: serving.version, dns },
    tag: `hm-${randomBytes(8).toString('hex')}`,
    stage: 'ready',
    at_ms: Date.now(),
  };
}

/** Throws what a look has found. */
export async function expectWell(what: string, look: Look): Promise<void> {
  const wrong = await look();
  if (wrong === undefined) return;
  throw new LocalError(
    'not_green',
    `${what} is not as it should be: ${wrong}.`,
    'Mend that first; herdr-mcp doctor helps.',
  );
}
