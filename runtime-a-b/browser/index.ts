/**
 * The browser registry: which browsers, accounts and conversations the extension has shown, and which caller is which
 * conversation. The runtime is told nothing that it could act on by itself here; it only learns whom to tell.
 */
import * as Value from 'typebox/value';
import { type RegistryAnswer, RegistryRequest } from '../../contract/extension/registry.ts';
import type { Log } from '../../local/log/index.ts';
import { type Callers, openCallers } from './callers.ts';
import { storeUnavailable } from './refusals.ts';
import { openRegistry, type RegistryParts } from './registry.ts';

export type { Caller, Callers } from './callers.ts';
export { ACTUATION_BODY_BYTES, type Dispatches, openDispatches } from './dispatch/index.ts';
export { REGISTRY_BODY_BYTES } from './limits.ts';

export interface Browser {
  /** The body of `POST /extension/browser/registry`; undefined when it fits no operation. */
  handle(body: unknown): RegistryAnswer | undefined;
  callers: Callers;
}

/** Opens the registry over an open `state.db`. */
export function openBrowser(parts: RegistryParts & { log: Log }): Browser {
  const answer = openRegistry(parts);
  return {
    handle(body) {
      if (!Value.Check(RegistryRequest, body)) return undefined;
      try {
        return answer(body);
      } catch (error) {
        parts.log.error({ err: error }, 'the browser registry could not be written');
        return storeUnavailable();
      }
    },
    callers: openCallers(parts.state),
  };
}
