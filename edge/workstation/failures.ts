/** What a caller is told when the way to its workstation failed: what happened, what was not touched, what to do next. */
import { lookUp, whenUnknown } from '../../contract/look-up.ts';
import { type CallClass, type Delivery, type Failure, isRetryable, type OutcomeCode } from '../../contract/outcome.ts';

export interface FailureContext {
  dispatchId: string;
  callClass: CallClass;
}

function failure(
  { dispatchId, callClass }: FailureContext,
  code: OutcomeCode,
  delivery: Delivery,
  message: string,
  next: string,
  details?: Record<string, unknown>,
): Failure {
  return {
    ok: false,
    code,
    message,
    delivery,
    retryable: isRetryable(callClass, code, delivery),
    next,
    dispatch_id: dispatchId,
    ...(details === undefined ? {} : { details }),
  };
}

export const workstationOffline = (context: FailureContext, lastSeenAtMs: number | undefined): Failure =>
  failure(
    context,
    'workstation_offline',
    'not_delivered',
    'The workstation is not connected. The call was not sent and nothing was touched.',
    'Try again in a minute; if it stays away, somebody at the workstation starts herdr-mcp there again (`npm start` in its clone) or runs `herdr-mcp doctor`.',
    lastSeenAtMs === undefined ? undefined : { last_seen_at_ms: lastSeenAtMs },
  );

export const reconnecting = (context: FailureContext): Failure =>
  failure(
    context,
    'workstation_reconnecting',
    'not_delivered',
    'The connection to the workstation broke and was not back in time. The call was not sent and nothing was touched.',
    'Send the call again.',
  );

export const draining = (context: FailureContext): Failure =>
  failure(
    context,
    'workstation_draining',
    'not_delivered',
    'The link on the workstation is stopping and takes no new calls. The call was not sent and nothing was touched.',
    'Send the call again in a few seconds.',
  );

export const runtimeUnavailable = (context: FailureContext): Failure =>
  failure(
    context,
    'runtime_unavailable',
    'not_delivered',
    'The workstation is connected, but no runtime answers on it. The call was not sent and nothing was touched.',
    'Try again in a minute; if it stays so, somebody at the workstation runs `herdr-mcp doctor`.',
  );

export const queueFull = (context: FailureContext, limit: number): Failure =>
  failure(
    context,
    'queue_full',
    'not_delivered',
    `${limit} calls to this workstation are already under way. The call was not sent and nothing was touched.`,
    'Wait for earlier calls to be answered, then send this one again.',
    { limit },
  );

export const deviceRevoked = (context: FailureContext): Failure =>
  failure(
    context,
    'device_revoked',
    'not_delivered',
    'This workstation was revoked. The call was not sent and nothing was touched.',
    'Use another workstation that herdr_devices lists.',
  );

export const deviceSuspended = (context: FailureContext): Failure =>
  failure(
    context,
    'device_suspended',
    'not_delivered',
    'This workstation is suspended. The call was not sent and nothing was touched.',
    'Its owner restores it: `herdr-mcp worker restore`.',
  );

export const devicePaused = (context: FailureContext): Failure =>
  failure(
    context,
    'device_paused',
    'not_delivered',
    'This workstation is paused and takes no calls. The call was not sent and nothing was touched.',
    'Its owner resumes it: `herdr-mcp worker resume`.',
  );

export const payloadTooLarge = (context: FailureContext, limit: number): Failure =>
  failure(
    context,
    'payload_too_large',
    'not_delivered',
    `The arguments do not fit into one frame of ${limit} bytes. The call was not sent and nothing was touched.`,
    'Send less at once, for example several smaller edits.',
    { limit },
  );

export const guardNotInContract = (context: FailureContext, names: string[], epoch: number): Failure =>
  failure(
    context,
    'argument_not_in_contract',
    'not_delivered',
    `The runtime on the workstation speaks epoch ${epoch} and does not know ${names.join(', ')}, which would guard this call. The call was not sent and nothing was touched.`,
    'Update herdr-mcp on the workstation, or decide whether the call is safe without the guard and leave it out.',
    { arguments: names, contract_epoch: epoch },
  );

export const timedOut = (context: FailureContext, sent: boolean): Failure =>
  sent
    ? failure(
        context,
        'request_timeout',
        'unknown',
        'The workstation has the call, or may have it, and had not answered in time. It may still be running.',
        whenUnknown(context.callClass, context.dispatchId),
      )
    : failure(
        context,
        'request_timeout',
        'not_delivered',
        'The workstation could not be reached in time. The call was not sent and nothing was touched.',
        'Send the call again.',
      );

export const interrupted = (context: FailureContext): Failure =>
  failure(
    context,
    'interrupted',
    'unknown',
    'The process on the workstation that had the call ended before it answered. Whether the call had an effect is not known.',
    whenUnknown(context.callClass, context.dispatchId),
  );

export const cutOff = (context: FailureContext, why: 'device_revoked' | 'device_suspended'): Failure =>
  failure(
    context,
    'interrupted',
    'unknown',
    `This workstation was ${why === 'device_revoked' ? 'revoked' : 'suspended'} while it had the call. Whether the call had an effect is not known.`,
    context.callClass === 'read' ? 'Use another workstation that herdr_devices lists.' : lookUp(context.dispatchId),
  );

export const uncertain = (context: FailureContext): Failure =>
  failure(
    context,
    'delivery_uncertain',
    'unknown',
    'The edge lost the call on its way. Whether the workstation got it is not known here.',
    whenUnknown(context.callClass, context.dispatchId),
  );

export const resultLost = (context: FailureContext, settled: Delivery, code: string | null): Failure =>
  failure(
    context,
    settled === 'not_delivered' ? 'workstation_reconnecting' : 'delivery_uncertain',
    settled,
    settled === 'delivered'
      ? `The call ran${code === null ? ' and succeeded' : `, with the outcome ${code}`}, but the edge was restarted and no longer has the result.`
      : 'The edge was restarted under the call and has only its receipt.',
    settled === 'not_delivered' ? 'Send the call again.' : lookUp(context.dispatchId),
  );

export const tooLarge = (context: FailureContext, size: number | undefined, limit: number): Failure =>
  failure(
    context,
    'response_too_large',
    'delivered',
    `The call ran, and its answer of ${size ?? 'too many'} bytes is above the limit of ${limit}. The answer was dropped; what the call did stands.`,
    context.callClass === 'read'
      ? 'Ask for less at once: a range, a smaller page, a narrower filter.'
      : lookUp(context.dispatchId),
    { limit, ...(size === undefined ? {} : { size }) },
  );

export const crowdedOut = (context: FailureContext, size: number, limit: number): Failure =>
  failure(
    context,
    'response_too_large',
    'delivered',
    `The call ran, and its answer of ${size} bytes did not fit beside other large answers under way (${limit} bytes in all). The answer was dropped; what the call did stands.`,
    context.callClass === 'read' ? 'Read again with fewer large calls at once.' : lookUp(context.dispatchId),
    { limit, size },
  );

export const cancelled = (context: FailureContext, sent: boolean): Failure =>
  failure(
    context,
    'cancelled',
    sent ? 'unknown' : 'not_delivered',
    sent
      ? 'The caller went away; the workstation was asked to stop.'
      : 'The caller went away before the call was sent.',
    'Send the call again if it is still wanted.',
  );
