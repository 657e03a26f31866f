/** The worker's side of the delivery service: what waits, what was seen, and a person's own handoff. */
import {
  ACTUATION_EVENT,
  type ActuationAnswer,
  type ActuationCommand,
  type ActuationRequest,
  type Evidence,
  type SignedIn,
} from '../../contract/browser/actuation.ts';
import type { DispatchView } from '../../contract/browser/dispatch.ts';
import { EXTENSION_ROUTE } from '../../contract/extension/index.ts';
import { isObject } from '../../contract/json.ts';
import type { Cutover, DeliverAnswer, Prepared, Transfer } from '../machines/handoff/index.ts';
import { REQUEST_MS } from './limits.ts';
import type { NativePort } from './native.ts';
import type { Registry } from './registry.ts';

/** The event of the stream that says that something waits for a browser. */
export const isActuationEvent = (name: string): boolean => name === ACTUATION_EVENT;

type HandoffGiven = Extract<ActuationRequest, { operation: 'handoff.deliver' }>;

export type Confirmed = 'confirmed' | 'later' | 'over' | { objection: string };

export interface DispatchDoor {
  /** Null: nobody answered. */
  waiting(): Promise<readonly string[] | null>;
  claim(id: string, claimant: string): Promise<ActuationCommand | null | 'unknown'>;
  /**
   * May it begin, or go on, with that account signed in? `later`: ask again. `objection`: it was allowed to and is not any
   * more. Null: nobody answered.
   */
  confirm(id: string, claimant: string, signedIn: SignedIn): Promise<Confirmed | null>;
  defer(id: string, claimant: string, reason: string): Promise<void>;
  report(id: string, claimant: string, evidence: Evidence): Promise<DispatchView | 'over' | null>;
  settle(given: {
    dispatch: string;
    message: string;
    generation: number;
    assistant: { id: string; text: string };
  }): Promise<'told' | 'over' | null>;
  observe(dispatch: string): Promise<DispatchView | 'unknown' | null>;
  prepare(transfer: Transfer): Promise<Prepared | 'refused' | null>;
  deliver(transfer: Transfer): Promise<DeliverAnswer>;
  /** Ends it at the service. `never`: it could not have been delivered at all. Null: nobody answered. */
  end(transfer: Transfer): Promise<DispatchView | 'never' | null>;
  cutOver(cutover: Cutover): Promise<boolean>;
}

