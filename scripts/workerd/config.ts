/**
 * A workerd configuration (Cap'n Proto text) for one bundled Worker with SQLite Durable Objects. Pure: text in, text
 * out. Written by us because the dev proxy of wrangler stands in front of every request and hides what is measured,
 * and because one process is easier to end than five.
 */

export interface WorkerConfig {
  /** Module file names relative to the configuration file; the first is the entry. */
  modules: readonly { name: string; path: string; type: 'esModule' | 'text' | 'data' | 'wasm' }[];
  compatibilityDate: string;
  compatibilityFlags: readonly string[];
  /** Durable Object binding → class name. Every class keeps SQLite storage. */
  durableObjects: Readonly<Record<string, string>>;
  /** Text bindings: vars and secrets alike. */
  text: Readonly<Record<string, string>>;
  /** Directory for the objects' databases, or null to keep them in memory. */
  storage: string | null;
  /** A header by which whoever stands in front says `https`; absent when nobody does. */
  protocolHeader?: string;
  /** `127.0.0.1:port`; port 0 takes a free one, which the control channel reports. */
  address: string;
}

export function workerdConfig(config: WorkerConfig): string {
  const modules = config.modules
    .map(({ name, path, type }) => `    (name = ${quote(name)}, ${type} = embed ${quote(path)}),`)
    .join('\n');
  const namespaces = Object.values(config.durableObjects)
    .map((name) => `    (className = ${quote(name)}, uniqueKey = ${quote(`herdr-mcp-${name}`)}, enableSql = true),`)
    .join('\n');
  const bindings = [
    ...Object.entries(config.durableObjects).map(
      ([binding, name]) => `    (name = ${quote(binding)}, durableObjectNamespace = ${quote(name)}),`,
    ),
    ...Object.entries(config.text).map(([name, value]) => `    (name = ${quote(name)}, text = ${quote(value)}),`),
  ].join('\n');
  const http = config.protocolHeader === undefined ? '()' : `(forwardedProtoHeader = ${quote(config.protocolHeader)})`;
  const disk =
    config.storage === null
      ? ''
      : `\n    (name = "storage", disk = (path = ${quote(config.storage)}, writable = true, allowDotfiles = true)),`;
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["public"], tlsOptions = (trustBrowserCas = true))),${disk}
  ],
  sockets = [(name = "http", address = ${quote(config.address)}, http = ${http}, service = "main")],
);

const worker :Workerd.Worker = (
  modules = [
${modules}
  ],
  compatibilityDate = ${quote(config.compatibilityDate)},
  compatibilityFlags = [${config.compatibilityFlags.map(quote).join(', ')}],
  bindings = [
${bindings}
  ],
  durableObjectNamespaces = [
${namespaces}
  ],
  durableObjectStorage = ${config.storage === null ? '(inMemory = void)' : '(localDisk = "storage")'},
);
`;
}

/** A Cap'n Proto string literal. */
function quote(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}
