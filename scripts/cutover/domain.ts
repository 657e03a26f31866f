/** The custom domain and the DNS records of a name: reads, and the changes with their inverse. */
import type { Static } from 'typebox';
import * as Type from 'typebox';
import { canonicalJson } from '../../contract/canonical.ts';
import { LocalError } from '../../local/error/index.ts';
import { type Api, checked, refusedBy, settle, type WorkerAt } from '../cloudflare/index.ts';
import { DnsRecord } from './journal.ts';

const Domain = Type.Object({
  id: Type.String(),
  hostname: Type.String(),
  service: Type.String(),
  zone_id: Type.String(),
});
export type Domain = Static<typeof Domain>;
const Zones = Type.Array(Type.Object({ id: Type.String(), name: Type.String() }));

/** The zone of a name: the longest of its endings that the account has. */
export async function zoneOf(api: Api, hostname: string): Promise<{ id: string; name: string }> {
  const parts = hostname.split('.');
  for (let from = 0; from < parts.length - 1; from += 1) {
    const name = parts.slice(from).join('.');
    const [zone] = checked(Zones, await api.get(`/zones?name=${encodeURIComponent(name)}`), 'zones');
    if (zone) return zone;
  }
  throw new LocalError(
    'zone_unknown',
    `No zone of this Cloudflare account holds ${hostname}.`,
    'Add the domain to the account first, or use another name. Nothing was changed.',
  );
}

const domainsPath = (worker: WorkerAt): string => `/accounts/${encodeURIComponent(worker.account)}/workers/domains`;

/** Which Worker has the name now. */
export async function domainAt(worker: WorkerAt, hostname: string): Promise<Domain | undefined> {
  const path = `${domainsPath(worker)}?hostname=${encodeURIComponent(hostname)}`;
  const found = checked(Type.Array(Domain), await worker.api.get(path), 'domains');
  return found.find((one) => one.hostname === hostname);
}

export function attach(worker: WorkerAt, hostname: string, zoneId: string, lookAgainMs: readonly number[]) {
  const body = { hostname, service: worker.name, zone_id: zoneId, environment: 'production' };
  return settle({
    what: `attaching ${hostname} to ${worker.name}`,
    read: () => domainAt(worker, hostname),
    isDone: (domain) => domain?.service === worker.name,
    isUntouched: (domain) => domain === undefined,
    act: () => worker.api.change('PUT', domainsPath(worker), body),
    lookAgainMs,
  });
}

/** Takes the name from our Worker. Another Worker's is left alone. */
export async function detach(worker: WorkerAt, hostname: string, lookAgainMs: readonly number[]): Promise<void> {
  const now = await domainAt(worker, hostname);
  if (!now || now.service !== worker.name) return;
  await settle({
    what: `detaching ${hostname}`,
    read: () => domainAt(worker, hostname),
    isDone: (domain) => domain?.id !== now.id,
    isUntouched: (domain) => domain?.id === now.id,
    act: () => worker.api.change('DELETE', `${domainsPath(worker)}/${encodeURIComponent(now.id)}`),
    lookAgainMs,
  });
}

const recordsPath = (zoneId: string): string => `/zones/${encodeURIComponent(zoneId)}/dns_records`;

/** Every record of exactly this name. */
export async function recordsOf(api: Api, zoneId: string, hostname: string): Promise<DnsRecord[]> {
  const found = await api.get(`${recordsPath(zoneId)}?name=${encodeURIComponent(hostname)}&per_page=100`);
  return checked(Type.Array(DnsRecord), found, 'DNS records').filter(({ name }) => name === hostname);
}

/** Deletes exactly this record; one that has changed since it was written down stops everything. */
export async function deleteRecord(
  api: Api,
  zoneId: string,
  record: DnsRecord,
  lookAgainMs: readonly number[],
): Promise<void> {
  const read = async () => (await recordsOf(api, zoneId, record.name)).find(({ id }) => id === record.id);
  const now = await read();
  if (now && !sameRecord(now, record)) {
    throw new LocalError(
      'dns_changed',
      `The ${record.type} record of ${record.name} is not the one that was written down any more.`,
      'Look at it in the dashboard, then run the same command again.',
    );
  }
  await settle({
    what: `deleting the ${record.type} record of ${record.name}`,
    read,
    isDone: (found) => found === undefined,
    isUntouched: (found) => found !== undefined,
    act: () => api.change('DELETE', `${recordsPath(zoneId)}/${encodeURIComponent(record.id)}`),
    lookAgainMs,
  });
}

/** Makes a record again as it was, in every field that a person can set; its id is a new one. */
export async function restoreRecord(
  api: Api,
  zoneId: string,
  record: DnsRecord,
  lookAgainMs: readonly number[],
): Promise<void> {
  const { id: _, ...fields } = record;
  await settle({
    what: `restoring the ${record.type} record of ${record.name}`,
    read: async () => (await recordsOf(api, zoneId, record.name)).some((one) => sameRecord(one, record)),
    isDone: (found) => found,
    isUntouched: (found) => !found,
    act: () => api.change('POST', recordsPath(zoneId), withoutUnset(fields)),
    lookAgainMs,
  });
}

/** Whether two records are the same in everything but their id. Pure. */
function sameRecord(one: DnsRecord, other: DnsRecord): boolean {
  const plain = ({ id: _, ...fields }: DnsRecord) => canonicalJson(withoutUnset(fields));
  return plain(one) === plain(other);
}

const withoutUnset = (fields: Omit<DnsRecord, 'id'>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(DnsRecord.properties)
      .map(([name]) => [name, fields[name as keyof typeof fields]] as const)
      .filter(([, value]) => value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)),
  );

/** Throws when a read of the zone's records is refused: it is better known before anything is deleted. */
export async function requireDnsRights(api: Api, zoneId: string): Promise<void> {
  const answer = await api.read(`${recordsPath(zoneId)}?per_page=1&name=herdr-mcp-rights-probe.invalid`);
  if (answer.is === 'refused') throw refusedBy(answer, 'reading the DNS records');
}
