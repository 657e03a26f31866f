/** Why a dispatch was not made, or what came of it when it was not applied. */
import { type DispatchView, PROVED_UNDELIVERED } from '../../../contract/browser/dispatch.ts';
import { type OutcomeCode, OutcomeError } from '../../../contract/outcome.ts';
import { BUSY_RETRY_MS } from './limits.ts';

const refuse = (code: OutcomeCode, message: string, next: string, details?: Record<string, unknown>): OutcomeError =>
  new OutcomeError(code, `${message} Nothing was dispatched.`, {
    delivery: 'not_delivered',
    next,
    ...(details === undefined ? {} : { details }),
  });

export const forbidden = (name: string) =>
  refuse(
    'browser_forbidden_input',
    `A web chat is never driven by ${JSON.stringify(name)}: no selectors, scripts, addresses or credentials.`,
    'Name what is meant by the refs of herdr_mcp.browser_resource.list, and leave this member out.',
  );

export const grantMissing = () =>
  refuse(
    'caller_grant_missing',
    'This caller may not drive a web chat.',
    'Locally use `herdr-mcp webchat …`; for a connector the person runs `herdr-mcp webchat grant <connector>`.',
  );

export const consentMissing = (endpointRef: string) =>
  refuse(
    'webchat_control_not_allowed',
    'The person has not allowed WebChat Control in this browser.',
    'Ask the person to switch WebChat Control on in the Side Panel.',
    { endpoint_ref: endpointRef },
  );

export const accountUnknown = (provider: string) =>
  refuse(
    'browser_account_unknown',
    `Nobody is signed in at ${provider} in this browser, or the page does not show who is.`,
    'Ask the person to sign in there and to open the chat once; then look at the chat again.',
  );

export const staleGeneration = (now: number) =>
  refuse(
    'stale_capability_generation',
    'What this browser can do on the site has changed since this was planned.',
    'Look at the browser again and name its observation_generation.',
    { observation_generation: now },
  );

export const protocolUnsupported = (version: number) =>
  refuse(
    'browser_adapter_protocol_unsupported',
    `This browser speaks version ${version} of the adapter protocol, which this runtime does not.`,
    'Update the extension or herdr-mcp, so that both are of one version.',
  );

export const incapable = (capability: string) =>
  refuse(
    'unsupported',
    `This browser cannot do ${capability} on that site.`,
    'herdr_mcp.browser_endpoint.inspect lists what it can do.',
    { capability },
  );

export const notFound = (what: 'endpoint' | 'resource' | 'dispatch', which: string) =>
  refuse(
    what === 'endpoint'
      ? 'browser_endpoint_not_found'
      : what === 'resource'
        ? 'browser_resource_not_found'
        : 'browser_dispatch_not_found',
    `There is no such ${what} here: ${which.slice(0, 100)}.`,
    what === 'dispatch'
      ? 'A dispatch is kept 30 days; an id that was never given names none.'
      : 'List what is there, or let the person open it in the browser once.',
  );

export const notSeen = (address: string) =>
  refuse(
    'browser_resource_not_found',
    `No browser of this workstation has shown this chat: ${address.slice(0, 200)}.`,
    'Let the person open it once in the browser with the extension, with its site switched on in the Options.',
  );

export const wordsNotFound = () =>
  refuse(
    'browser_resource_not_found',
    'No chat has this as its newest user message, in a browser that was connected within a day.',
    'Give the whole newest user message word for word, or name the chat by its ref from herdr_mcp.browser_resource.list.',
  );

export const outOfScope = (why: string) =>
  refuse('browser_resource_scope_mismatch', why, 'Name refs of one browser, one site and one account.');

export const ambiguous = (code: 'browser_canonical_url_ambiguous' | 'browser_resource_ambiguous', refs: string[]) =>
  refuse(code, 'Several are meant equally well; none was chosen.', 'Name one of the candidates by its ref.', {
    candidates: refs,
  });

export const busy = (open: DispatchView) =>
  refuse(
    'browser_account_busy',
    'This account has another act under way.',
    `Try again in ${BUSY_RETRY_MS} ms, or look that dispatch up.`,
    { retry_after_ms: BUSY_RETRY_MS, busy_with: open.dispatch_id },
  );

export const keyConflict = (row: DispatchView) =>
  refuse(
    'idempotency_key_conflict',
    'This key was used for another dispatch.',
    'Use a new key for a new intention; look the old one up by its dispatch_id.',
    { used_by: row.dispatch_id },
  );

export const unsupported = (what: string) =>
  refuse('unsupported', `${what} is not supported by any chat site here.`, 'Leave it out.');

export const wrongParams = (message: string) =>
  refuse('invalid_params', message, 'herdr_methods shows the parameters of every method.');

/** What a browser says when it found the chat in more than one tab. */
const SEVERAL_TABS = 'browser_canonical_url_ambiguous';

/** A mutation that is not proved applied is a failure with its whole dispatch beside it. */
export function unproved(view: DispatchView, replayed: boolean): OutcomeError {
  const details = { ...view, replayed };
  if (view.delivery_state === 'rejected' && view.reason === SEVERAL_TABS)
    return new OutcomeError(
      SEVERAL_TABS,
      'Several tabs of the browser show this chat; nothing was done in any of them.',
      {
        delivery: 'not_delivered',
        next: 'Ask the person to close all of its tabs but one, then send it again with the same idempotency_key.',
        details,
      },
    );
  if (PROVED_UNDELIVERED.has(view.delivery_state)) {
    return new OutcomeError(
      'browser_not_delivered',
      `The browser proved that nothing was delivered (${view.delivery_state}${view.reason === null ? '' : `: ${view.reason}`}).`,
      {
        delivery: 'not_delivered',
        next: 'Settle the reason and send it again with the same idempotency_key, or give the message to a person.',
        details,
      },
    );
  }
  if (view.execution_state === 'queued' && view.reason !== null) {
    return new OutcomeError(
      'delivery_uncertain',
      `It waits for a better moment (${view.reason}) and will be done then, or given up within ten minutes.`,
      {
        delivery: 'unknown',
        next: `Look it up with herdr_mcp.browser_dispatch.status and dispatch_id ${view.dispatch_id}, or withdraw it with herdr_mcp.browser_dispatch.stop.`,
        details,
      },
    );
  }
  return new OutcomeError(
    'delivery_uncertain',
    `It may have been delivered${view.execution_state === 'queued' ? ', or may still be' : ''}: nothing proves it yet.`,
    {
      delivery: 'unknown',
      next: `Look it up with herdr_mcp.browser_dispatch.status and dispatch_id ${view.dispatch_id}; do not send it again under another key.`,
      details,
    },
  );
}
