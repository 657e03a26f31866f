/** `POST /extension/browser/actuation`: the browser's own side of the service, and a person's own handoff. */
import type { Static } from 'typebox';
import * as Value from 'typebox/value';
import {
  type ActuationAnswer,
  type ActuationFailure,
  ActuationRequest,
  type HandoffDeliver,
  type HandoffEnd,
} from '../../../contract/browser/actuation.ts';
import type { Operation } from '../../../contract/browser/dispatch.ts';
import { OutcomeError } from '../../../contract/outcome.ts';
import type { Log } from '../../../local/log/index.ts';
import { isNamedAccount } from '../naming.ts';
import type { Asked } from './asked.ts';
import { sha256 } from './digest.ts';
import { keyOf } from './names.ts';
import { outOfScope } from './refusals.ts';
import { type Row, viewOf } from './row.ts';
import type { Begun, Service } from './service.ts';

/** Undefined: the body fits no operation. */
export function openActuation(service: Service, log: Log): (body: unknown) => ActuationAnswer | undefined {
  return (body) => {
    if (!Value.Check(ActuationRequest, body)) return undefined;
    try {
      return answer(service, body);
    } catch (error) {
      if (error instanceof OutcomeError) {
        const { code, message, next } = error;
        return { ok: false, code: code as ActuationFailure['code'], message, next };
      }
      log.error({ err: error }, 'the dispatches could not be read or written');
      return failure('browser_store_unavailable', 'The dispatches could not be written.', 'Send it again in a moment.');
    }
  };
}

function answer(service: Service, body: ActuationRequest): ActuationAnswer {
  switch (body.operation) {
    case 'actuation.pending':
      return { ok: true, waiting: service.waiting(body.endpoint_ref) };
    case 'actuation.claim': {
      const command = service.claim(body.endpoint_ref, body.actuation_id, body.claimant);
      if (command === 'none') return unknownActuation();
      return command === null ? taken() : { ok: true, command };
    }
    case 'actuation.confirm': {
      const asked = service.confirm(body.endpoint_ref, body.actuation_id, body.claimant, body.signed_in);
      if (asked === 'none') return unknownActuation();
      if (asked === 'taken') return taken();
      if (asked === 'busy')
        return failure('browser_account_busy', 'Another act of this account is under way.', 'Ask again in a moment.');
      const { row, objection } = asked;
      if (objection !== null) return { ok: true, confirmed: false, objection, dispatch: viewOf(row) };
      const confirmed = row.deliveryState === 'uncertain' && row.confirmedAt !== null;
      return { ok: true, confirmed, dispatch: viewOf(row) };
    }
    case 'actuation.defer': {
      const row = service.defer(body.endpoint_ref, body.actuation_id, body.claimant, body.reason);
      if (row === 'none') return unknownActuation();
      return row === 'taken' ? taken() : { ok: true, dispatch: viewOf(row) };
    }
    case 'actuation.report': {
      const row = service.report(body.endpoint_ref, body.actuation_id, body.claimant, body.evidence);
      if (row === 'none') return unknownActuation();
      return row === 'taken' ? taken() : { ok: true, dispatch: viewOf(row) };
    }
    case 'dispatch.result': {
      const row = service.settle(body);
      if (row === 'none') return unknownDispatch();
      if (row === 'conflict') {
        return failure(
          'browser_dispatch_result_conflict',
          'This answer is not the one of that dispatch. Nothing was changed.',
          'A dispatch is settled by its own accepted message, once.',
        );
      }
      return { ok: true, dispatch: viewOf(row) };
    }
    case 'dispatch.observe': {
      const row = service.find(body.dispatch_id);
      return row?.endpointRef === body.endpoint_ref ? { ok: true, dispatch: viewOf(row) } : unknownDispatch();
    }
    case 'handoff.deliver': {
      const { row, replayed } = deliver(service, body);
      return { ok: true, dispatch: viewOf(row), replayed };
    }
    case 'handoff.end':
      return { ok: true, dispatch: viewOf(end(service, body)) };
    case 'handoff.commit': {
      const moved = service.commit(body);
      return moved === null ? unknownDispatch() : { ok: true, moved_tasks: moved };
    }
  }
}

/** Asked again because the answer was lost, it is the same one, whoever's the place that it is named by is by now. */
function deliver(service: Service, body: Static<typeof HandoffDeliver>): Begun {
  let asked: Asked;
  try {
    asked = askedOf(service, body);
  } catch (error) {
    const known = service.knownIn(namedOf(body));
    if (known?.messageSha256 !== sha256(body.message)) throw error;
    return { row: known, replayed: true };
  }
  return service.begin(asked);
}

/** What is known of it is ended wherever it lies: the place that it is named by may be another account's by now. */
function end(service: Service, body: Static<typeof HandoffEnd>): Row {
  return service.endKnown(namedOf(body), body.dispatch_id) ?? service.end(askedOf(service, body));
}

const namedOf = (body: Static<typeof HandoffDeliver> | Static<typeof HandoffEnd>) => ({
  endpointRef: body.endpoint_ref,
  operation: operationOf(body),
  keySha256: keyOf(byExtension(body)),
});

/** Into the chat that is there already, or as the first message of a new one. */
const operationOf = ({ target_session_ref }: { target_session_ref?: string }): Operation =>
  target_session_ref === undefined ? 'session.create' : 'composer.submit';

const byExtension = ({ idempotency_key }: { idempotency_key: string }): Pick<Asked, 'key' | 'principal'> => ({
  key: idempotency_key,
  principal: { kind: 'local', id: 'extension' },
});

/** What a person's handoff asks for. */
function askedOf(
  { places }: Service,
  body: Extract<ActuationRequest, { operation: 'handoff.deliver' | 'handoff.end' }>,
): Asked {
  const source = places.ofSource(body.source_url, body.endpoint_ref);
  const place = body.space_ref === undefined ? { ...source, space: null } : places.ofSpace(body.space_ref);
  if (place.endpoint.endpointRef !== body.endpoint_ref || place.account.resourceRef !== source.account.resourceRef)
    throw outOfScope('The Project is not one of that browser and account.');
  const target = body.target_session_ref === undefined ? null : places.ofSession(body.target_session_ref);
  if (target !== null && target.endpoint.endpointRef !== body.endpoint_ref)
    throw outOfScope('The target is not a chat of that browser.');
  if (target !== null && [target, source].every(({ account }) => isNamedAccount(account)))
    if (target.account.resourceRef !== source.account.resourceRef)
      throw outOfScope('The target is a chat of another account.');
  return {
    operation: operationOf(body),
    place: target ?? { ...place, session: null },
    message: body.message,
    sourceUrl: source.session?.canonicalUrl ?? null,
    expectedGeneration: null,
    ...byExtension(body),
    workChainId: body.work_chain_id ?? '',
    laneId: '',
    parentTarget: null,
    displayLabel: '',
    stopsDispatchId: '',
    source: null,
    byHand: true,
  };
}

const failure = (code: ActuationFailure['code'], message: string, next: string): ActuationFailure => ({
  ok: false,
  code,
  message,
  next,
});
const unknownActuation = () =>
  failure('actuation_not_found', 'Nothing of that id waits for this browser.', 'Ask what waits.');
const unknownDispatch = () =>
  failure('browser_dispatch_not_found', 'No dispatch of that id is this browser’s.', 'There is nothing to settle.');
const taken = () =>
  failure('actuation_taken', 'Another claimant has it, or its time is over. Do nothing.', 'Ask what waits.');
