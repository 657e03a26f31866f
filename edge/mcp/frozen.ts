import { discoverResult, initializeResult, type Served, toolsListResult } from './served.ts';

/**
 * The result of `initialize`, `server/discover` or `tools/list` as JSON, straight from the frozen contract. `undefined`
 * for any other method, and for params that are not what the method takes: the SDK answers those.
 */
export function frozenAnswer(from: Served, method: string, params: unknown, modern: boolean): string | undefined {
  if (method === 'tools/list') return isAbsentOrObject(params) ? toolsListResult(from, modern) : undefined;
  if (modern) return method === 'server/discover' ? discoverResult(from) : undefined;
  if (method !== 'initialize') return undefined;
  const version = requestedVersion(params);
  return version === undefined ? undefined : initializeResult(from, version);
}

function isAbsentOrObject(params: unknown): boolean {
  return params === undefined || (typeof params === 'object' && params !== null && !Array.isArray(params));
}

/** The version asked for, when these are the params of a handshake. */
function requestedVersion(params: unknown): string | undefined {
  if (typeof params !== 'object' || params === null) return undefined;
  const { protocolVersion, capabilities, clientInfo } = params as Record<string, unknown>;
  if (typeof protocolVersion !== 'string' || typeof capabilities !== 'object' || capabilities === null)
    return undefined;
  if (typeof clientInfo !== 'object' || clientInfo === null) return undefined;
  const { name, version } = clientInfo as Record<string, unknown>;
  return typeof name === 'string' && typeof version === 'string' ? protocolVersion : undefined;
}
