/** REST calls to the edge as this device, with the clock corrected once when the edge says that ours is wrong. */

import * as Value from 'typebox/value';
import { FleetRefusal } from '../../contract/fleet/index.ts';
import { LocalError } from '../../local/error/index.ts';
import {
  bareHost,
  type EdgeAnswer,
  type EdgeRequest,
  type Environment,
  isLoopback,
  requestEdge,
} from '../network/index.ts';
import type { DeviceSigner } from './token.ts';

export interface DeviceRequest {
  method: 'GET' | 'POST' | 'DELETE';
  /** Path and query on the edge's origin. */
  path: string;
  body?: unknown;
  bytes?: EdgeRequest['bytes'];
}

/**
 * Sends a request with a new token. A refusal for time is answered by taking over the edge's clock and asking once more.
 * Gives the edge's answer whatever its status is; rejects with a {@link LocalError} when there was none.
 */
export async function requestAsDevice(
  origin: string,
  signer: DeviceSigner,
  request: DeviceRequest,
  environment: Environment = process.env,
): Promise<EdgeAnswer> {
  const answer = await ask(origin, request, environment, signer.token());
  const edgeNowMs = answer.status === 401 ? edgeClock(answer) : undefined;
  if (edgeNowMs === undefined) return answer;
  signer.correctClock(edgeNowMs);
  return ask(origin, request, environment, signer.token());
}

/** The edge's clock, when a 401 says that the token's times were the reason. */
function edgeClock(answer: EdgeAnswer): number | undefined {
  if (!Value.Check(FleetRefusal, answer.body)) return undefined;
  return answer.body.code === 'device_clock_skew' ? (answer.body.now_ms ?? answer.dateMs) : undefined;
}

/** Sends one request, with or without a bearer. */
export async function ask(
  origin: string,
  request: DeviceRequest,
  environment: Environment,
  bearer?: string,
): Promise<EdgeAnswer> {
  const { method, path, body, bytes } = request;
  const url = new URL(path, origin);
  try {
    return await requestEdge({
      method,
      url,
      environment,
      ...(body === undefined ? {} : { body }),
      ...(bytes === undefined ? {} : { bytes }),
      ...(bearer === undefined ? {} : { bearer }),
    });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new LocalError(
      'edge_unreachable',
      `The edge at ${origin} cannot be reached: ${why}.`,
      isLoopback(bareHost(url))
        ? 'It runs as long as `npm start` does in the clone that it belongs to; start that, then try again.'
        : 'Check the network, and HTTPS_PROXY and NO_PROXY if there is a proxy; then try again.',
      error,
    );
  }
}

/** A refusal of the edge as the error that a command prints. */
export function refusedByEdge(answer: EdgeAnswer, what: string): LocalError {
  if (Value.Check(FleetRefusal, answer.body)) {
    return new LocalError(answer.body.code, `${what}: ${answer.body.message}`, answer.body.next);
  }
  return new LocalError(
    'edge_answer_unreadable',
    `${what}: the edge answered ${answer.status} without saying why, so it is not known whether anything changed.`,
    'Check that the address is the one of your edge, then try again.',
  );
}
