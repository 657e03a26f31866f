/**
 * The lines that cross Herdr's socket: one JSON object a line, one request a connection. Pure text in, pure values
 * out. Source: reference/herdr-protocol.md 1.7.
 */
import { isObject } from '../json.ts';

export interface HerdrError {
  code: string;
  message: string;
}

/** A line that came from a server, sorted by what it carries. An unparsable line is a value, never an exception. */
export type ServerLine =
  | { kind: 'result'; id: string; result: { type: string } & Record<string, unknown> }
  | { kind: 'error'; id: string; error: HerdrError }
  | { kind: 'event'; event: string; data: Record<string, unknown> }
  | { kind: 'malformed'; reason: string };

/** The one line of a request, newline included. `params` is an object even when empty. */
export function requestLine(id: string, method: string, params: object): string {
  return `${JSON.stringify({ id, method, params })}\n`;
}

/**
 * Reads one line of a server, without its newline. The id is given as it came: errors of a request that could not be
 * parsed carry an empty id, and some errors of subscriptions carry an internal one, so a reader on a one-request
 * connection accepts any.
 */
export function readServerLine(line: string): ServerLine {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { kind: 'malformed', reason: 'not JSON' };
  }
  if (!isObject(value)) return { kind: 'malformed', reason: 'not an object' };
  if (typeof value.event === 'string' && isObject(value.data)) {
    return { kind: 'event', event: value.event, data: value.data };
  }
  const id = typeof value.id === 'string' ? value.id : '';
  if (isObject(value.error)) {
    const { code, message } = value.error;
    if (typeof code !== 'string') return { kind: 'malformed', reason: 'error without a code' };
    return { kind: 'error', id, error: { code, message: typeof message === 'string' ? message : '' } };
  }
  if (isObject(value.result)) {
    const { type } = value.result;
    if (typeof type !== 'string') return { kind: 'malformed', reason: 'result without a type' };
    return { kind: 'result', id, result: { ...value.result, type } };
  }
  return { kind: 'malformed', reason: 'neither result, error nor event' };
}
