/**
 * What a link does after a connection ended or was refused. Pure.
 *
 * Only three endings are special, and each has a code of its own (design, section 6). Everything else reconnects: a
 * protocol error, a deploy, a proxy, 1008 from a stranger in the middle must never end a link for good.
 */
import { CLOSE, type FrameOf } from '../../contract/link/index.ts';
import { CONTRACT_WAIT_MS, PARK_MS, REFUSED_WAIT_MS, STABLE_MS } from '../limits.ts';

/** How a connection, or the attempt to make one, ended. */
export type Ending =
  /** A close frame arrived, or the socket broke (1006). `connectedMs` is absent when no welcome came. */
  | { kind: 'closed'; code: number; reason: string; connectedMs?: number }
  /** The edge answered the hello with a refusal. */
  | { kind: 'refused'; reason: FrameOf<'refuse'>['reason']; message: string }
  /** The upgrade was answered by HTTP. `code` is the edge's own, when the body was one of its refusals. */
  | { kind: 'http'; status: number; code?: string; message: string; edgeNowMs?: number }
  /** Nothing answered. */
  | { kind: 'unreachable'; message: string };

export type Next =
  | { do: 'reconnect'; failures: number; why: string }
  /** At once, with the corrected clock. */
  | { do: 'correct_clock'; edgeNowMs: number; why: string }
  | { do: 'end'; why: string }
  | { do: 'await_promotion'; forMs: number; why: string }
  | { do: 'park'; forMs: number; why: string }
  /** Only a person can change this; asked again rarely, or on command. */
  | { do: 'wait'; forMs: number; why: string };

export interface History {
  /** Failures in a row before this ending. */
  failures: number;
  /** Whether the clock was corrected since the last success: a second time would be a loop. */
  clockCorrected: boolean;
}

/** The next step after `ending`. A connection that lived {@link STABLE_MS} starts the backoff anew. */
export function afterEnding(ending: Ending, history: History): Next {
  switch (ending.kind) {
    case 'closed':
      return afterClose(ending, history);
    case 'refused':
      return afterRefusal(ending);
    case 'http':
      return afterHttp(ending, history);
    case 'unreachable':
      return { do: 'reconnect', failures: history.failures + 1, why: `the edge cannot be reached: ${ending.message}` };
  }
}

function afterClose(ending: Extract<Ending, { kind: 'closed' }>, history: History): Next {
  const said = ending.reason === '' ? '' : `: ${ending.reason}`;
  switch (ending.code) {
    case CLOSE.revoked:
      return { do: 'end', why: `the edge revoked this device${said}` };
    case CLOSE.contract:
      return { do: 'await_promotion', forMs: CONTRACT_WAIT_MS, why: `the edge does not accept this runtime${said}` };
    case CLOSE.replaced:
      return { do: 'park', forMs: PARK_MS, why: `another link of this device took over${said}` };
    default: {
      const stable = ending.connectedMs !== undefined && ending.connectedMs >= STABLE_MS;
      return {
        do: 'reconnect',
        failures: stable ? 0 : history.failures + 1,
        why: `the connection closed with ${ending.code}${said}`,
      };
    }
  }
}

function afterRefusal(ending: Extract<Ending, { kind: 'refused' }>): Next {
  switch (ending.reason) {
    case 'revoked':
      return { do: 'end', why: `the edge revoked this device: ${ending.message}` };
    case 'contract':
      return { do: 'await_promotion', forMs: CONTRACT_WAIT_MS, why: ending.message };
    case 'protocol':
    case 'suspended':
      return { do: 'wait', forMs: REFUSED_WAIT_MS, why: ending.message };
  }
}

function afterHttp(ending: Extract<Ending, { kind: 'http' }>, history: History): Next {
  if (ending.code === 'device_revoked') return { do: 'end', why: ending.message };
  if (ending.code === 'device_suspended') return { do: 'wait', forMs: REFUSED_WAIT_MS, why: ending.message };
  const aboutTime = ending.code === 'device_clock_skew' || (ending.status === 401 && ending.code === undefined);
  if (aboutTime && ending.edgeNowMs !== undefined && !history.clockCorrected) {
    return { do: 'correct_clock', edgeNowMs: ending.edgeNowMs, why: ending.message };
  }
  return {
    do: 'reconnect',
    failures: history.failures + 1,
    why: `the edge answered ${ending.status} to the upgrade: ${ending.message}`,
  };
}