export function createDispatchDoor(native: NativePort, registry: Registry): DispatchDoor {
  async function ask(make: (endpoint: string) => ActuationRequest): Promise<ActuationAnswer | null> {
    const endpoint = await registry.endpointRef();
    if (endpoint === null) return null;
    return answered(await post(EXTENSION_ROUTE.actuation, make(endpoint), REQUEST_MS.registry));
  }
  const post = (path: string, body: unknown, timeoutMs: number) =>
    native.request({ method: 'POST', path, body, timeoutMs });

  /** The chain as it stands now; the text of an answer decides nothing. */
  async function chainOf({ continuityId, conversation }: Transfer): Promise<string | 'refused' | null> {
    for (const named of [
      continuityId === null ? null : { continuity_id: continuityId },
      { conversation_url: conversation },
    ]) {
      if (named === null) continue;
      const answer = await post('/extension/continuity/resolve', named, REQUEST_MS.turn);
      if (!answer.ok || !isObject(answer.body)) return null;
      const { ok, continuity_id: id } = answer.body;
      if (answer.status === 200 && ok === true && typeof id === 'string') return id;
    }
    return 'refused';
  }

  /** A handoff as the service is asked for it; null: not everything of it is known now. */
  async function givenOf(transfer: Transfer): Promise<Omit<HandoffGiven, 'operation'> | null> {
    const { message, handoffId, workChainId, project, target, seededAgain } = transfer;
    if (message === null || handoffId === null) return null;
    const spaceRef = project === null ? null : await registry.space(transfer, project);
    if (project !== null && spaceRef === null) return null;
    const endpoint = await registry.endpointRef();
    if (endpoint === null) return null;
    return {
      endpoint_ref: endpoint,
      source_url: transfer.conversation,
      message,
      idempotency_key: handoffId,
      ...(spaceRef === null ? {} : { space_ref: spaceRef }),
      ...(workChainId === null ? {} : { work_chain_id: workChainId }),
      ...(seededAgain && target?.session != null ? { target_session_ref: target.session } : {}),
    };
  }

  return {
    async waiting() {
      const answer = await ask((endpoint_ref) => ({ operation: 'actuation.pending', endpoint_ref }));
      return answer?.ok && 'waiting' in answer ? answer.waiting : null;
    },
    async claim(actuation_id, claimant) {
      const answer = await ask((endpoint_ref) => ({
        operation: 'actuation.claim',
        endpoint_ref,
        actuation_id,
        claimant,
      }));
      if (answer === null) return 'unknown';
      if (answer.ok) return 'command' in answer ? answer.command : 'unknown';
      return answer.code === 'browser_store_unavailable' ? 'unknown' : null;
    },
    async confirm(actuation_id, claimant, signed_in) {
      const answer = await ask((endpoint_ref) => ({
        operation: 'actuation.confirm',
        endpoint_ref,
        actuation_id,
        claimant,
        signed_in,
      }));
      if (answer === null) return null;
      if (answer.ok && 'confirmed' in answer) {
        const { confirmed, objection } = answer;
        return confirmed ? 'confirmed' : objection === undefined ? 'over' : { objection };
      }
      if (answer.ok) return 'over';
      if (answer.code === 'browser_store_unavailable') return null;
      return answer.code === 'browser_account_busy' ? 'later' : 'over';
    },
    async defer(actuation_id, claimant, reason) {
      // Nothing hangs on it: what waits is done or given up whether or not anybody has heard of it.
      await ask((endpoint_ref) => ({ operation: 'actuation.defer', endpoint_ref, actuation_id, claimant, reason }));
    },
    async report(actuation_id, claimant, evidence) {
      const told = (seen: Evidence) =>
        ask((endpoint_ref) => ({
          operation: 'actuation.report',
          endpoint_ref,
          actuation_id,
          claimant,
          evidence: seen,
        }));
      const { tab, ...known } = evidence;
      // A generation of before takes nothing with a member that it does not know.
      const answer = (await told(evidence)) ?? (tab === undefined ? null : await told(known));
      if (answer === null) return null;
      if (answer.ok) return 'dispatch' in answer ? answer.dispatch : null;
      return answer.code === 'browser_store_unavailable' ? null : 'over';
    },
    async settle({ dispatch, message, generation, assistant }) {
      const answer = await ask((endpoint_ref) => ({
        operation: 'dispatch.result',
        endpoint_ref,
        dispatch_id: dispatch,
        observed_generation: generation,
        accepted_user_message_ref: message,
        outcome: 'settled',
        assistant_message_ref: assistant.id,
        text: assistant.text,
      }));
      if (answer === null) return null;
      if (answer.ok) return 'told';
      return answer.code === 'browser_store_unavailable' ? null : 'over';
    },
    async observe(dispatch_id) {
      const answer = await ask((endpoint_ref) => ({ operation: 'dispatch.observe', endpoint_ref, dispatch_id }));
      if (answer === null) return null;
      if (answer.ok) return 'dispatch' in answer ? answer.dispatch : null;
      return answer.code === 'browser_dispatch_not_found' ? 'unknown' : null;
    },
    async prepare(transfer) {
      const chain = await chainOf(transfer);
      if (chain === null || chain === 'refused') return chain;
      const params = {
        continuity_id: chain,
        source_url: transfer.sourceUrl,
        ...(transfer.handoffId === null ? {} : { handoff_id: transfer.handoffId }),
      };
      const call = {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: 'herdr_call',
          arguments: { method: 'herdr_mcp.browser_handoff.prepare', params: JSON.stringify(params) },
        },
      };
      const answer = await post('/mcp', call, REQUEST_MS.read);
      return answer.ok ? preparedOf(answer.body) : null;
    },
    async deliver(transfer) {
      const given = await givenOf(transfer);
      if (given === null) return { kind: 'unanswered' };
      const body: ActuationRequest = { operation: 'handoff.deliver', ...given };
      return deliverAnswerOf(await post(EXTENSION_ROUTE.actuation, body, REQUEST_MS.registry));
    },
    async end(transfer) {
      const given = await givenOf(transfer);
      if (given === null) return null;
      const named = transfer.dispatch === null ? {} : { dispatch_id: transfer.dispatch };
      const body: ActuationRequest = { operation: 'handoff.end', ...given, ...named };
      const answer = answered(await post(EXTENSION_ROUTE.actuation, body, REQUEST_MS.registry));
      if (answer === null) return null;
      if (answer.ok) return 'dispatch' in answer ? answer.dispatch : null;
      // A service that does not know the place would not have delivered there either.
      return answer.code === 'browser_store_unavailable' ? null : 'never';
    },
    async cutOver({ source, target, dispatch, message }) {
      const answer = await ask((endpoint_ref) => ({
        operation: 'handoff.commit',
        endpoint_ref,
        dispatch_id: dispatch,
        target_session_ref: target,
        ...(source === null ? {} : { source_session_ref: source }),
        ...(message === null ? {} : { accepted_user_message_ref: message }),
      }));
      // A refusal is the runtime's last word as well: asking again changes nothing.
      return answer !== null && (answer.ok || answer.code !== 'browser_store_unavailable');
    },
  };
}

