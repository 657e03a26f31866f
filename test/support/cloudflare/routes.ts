/** Cloudflare's API as far as wrangler, deploy and cutover use it: what each request does to an account, and answers. */
import { randomUUID } from 'node:crypto';
import {
  type AccountAt,
  type DnsRecordAt,
  newScript,
  type ScriptAt,
  secretsChanged,
  servingVersion,
  type VersionAt,
} from './account.ts';

export interface Asked {
  method: string;
  /** Below `/client/v4`. */
  path: string;
  query: URLSearchParams;
  type: string;
  body: Buffer;
}

export type Said = { status: number; result?: unknown; errors?: { code: number; message: string }[] };

const ok = (result: unknown = null): Said => ({ status: 200, result });
const no = (status: number, code: number, message: string): Said => ({ status, errors: [{ code, message }] });
const noWorker = () => no(404, 10_007, 'This Worker does not exist on your account.');

/** Does what is asked. `changed` is told which Worker serves differently now. */
export async function handle(
  account: AccountAt,
  asked: Asked,
  changed: (script: string) => Promise<void>,
): Promise<Said> {
  const { method, path } = asked;
  if (path === '/accounts') return ok([{ id: account.id, name: account.name }]);
  if (path === '/memberships') return ok([{ id: 'm', account: { id: account.id, name: account.name } }]);
  if (path === '/zones') return ok(account.zones.filter(({ name }) => name === asked.query.get('name')));
  const zone = /^\/zones\/([^/]+)\/dns_records(?:\/([^/]+))?$/.exec(path);
  if (zone) return dns(account, asked, zone[2]);
  const own = /^\/accounts\/([^/]+)(\/.*)$/.exec(path);
  if (own?.[1] !== account.id) return no(403, 10_000, 'Authentication error');
  const rest = own[2] ?? '';
  if (rest === '/workers/subdomain') return subdomain(account, asked);
  if (rest.startsWith('/workers/domains')) return domains(account, asked, rest.split('/')[3]);
  const service = /^\/workers\/services\/([^/]+)$/.exec(rest);
  if (service) return serviceOf(account, service[1] ?? '');
  const beta = /^\/workers\/workers\/([^/]+)$/.exec(rest);
  if (beta) {
    const script = account.scripts.get(beta[1] ?? '');
    return script
      ? ok({ id: script.name, name: script.name, subdomain: { enabled: script.onWorkersDev, previews_enabled: false } })
      : noWorker();
  }
  const at = /^\/workers\/scripts\/([^/]+)(?:\/(.*))?$/.exec(rest);
  if (!at) return no(404, 7003, `Nothing at ${method} ${path}`);
  const name = at[1] ?? '';
  const below = at[2] ?? '';
  if (below === '' && method === 'PUT') return upload(account, name, asked, changed);
  if (below === 'versions' && method === 'POST') return upload(account, name, asked, undefined);
  const script = account.scripts.get(name);
  if (!script) return noWorker();
  return ofScript(script, below, asked, () => changed(name));
}

function subdomain(account: AccountAt, asked: Asked): Said {
  if (asked.method === 'PUT') {
    if (account.subdomain !== undefined) return no(409, 10_036, 'The account has a subdomain already.');
    account.subdomain = json<{ subdomain: string }>(asked).subdomain;
  }
  return account.subdomain === undefined
    ? no(404, 10_007, 'There is no workers.dev subdomain.')
    : ok({ subdomain: account.subdomain });
}

function serviceOf(account: AccountAt, name: string): Said {
  const script = account.scripts.get(name);
  if (!script) return no(404, 10_090, 'workers.api.error.service_not_found');
  return ok({
    id: name,
    default_environment: {
      environment: 'production',
      script: { id: name, tag: name, last_deployed_from: 'wrangler', migration_tag: script.migrationTag },
    },
  });
}

async function ofScript(script: ScriptAt, below: string, asked: Asked, changed: () => Promise<void>): Promise<Said> {
  const { method } = asked;
  const serving = servingVersion(script);
  if (below === 'settings')
    return ok({ bindings: bindingsOf(script, serving), compatibility_date: serving?.compatibilityDate });
  if (below === 'subdomain') {
    if (method === 'POST') {
      script.onWorkersDev = json<{ enabled: boolean }>(asked).enabled;
      await changed();
    }
    return ok({ enabled: script.onWorkersDev, previews_enabled: false });
  }
  if (below === 'schedules') return ok({ schedules: [] });
  if (below === 'script-settings') return ok({ observability: { enabled: true }, logpush: false, tail_consumers: [] });
  if (below === 'deployments' && method === 'POST') {
    const [wished] = json<{ versions: { version_id: string }[] }>(asked).versions;
    const version = script.versions.find(({ id }) => id === wished?.version_id);
    if (!version) return no(400, 10_021, 'There is no such version.');
    script.deployments.unshift(version.id);
    await changed();
    return ok({ id: randomUUID() });
  }
  if (below === 'deployments') {
    const list = script.deployments.map((id) => ({
      id: `d-${id}`,
      versions: [{ version_id: id, percentage: 100 }],
      annotations: {},
    }));
    return ok({ deployments: list });
  }
  const version = /^versions\/(.+)$/.exec(below);
  if (version) {
    const found = script.versions.find(({ id }) => id === version[1]);
    return found
      ? ok({ id: found.id, annotations: found.annotations, metadata: { source: 'wrangler' } })
      : no(404, 10_021, 'There is no such version.');
  }
  if (below === 'secrets' && method === 'GET')
    return ok(Object.keys(script.secrets).map((name) => ({ name, type: 'secret_text' })));
  if (below === 'secrets') {
    const { name, text } = json<{ name: string; text: string }>(asked);
    script.secrets[name] = text;
    secretsChanged(script);
    await changed();
    return ok({ name, type: 'secret_text' });
  }
  const secret = /^secrets\/(.+)$/.exec(below);
  if (secret && method === 'DELETE') {
    const name = decodeURIComponent(secret[1] ?? '');
    if (!(name in script.secrets)) return no(404, 10_056, 'There is no such secret.');
    delete script.secrets[name];
    secretsChanged(script);
    await changed();
    return ok();
  }
  return no(404, 7003, `Nothing at ${method} ${asked.path}`);
}

