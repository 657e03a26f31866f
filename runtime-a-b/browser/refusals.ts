/** Why the registry did not record something, and what the extension does then. Pure. */
import type { Consent, RegistryFailure } from '../../contract/extension/registry.ts';

export function notFound(what: 'endpoint' | 'resource'): RegistryFailure {
  return what === 'endpoint'
    ? {
        ok: false,
        code: 'browser_endpoint_not_found',
        message: 'This browser, or what it can do on this site, is not registered here. Nothing was recorded.',
        next: 'Send endpoint.register and provider.observe, then this again.',
      }
    : {
        ok: false,
        code: 'browser_resource_not_found',
        message: 'No such account, space or session is registered here. Nothing was recorded.',
        next: 'Observe it first: the account, then the space, then the session.',
      };
}

export function outOfScope(kind: string): RegistryFailure {
  return {
    ok: false,
    code: 'browser_resource_scope_mismatch',
    message: `The parent given does not contain a ${kind} of this browser and site. Nothing was recorded.`,
    next: 'An account has no parent, a space lies in an account, a session in a space or an account.',
  };
}

export function stale(generation: number): RegistryFailure {
  return {
    ok: false,
    code: 'stale_capability_generation',
    message: 'What this browser can do on the site has changed since. Nothing was recorded.',
    next: 'Send provider.observe and use the generation that it answers.',
    observation_generation: generation,
  };
}

export function conflict(now: { consent: Consent; consent_revision: number }): RegistryFailure {
  return {
    ok: false,
    code: 'browser_consent_revision_conflict',
    message: 'The consent was changed elsewhere meanwhile. Nothing was changed.',
    next: 'Show the person what stands there now and let them choose again.',
    ...now,
  };
}

export function storeUnavailable(): RegistryFailure {
  return {
    ok: false,
    code: 'browser_store_unavailable',
    message: 'The registry could not be written. Nothing was recorded.',
    next: 'Send it again in a moment.',
  };
}
