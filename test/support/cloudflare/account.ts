/** What an account holds: Workers with their versions, secrets and domains, zones with their DNS. Plain state. */
import { randomUUID } from 'node:crypto';

export interface Module {
  name: string;
  type: string;
  bytes: Buffer;
}

export interface BindingAt {
  name: string;
  type: string;
  text?: string;
  class_name?: string;
}

export interface VersionAt {
  id: string;
  annotations: Record<string, string>;
  bindings: BindingAt[];
  modules: Module[];
  compatibilityDate: string;
  compatibilityFlags: string[];
}

export interface ScriptAt {
  name: string;
  migrationTag: string | undefined;
  versions: VersionAt[];
  /** Version ids, the newest first. */
  deployments: string[];
  secrets: Record<string, string>;
  onWorkersDev: boolean;
}

export interface DomainAt {
  id: string;
  hostname: string;
  service: string;
  zone_id: string;
  zone_name: string;
  environment: string;
}

export interface DnsRecordAt {
  id: string;
  type: string;
  name: string;
  content: string;
  proxied: boolean;
  ttl: number;
  [more: string]: unknown;
}

export interface AccountAt {
  id: string;
  name: string;
  subdomain: string | undefined;
  scripts: Map<string, ScriptAt>;
  domains: DomainAt[];
  zones: { id: string; name: string }[];
  dns: DnsRecordAt[];
}

export function newAccount(): AccountAt {
  return {
    id: 'a'.repeat(32),
    name: 'Somebody',
    subdomain: 'somebody',
    scripts: new Map(),
    domains: [],
    zones: [{ id: 'b'.repeat(32), name: 'example.org' }],
    dns: [],
  };
}

export const newScript = (name: string): ScriptAt => ({
  name,
  migrationTag: undefined,
  versions: [],
  deployments: [],
  secrets: {},
  onWorkersDev: false,
});

export const servingVersion = (script: ScriptAt): VersionAt | undefined =>
  script.versions.find(({ id }) => id === script.deployments[0]);

/** A change of secrets is a version of the same code, as at the original. */
export function secretsChanged(script: ScriptAt): void {
  const now = servingVersion(script);
  if (!now) return;
  const next = { ...now, id: randomUUID(), annotations: { 'workers/triggered_by': 'secret' } };
  script.versions.unshift(next);
  script.deployments.unshift(next.id);
}