const bindingsOf = (script: ScriptAt, serving: VersionAt | undefined) => [
  ...(serving?.bindings ?? []),
  ...Object.keys(script.secrets).map((name) => ({ name, type: 'secret_text' })),
];

interface Metadata {
  main_module: string;
  bindings: VersionAt['bindings'];
  compatibility_date: string;
  compatibility_flags?: string[];
  annotations?: Record<string, string>;
  migrations?: { old_tag?: string; new_tag: string };
  keep_bindings?: string[];
}

/** A version from its multipart body; it serves at once when `changed` is given, else when a deployment names it. */
async function upload(
  account: AccountAt,
  name: string,
  asked: Asked,
  changed: ((script: string) => Promise<void>) | undefined,
): Promise<Said> {
  const form = await new Response(new Uint8Array(asked.body), { headers: { 'content-type': asked.type } }).formData();
  const metadata = JSON.parse(String(form.get('metadata'))) as Metadata;
  const script: ScriptAt = account.scripts.get(name) ?? newScript(name);
  const { migrations } = metadata;
  if (migrations && migrations.old_tag !== script.migrationTag) {
    return no(412, 10_079, `Migration tag precondition failed; expected ${script.migrationTag ?? 'none'}.`);
  }
  const before = servingVersion(script);
  const kept = (before?.bindings ?? []).filter(
    ({ type, name: binding }) =>
      metadata.keep_bindings?.includes(type) && metadata.bindings.every((one) => one.name !== binding),
  );
  const version: VersionAt = {
    id: randomUUID(),
    annotations: metadata.annotations ?? {},
    bindings: [...metadata.bindings, ...kept],
    modules: [],
    compatibilityDate: metadata.compatibility_date,
    compatibilityFlags: metadata.compatibility_flags ?? [],
  };
  for (const [, part] of form) {
    if (typeof part === 'string' || part.type === 'application/source-map') continue;
    version.modules.push({ name: part.name, type: part.type, bytes: Buffer.from(await part.arrayBuffer()) });
  }
  if (migrations) script.migrationTag = migrations.new_tag;
  script.versions.unshift(version);
  account.scripts.set(name, script);
  if (changed === undefined) return ok({ id: version.id, startup_time_ms: 5, metadata: {} });
  script.deployments.unshift(version.id);
  await changed(name);
  return ok({
    id: name,
    etag: version.id,
    startup_time_ms: 5,
    entry_point: metadata.main_module,
    deployment_id: version.id,
  });
}

function domains(account: AccountAt, asked: Asked, id: string | undefined): Said {
  const { method, query } = asked;
  if (method === 'GET') {
    const host = query.get('hostname');
    return ok(account.domains.filter(({ hostname }) => host === null || hostname === host));
  }
  if (method === 'DELETE') {
    const found = account.domains.findIndex((one) => one.id === id);
    if (found < 0) return no(404, 100_114, 'There is no such domain.');
    account.domains.splice(found, 1);
    return ok();
  }
  const wish = json<{ hostname: string; service: string; zone_id: string; environment: string }>(asked);
  const zone = account.zones.find((one) => one.id === wish.zone_id);
  if (!zone || !wish.hostname.endsWith(`.${zone.name}`)) return no(400, 100_116, 'The zone does not fit the hostname.');
  if (account.dns.some(({ name }) => name === wish.hostname)) {
    return no(409, 100_117, 'Hostname already has externally managed DNS records.');
  }
  const existing = account.domains.find(({ hostname }) => hostname === wish.hostname);
  if (existing && existing.service !== wish.service) return no(409, 100_118, 'The hostname belongs to another Worker.');
  const domain = existing ?? { id: randomUUID(), zone_name: zone.name, ...wish };
  if (!existing) account.domains.push(domain);
  return ok(domain);
}

function dns(account: AccountAt, asked: Asked, id: string | undefined): Said {
  const { method, query } = asked;
  if (method === 'GET') return ok(account.dns.filter(({ name }) => name === query.get('name')));
  if (method === 'DELETE') {
    const found = account.dns.findIndex((one) => one.id === id);
    if (found < 0) return no(404, 81_044, 'Record does not exist.');
    account.dns.splice(found, 1);
    return ok({ id });
  }
  const wish = json<Omit<DnsRecordAt, 'id'>>(asked) as DnsRecordAt;
  if (account.domains.some(({ hostname }) => hostname === wish.name)) return no(400, 81_062, 'A Worker has this name.');
  if (
    account.dns.some(({ name, type, content }) => name === wish.name && type === wish.type && content === wish.content)
  ) {
    return no(400, 81_058, 'An identical record already exists.');
  }
  const record = { ...wish, id: randomUUID() };
  account.dns.push(record);
  return ok(record);
}

const json = <T>(asked: Asked): T => JSON.parse(asked.body.toString('utf8')) as T;
