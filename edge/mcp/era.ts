/**
 * Which era a body speaks (design, section 5). The body decides; the version header only confirms. Pure.
 *
 * A claim is the reserved protocol-version key in `params._meta`. Inside a legacy handshake or under a legacy header the
 * reserved keys are opaque, even malformed ones (csharp-sdk#1852); a well-formed 2026 envelope under a legacy header is
 * served as what it is, because a large host sends exactly that.
 */
import { isObject } from '../../contract/json.ts';
import { MODERN_VERSION } from './served.ts';

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';
const CLIENT_INFO_KEY = 'io.modelcontextprotocol/clientInfo';

export interface RpcHeaders {
  version: string | null;
  method: string | null;
  name: string | null;
}

/**
 * `legacy` and `modern` may be served by our own lanes. `refer` goes to the SDK's modern handler, which owns every
 * refusal of that era; `headers` are the ones to show it.
 */
export type Era = { kind: 'legacy' } | { kind: 'modern' } | { kind: 'refer'; headers: RpcHeaders };

export function eraOf(method: string, params: unknown, headers: RpcHeaders): Era {
  const version = headers.version?.trim() ?? null;
  const header: 'none' | 'legacy' | 'modern' =
    version === null || !DATE.test(version) ? 'none' : isModern(version) ? 'modern' : 'legacy';
  const meta = memberOf(params, '_meta');
  const claims = meta !== undefined && Object.hasOwn(meta, VERSION_KEY);
  if (!claims) return header === 'modern' ? { kind: 'refer', headers } : { kind: 'legacy' };
  const claim = meta[VERSION_KEY];
  const names2026 = typeof claim === 'string' && isModern(claim);
  const wellFormed = names2026 && envelopeFits(meta);
  if (header !== 'modern' && !wellFormed) {
    if (header === 'legacy' || method === 'initialize' || (typeof claim === 'string' && !names2026)) {
      return { kind: 'legacy' };
    }
  }
  if (!wellFormed || claim !== MODERN_VERSION) return { kind: 'refer', headers };
  // From here on a good envelope of the version that we speak.
  const effective: RpcHeaders =
    header === 'legacy'
      ? { version: claim, method: headers.method ?? method, name: headers.name ?? nameIn(params) }
      : headers;
  return headersFit(effective, claim, method, params) ? { kind: 'modern' } : { kind: 'refer', headers: effective };
}

function headersFit(headers: RpcHeaders, claim: string, method: string, params: unknown): boolean {
  if (headers.version !== claim || headers.method !== method) return false;
  return method !== 'tools/call' || headers.name === nameIn(params);
}

function nameIn(params: unknown): string | null {
  const name = typeof params === 'object' && params !== null ? (params as { name?: unknown }).name : undefined;
  return typeof name === 'string' ? name : null;
}

/** The shapes that the envelope must have. What is refused here is judged again, and named, by the SDK. */
function envelopeFits(meta: Record<string, unknown>): boolean {
  const capabilities = memberOf(meta, CAPABILITIES_KEY);
  if (!capabilities || !Object.values(capabilities).every(isObject)) return false;
  if (!Object.hasOwn(meta, CLIENT_INFO_KEY)) return true;
  const info = memberOf(meta, CLIENT_INFO_KEY);
  return typeof info?.name === 'string' && typeof info.version === 'string';
}

/** A header that is no revision at all says nothing. */
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Revisions are dates, so later ones sort behind. */
function isModern(version: string): boolean {
  return version >= MODERN_VERSION;
}

function memberOf(value: unknown, name: string): Record<string, unknown> | undefined {
  const member = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  return isObject(member) ? member : undefined;
}
