/** The mutations, as methods of `herdr_call`: forbidden inputs, grant, consent, generation, protocol, capability, then the act. */
import type { DispatchAnswer } from '../../../contract/browser/dispatch.ts';
import {
  DISPATCH_MESSAGE_BYTES_MAX,
  type DispatchStop,
  type DispatchSubmit,
  type SessionArchive,
  type SessionCreate,
  type SessionOpen,
  UNSUPPORTED_METHODS,
} from '../../../contract/browser/methods.ts';
import type { Asked } from './asked.ts';
import { type Grants, isLocal, isTrusted } from './grants.ts';
import { PROOF_WAIT_MS } from './limits.ts';
import { type BrowserContext, type Method, notSupported, own, type Run } from './method.ts';
import { assertAccountKnown, type Place } from './place.ts';
import { readMethods } from './reads.ts';
import {
  consentMissing,
  grantMissing,
  keyConflict,
  notFound,
  outOfScope,
  unproved,
  unsupported,
  wrongParams,
} from './refusals.ts';
import { type Row, viewOf } from './row.ts';
import type { Service } from './service.ts';

/** What is left for the way back when a wait is cut to the caller's patience. */
const ANSWER_MS = 1_000;

export function browserMethods(service: Service, grants: Grants): Record<string, Method> {
  const { places } = service;

  async function dispatched(asked: Asked, waitMs: number, context: BrowserContext): Promise<Record<string, unknown>> {
    // A key that is only looked up puts nothing into a chat: what became of it may be known also after consent was taken back.
    if (!service.isLookedUp(asked)) {
      assertConsented(asked.place);
      assertAccountKnown(asked.place);
    }
    const { row, replayed } = service.begin(asked);
    return told(row, replayed, waitMs, context);
  }

  async function told(row: Row, replayed: boolean, waitMs: number, context: BrowserContext) {
    const left = context.deadlineAtMs - context.nowMs() - ANSWER_MS;
    const now = (await service.wait(row.dispatchId, Math.max(0, Math.min(waitMs, left)), context.signal)) ?? row;
    const view = viewOf(now);
    if (view.delivery_state !== 'applied') throw unproved(view, replayed);
    return { ...view, replayed } satisfies DispatchAnswer;
  }

  function assertConsented(place: Place): void {
    if (!place.endpoint.webchatControl) throw consentMissing(place.endpoint.endpointRef);
  }

  const act = (
    place: Place,
    operation: Asked['operation'],
    params: {
      idempotency_key: string;
      expected_generation?: number;
      message?: string;
      work_chain_id?: string;
      lane_id?: string;
      parent_target?: string;
    },
    context: BrowserContext,
    more: Partial<Asked> = {},
  ): Asked => ({
    operation,
    place,
    message: params.message ?? null,
    sourceUrl: null,
    expectedGeneration: params.expected_generation ?? null,
    key: params.idempotency_key,
    principal: context.principal,
    workChainId: params.work_chain_id ?? '',
    laneId: params.lane_id ?? '',
    parentTarget: params.parent_target ?? null,
    displayLabel: '',
    stopsDispatchId: '',
    source: null,
    byHand: false,
    ...more,
  });

  function assertSayable(params: Pick<SessionCreate, 'message' | 'reasoning_effort' | 'required_apps'>): void {
    if (params.reasoning_effort !== undefined) throw unsupported('reasoning_effort');
    if (params.required_apps !== undefined) throw unsupported('required_apps');
    if (Buffer.byteLength(params.message) > DISPATCH_MESSAGE_BYTES_MAX)
      throw wrongParams(`message is over ${DISPATCH_MESSAGE_BYTES_MAX} bytes.`);
    if (params.message.trim() === '') throw wrongParams('message is empty.');
  }

  function placeFor(params: SessionCreate): Place {
    if (params.source_url !== undefined) {
      const named = [params.endpoint_ref, params.provider, params.account_ref, params.space_ref];
      if (named.some((one) => one !== undefined)) throw wrongParams('source_url stands alone: it names the place.');
      return places.ofSource(params.source_url);
    }
    const { endpoint_ref, provider, account_ref, space_ref } = params;
    if (endpoint_ref === undefined || provider === undefined || account_ref === undefined)
      throw wrongParams('Give source_url, or endpoint_ref, provider, account_ref and expected_generation.');
    const place = space_ref === undefined ? places.ofAccount(account_ref) : places.ofSpace(space_ref);
    const same =
      place.endpoint.endpointRef === endpoint_ref &&
      place.provider.provider === provider &&
      place.account.resourceRef === account_ref;
    if (!same) throw outOfScope('These refs are not of one browser, site and account.');
    return { ...place, session: null };
  }

  const create: Run<SessionCreate> = (params, context) => {
    if (!grants.holds(context)) throw grantMissing();
    assertSayable(params);
    const place = placeFor(params);
    if (params.expected_generation === undefined && params.source_url === undefined)
      throw wrongParams('expected_generation is missing.');
    const more = { sourceUrl: place.session?.canonicalUrl ?? null, displayLabel: params.display_label ?? '' };
    return dispatched(act(place, 'session.create', params, context, more), waitOf(params), context);
  };

  const openSession: Run<SessionOpen> = (params, context) => {
    if (!grants.holds(context)) throw grantMissing();
    const place = places.ofSession(params.session_ref);
    return dispatched(act(place, 'session.open', params, context), waitOf(params), context);
  };

  const archive: Run<SessionArchive> = (params, context) => {
    if (!grants.holds(context)) throw grantMissing();
    const { session_ref, expected_generation, current_user_message: words } = params;
    if ((session_ref === undefined) === (words === undefined))
      throw wrongParams('Give exactly one of session_ref and current_user_message.');
    if ((session_ref === undefined) !== (expected_generation === undefined))
      throw wrongParams('expected_generation comes with session_ref, and with nothing else.');
    const asked =
      words === undefined
        ? act(places.ofSession(session_ref ?? ''), 'session.archive', params, context)
        : archiveOfTurn(words, params, context);
    return dispatched(asked, waitOf(params), context);
  };

  /** A key that was used is looked up first: the chat may have gone on since. */
  function archiveOfTurn(words: string, params: SessionArchive, context: BrowserContext): Asked {
    const { principal } = context;
    const known = service.earlier({ operation: 'session.archive', key: params.idempotency_key, principal });
    if (known !== undefined && known.sourceTurnSha256 !== null) {
      if (!service.currentMessages.isOf(known, words)) throw keyConflict(viewOf(known));
      const same = act(places.ofSession(known.sessionRef), 'session.archive', params, context);
      if (service.isLookedUp(same)) return same;
    }
    const { sessionRef, generation, turnSha256, textSha256 } = service.currentMessages.find(words, context);
    const planned = { ...params, expected_generation: generation };
    const source = { turnSha256, textSha256 };
    return act(places.ofSession(sessionRef), 'session.archive', planned, context, { source });
  }

  const submit: Run<DispatchSubmit> = (params, context) => {
    if (!grants.holds(context)) throw grantMissing();
    assertSayable(params);
    const place = places.ofSession(params.session_ref);
    return dispatched(act(place, 'composer.submit', params, context), waitOf(params), context);
  };

  const stop: Run<DispatchStop> = async (params, context) => {
    if (!grants.holds(context)) throw grantMissing();
    const { dispatch_id, session_ref } = params;
    if ((dispatch_id === undefined) === (session_ref === undefined))
      throw wrongParams('Give exactly one of dispatch_id and session_ref.');
    const meant = dispatch_id === undefined ? undefined : service.find(dispatch_id);
    if (dispatch_id !== undefined && !meant) throw notFound('dispatch', dispatch_id);
    // What is withdrawn puts nothing into a chat: that needs no consent.
    const withdrawn = meant && service.withdraw(meant.dispatchId);
    if (withdrawn) return { ...viewOf(withdrawn), replayed: false };
    const ref = meant?.sessionRef || session_ref || '';
    if (ref === '') throw notFound('resource', 'the chat of this dispatch is not known yet');
    const place = places.ofSession(ref);
    const more = { stopsDispatchId: meant?.dispatchId ?? '' };
    return dispatched(act(place, 'generation.stop', params, context, more), waitOf(params), context);
  };

  const grantPut: Run<{ connector_id: string }> = async ({ connector_id }, context) => {
    if (!isTrusted(context)) throw grantMissing();
    return { connector_id, changed: grants.put(connector_id, context.nowMs()) };
  };
  const grantRevoke: Run<{ connector_id: string }> = async ({ connector_id }, context) => {
    if (!isTrusted(context)) throw grantMissing();
    return { connector_id, changed: grants.revoke(connector_id) };
  };
  const grantList: Run<object> = async (_, context) => {
    if (!isLocal(context)) throw grantMissing();
    return {
      grants: grants.list().map(({ principalId, grantedAt }) => ({
        connector_id: principalId,
        granted_at_ms: grantedAt,
      })),
    };
  };

  return {
    ...readMethods(service, grants),
    ...Object.fromEntries(UNSUPPORTED_METHODS.map((name) => [name, notSupported(name)])),
    ...own('herdr_mcp.browser_session.create', 'write', 'Opens a new web chat and sends its first message.', create),
    ...own('herdr_mcp.browser_session.open', 'write', 'Shows a known web chat in its browser.', openSession),
    ...own(
      'herdr_mcp.browser_session.archive',
      'write',
      'Archives a known web chat, or the one with this current user message.',
      archive,
    ),
    ...own('herdr_mcp.browser_dispatch.submit', 'write', 'Sends one message into a known web chat.', submit),
    ...own(
      'herdr_mcp.browser_dispatch.stop',
      'write',
      'Stops the answer that is being written, or withdraws what no browser has taken.',
      stop,
    ),
    ...own(
      'herdr_mcp.browser_grant.put',
      'write',
      'Lets a connector drive web chats. The person at the workstation only.',
      grantPut,
    ),
    ...own('herdr_mcp.browser_grant.revoke', 'write', 'Takes that back.', grantRevoke),
    ...own('herdr_mcp.browser_grant.list', 'read', 'Connectors that may drive web chats.', grantList),
  };
}

const waitOf = ({ wait_ms }: { wait_ms?: number }): number => wait_ms ?? PROOF_WAIT_MS;
