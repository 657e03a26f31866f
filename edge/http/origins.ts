/**
 * The edge's addresses: each origin is its own issuer and its own resource over the same store (design, section 5).
 *
 * {@link resourceOf} is the only place that builds the resource's address. What is advertised and what is checked both
 * come from it, or audiences drift apart (workers-oauth-provider#108).
 */
export interface Origins {
  /** The one that is advertised. */
  first: string;
  all: readonly string[];
  /** Every one of them is this machine's own loopback, so nobody but this machine has business here. */
  loopback: boolean;
}

/** Parses `ORIGINS`. Throws when it is empty or holds anything but bare http(s) origins: a wrong issuer must not serve. */
export function parseOrigins(list: string): Origins {
  if (list === parsedList && parsed) return parsed;
  parsed = parse(list);
  parsedList = list;
  return parsed;
}

/** The variable never changes inside an isolate, and it is read for every request. */
let parsedList: string | undefined;
let parsed: Origins | undefined;

function parse(list: string): Origins {
  const all = list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map(bareOrigin);
  const first = all[0];
  if (first === undefined) throw new Error('ORIGINS is empty: set it to the public origin of this edge');
  return { first, all, loopback: all.every((origin) => LOOPBACK.test(origin)) };
}

const LOOPBACK = /^https?:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;

/** Hosts whose pages may call an edge wherever it runs: a bearer is required, and no cookie is read. */
const HOSTED = new Set(['https://claude.ai', 'https://chatgpt.com']);

/**
 * Whether a request to an edge on loopback comes by another name or from another site's page: DNS rebinding leads a
 * stranger's page to a loopback port under the stranger's own name. An edge with a public address is never judged here.
 */
export function isForeign({ loopback }: Origins, requestUrl: string, origin: string | null): boolean {
  if (!loopback) return false;
  const end = requestUrl.indexOf('/', requestUrl.indexOf('//') + 2);
  if (!LOOPBACK.test(end === -1 ? requestUrl : requestUrl.slice(0, end))) return true;
  return origin !== null && !LOOPBACK.test(origin) && !HOSTED.has(origin);
}

function bareOrigin(entry: string): string {
  const parsed = URL.parse(entry);
  const bare = parsed && (parsed.href === `${parsed.origin}/` || parsed.href === parsed.origin);
  if (!parsed || !bare || !/^https?:$/.test(parsed.protocol)) {
    throw new Error(`ORIGINS holds "${entry}", which is no bare http(s) origin`);
  }
  return parsed.origin;
}

/** The configured origin under which a request came, or the advertised one when it came under none of them. */
export function originOf(origins: Origins, requestUrl: string): string {
  const known = origins.all.find((origin) => requestUrl.startsWith(origin) && requestUrl[origin.length] === '/');
  if (known !== undefined) return known;
  const { origin } = new URL(requestUrl);
  return origins.all.includes(origin) ? origin : origins.first;
}

/** The canonical protected resource of an origin: the MCP endpoint, without a trailing slash. */
export function resourceOf(origin: string): string {
  return `${origin}/mcp`;
}

/** Where the resource's metadata stands, with the path inserted (RFC 9728 section 3.1). */
export function resourceMetadataOf(origin: string): string {
  return `${origin}/.well-known/oauth-protected-resource/mcp`;
}

/**
 * What a client's `resource` parameter means: absent, empty, the bare origin and the resource with a trailing slash all
 * name the resource. Anything else is returned as it came and is judged, and refused, as `invalid_target`.
 */
export function canonicalResource(origin: string, asked: string | undefined): string {
  const resource = resourceOf(origin);
  if (asked === undefined || asked === '') return resource;
  const bare = asked.replace(/\/$/, '');
  return bare.toLowerCase() === origin || bare === resource ? resource : asked;
}
