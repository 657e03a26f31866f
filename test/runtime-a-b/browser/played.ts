/** A real database, the real registry and service, and a browser that is played by hand. Made anew for each test. */
import { afterEach, beforeEach } from 'vitest';
import {
  type ActuationAnswer,
  type ActuationEvent,
  ADAPTER_PROTOCOL,
  type Evidence,
} from '../../../contract/browser/actuation.ts';
import { OutcomeError } from '../../../contract/outcome.ts';
import { type Browser, type Dispatches, openBrowser, openDispatches } from '../../../runtime-a-b/browser/index.ts';
import { openState, type State } from '../../../runtime-a-b/state/index.ts';
import { silent, tempFolder } from '../support/index.ts';

export const SOURCE = 'https://chatgpt.com/c/6789abcd-0000-4000-8000-000000000001';
export const NEW = 'https://chatgpt.com/c/6789abcd-0000-4000-8000-000000000002';
export const PROJECT = 'g-p-0123456789abcdef0123456789abcdef';
export const CAPABLE = ['composer.submit', 'generation.stop', 'session.archive', 'session.create', 'session.open'];

let folder: ReturnType<typeof tempFolder>;
export let state: State;
let browser: Browser;
export let service: Dispatches;
export let now: number;
let count: number;
export let events: ActuationEvent[];
export let prompts: { target: string; text: string; dispatchId: string }[];
let promptDelivery: 'delivered' | 'not_delivered' | 'unknown';
let active: boolean;
export let moved: [string, string][];

const random = (bytes: number) => {
  count += 1;
  return new Uint8Array(bytes).fill(count % 256);
};
export function open(): void {
  state = openState(`${folder.path}/state`);
  browser = openBrowser({ state, deviceId: 'dev_x', nowMs: () => now, random, log: silent });
  service = openDispatches({
    state,
    nowMs: () => now,
    random,
    log: silent,
    callers: browser.callers,
    wake: (event) => events.push(event),
    send: async (prompt) => {
      prompts.push(prompt);
      return { delivery: promptDelivery, code: undefined };
    },
    isActive: () => active,
    moveTasks: (from, to) => {
      moved.push([from, to]);
      return 1;
    },
  });
}
export async function close(): Promise<void> {
  await service.stop();
  state.close();
}

/** Time goes by. */
export const pass = (ms: number): void => {
  now += ms;
};
export const promptsBecome = (delivery: typeof promptDelivery): void => {
  promptDelivery = delivery;
};

beforeEach(() => {
  folder = tempFolder();
  [now, count, events, prompts, promptDelivery, active, moved] = [1_000_000, 0, [], [], 'delivered', true, []];
  open();
});
afterEach(async () => {
  await close();
  folder.remove();
});

export const registry = (operation: string, body: object) =>
  ({ ...browser.handle({ operation, ...body }) }) as Record<string, unknown>;

export interface Signed {
  endpoint: string;
  generation: number;
  account: string;
  space: string;
  source: string;
  session(native: string, url: string, parent?: string): string;
}

export function signedIn(
  seed = 'a',
  options: { consent?: boolean; capabilities?: string[]; account?: string } = {},
): Signed {
  const endpoint = String(
    registry('endpoint.register', {
      profile_seed: seed.repeat(64),
      browser_family: 'chromium',
      extension_version: '1.0.0',
    }).endpoint_ref,
  );
  registry('endpoint.consent', {
    endpoint_ref: endpoint,
    expected_revision: 0,
    consent: {
      webchat_control: options.consent ?? true,
      tool_bridge: false,
      tool_bridge_workstation_mutation: false,
    },
  });
  const generation = Number(
    registry('provider.observe', {
      endpoint_ref: endpoint,
      provider: 'chatgpt',
      adapter_protocol_version: ADAPTER_PROTOCOL,
      capabilities: options.capabilities ?? CAPABLE,
    }).observation_generation,
  );
  const observe = (kind: string, native: string, more: object = {}) =>
    String(
      registry('resource.observe', {
        endpoint_ref: endpoint,
        provider: 'chatgpt',
        kind,
        native_identity: native,
        expected_generation: generation,
        ...more,
      }).resource_ref,
    );
  const account = observe('account', options.account ?? 'me');
  const space = observe('space', PROJECT, {
    parent_ref: account,
    canonical_url: `https://chatgpt.com/g/${PROJECT}-plans/project`,
  });
  const session = (native: string, url: string, parent = space) =>
    observe('session', native, { parent_ref: parent, canonical_url: url, display_label: native });
  return { endpoint, generation, account, space, session, source: session('source', SOURCE) };
}

export const CLI = { principal: { kind: 'local' as const, id: 'cli' }, door: 'socket' as const };
export async function call(
  method: string,
  params: Record<string, unknown>,
  from: object = CLI,
): Promise<Record<string, unknown>> {
  const found = service.methods[`herdr_mcp.${method}`];
  if (!found) throw new Error(`no method ${method}`);
  const context = {
    ...CLI,
    callerSession: undefined,
    nowMs: () => now,
    deadlineAtMs: now + 45_000,
    signal: new AbortController().signal,
    ...from,
  };
  try {
    found.before(params);
    return { ok: true, ...(await found.run(params, context)) };
  } catch (error) {
    if (!(error instanceof OutcomeError)) throw error;
    return { ok: false, code: error.code, delivery: error.delivery, ...error.details };
  }
}

/** Reads at once: the browser is played afterwards. */
export const create = (key: string, more: Record<string, unknown> = {}, from?: object) =>
  call(
    'browser_session.create',
    { source_url: SOURCE, message: 'Go on.', idempotency_key: key, wait_ms: 0, ...more },
    from,
  );
export const status = (dispatch_id: unknown) => call('browser_dispatch.status', { dispatch_id });
export const act = (operation: string, body: object) => service.actuate({ operation, ...body }) as ActuationAnswer;
export const claim = (who: Signed, claimant = 'claimant-1', event = events.at(-1)) =>
  act('actuation.claim', { endpoint_ref: who.endpoint, actuation_id: event?.actuation_id, claimant });
export const confirm = (who: Signed, signed_in: string = who.account, claimant = 'claimant-1', event = events.at(-1)) =>
  act('actuation.confirm', { endpoint_ref: who.endpoint, actuation_id: event?.actuation_id, claimant, signed_in });
export const defer = (who: Signed, reason: string) =>
  act('actuation.defer', {
    endpoint_ref: who.endpoint,
    actuation_id: events.at(-1)?.actuation_id,
    claimant: 'claimant-1',
    reason,
  });
export const report = (who: Signed, evidence: Partial<Evidence>, claimant = 'claimant-1', event = events.at(-1)) =>
  act('actuation.report', {
    endpoint_ref: who.endpoint,
    actuation_id: event?.actuation_id,
    claimant,
    evidence: { observed_generation: who.generation, command_accepted: true, ...evidence },
  });
export const created = (who: Signed, at = who.session('new', NEW)): Partial<Evidence> => ({
  session_ref: at,
  canonical_url: NEW,
  lifecycle: 'active',
  accepted_message_ref: 'm1',
  generation_status: 'generating',
});