type Answered = Awaited<ReturnType<NativePort['request']>>;

function answered(answer: Answered): ActuationAnswer | null {
  return answer.ok && answer.status === 200 && isObject(answer.body) && 'ok' in answer.body
    ? (answer.body as unknown as ActuationAnswer)
    : null;
}

/** What an answer proves by its own words; one that says nothing of execution or result proves nothing. */
export function deliverAnswerOf(answer: Answered): DeliverAnswer {
  if (!answer.ok || answer.status !== 200) return { kind: 'unanswered' };
  const { body } = answer;
  if (!isObject(body)) return { kind: 'nothing' };
  if (body['ok'] === false && typeof body['code'] === 'string') {
    const busy = body['code'] === 'browser_account_busy' || body['code'] === 'browser_store_unavailable';
    return { kind: 'refused', busy };
  }
  const given = isObject(body['dispatch']) ? body['dispatch'] : body;
  const { dispatch_id: id, delivery_state: delivery, execution_state: execution } = given;
  if (typeof id !== 'string') return { kind: 'nothing' };
  if (typeof delivery !== 'string' || typeof execution !== 'string') return { kind: 'named', dispatch: id };
  return { kind: 'dispatch', dispatch: given as unknown as DispatchView, replayed: body['replayed'] === true };
}

/** The package of `herdr_mcp.browser_handoff.prepare`; anything else is a refusal, and null nobody's answer. */
export function preparedOf(body: unknown): Prepared | 'refused' | null {
  if (!isObject(body) || !isObject(body['result'])) return null;
  const content: unknown = Array.isArray(body['result']['content']) ? body['result']['content'][0] : undefined;
  if (!isObject(content) || typeof content['text'] !== 'string') return null;
  let said: unknown;
  try {
    said = JSON.parse(content['text']);
  } catch {
    return null;
  }
  if (!isObject(said)) return null;
  if (said['ok'] !== true) return said['retryable'] === true ? null : 'refused';
  const { handoff, automatic_delivery: automatic, manual_delivery: manual } = said;
  if (!isObject(handoff) || !isObject(automatic) || !isObject(manual) || !isObject(automatic['params']))
    return 'refused';
  const { handoff_id: handoffId, continuity_id: continuityId, message, work_chain_id: workChainId } = handoff;
  if (typeof handoffId !== 'string' || typeof continuityId !== 'string' || typeof message !== 'string')
    return 'refused';
  // One message, whoever carries it.
  if (automatic['params']['message'] !== message || manual['copy_prompt'] !== message) return 'refused';
  return { handoffId, continuityId, message, workChainId: typeof workChainId === 'string' ? workChainId : null };
}
