/** Whether a message is a question that this host answers, and whether it may be asked. Pure. */
import {
  NATIVE_HEADERS,
  NATIVE_PATHS,
  NATIVE_REQUEST_BYTES_MAX,
  NATIVE_STREAM_PATH,
  NATIVE_TIMEOUT_MS,
  type NativeError,
  type NativeMethod,
} from '../../contract/extension/native.ts';

export type Question =
  | { type: 'identity'; id: string }
  | { type: 'cancel'; id: string }
  | {
      type: 'request';
      id: string;
      method: NativeMethod;
      path: string;
      headers: Record<string, string>;
      body: string | undefined;
      timeoutMs: number;
    }
  | { type: 'stream'; id: string; path: string; lastEventId: string | undefined };

export type Refusal = { refused: NativeError; id: string | null; message: string };

/** Ids come back as they were sent, so they stay short. */
const ID_CHARS_MAX = 128;
const ORIGIN = 'http://herdr.invalid';

export function readQuestion(message: unknown): Question | Refusal {
  if (typeof message !== 'object' || message === null) return wrong(null, 'A message is a JSON object.');
  const given = message as Record<string, unknown>;
  const { type, id } = given;
  if (typeof id !== 'string' || id === '' || id.length > ID_CHARS_MAX) return wrong(null, 'A message needs an id.');
  switch (type) {
    case 'identity':
    case 'cancel':
      return { type, id };
    case 'request':
      return readRequest(id, given);
    case 'stream':
      return readStream(id, given);
    default:
      return wrong(id, 'Messages are identity, request, stream and cancel.');
  }
}

function readRequest(id: string, given: Record<string, unknown>): Question | Refusal {
  const { method, path, headers = {}, body, timeout_ms: timeout = NATIVE_TIMEOUT_MS.default } = given;
  const url = urlOf(path);
  if (!url) return wrong(id, 'path is an absolute path with its query.');
  const methods = NATIVE_PATHS.get(url.pathname);
  if (!methods) return refuse('proxy_path_not_allowed', id, 'The host passes on no such path.');
  const known = methods.find((name) => name === method);
  if (!known) return refuse('proxy_method_not_allowed', id, `This path takes ${methods.join(', ')}.`);
  if (body !== undefined && typeof body !== 'string') return wrong(id, 'body is text.');
  if (body !== undefined && Buffer.byteLength(body) > NATIVE_REQUEST_BYTES_MAX) {
    return refuse('native_request_too_large', id, `A body has at most ${NATIVE_REQUEST_BYTES_MAX} bytes.`);
  }
  if (typeof timeout !== 'number' || !Number.isFinite(timeout)) return wrong(id, 'timeout_ms is a number.');
  const kept = readHeaders(headers);
  if (!kept) return refuse('invalid_proxy_header', id, `Headers are ${[...NATIVE_HEADERS].join(', ')}.`);
  const timeoutMs = Math.min(Math.max(timeout, NATIVE_TIMEOUT_MS.min), NATIVE_TIMEOUT_MS.max);
  return { type: 'request', id, method: known, path: url.pathname + url.search, headers: kept, body, timeoutMs };
}

function readStream(id: string, given: Record<string, unknown>): Question | Refusal {
  const { path, last_event_id: last } = given;
  const url = urlOf(path);
  if (url?.pathname !== NATIVE_STREAM_PATH) {
    return refuse('stream_path_not_allowed', id, `The only stream is ${NATIVE_STREAM_PATH}.`);
  }
  if (last !== undefined && (typeof last !== 'string' || !/^[\x21-\x7e]{1,256}$/.test(last))) {
    return wrong(id, 'last_event_id is what the stream gave.');
  }
  return { type: 'stream', id, path: url.pathname + url.search, lastEventId: last };
}

function urlOf(path: unknown): URL | undefined {
  if (typeof path !== 'string' || !path.startsWith('/') || path.startsWith('//')) return undefined;
  const url = URL.parse(path, ORIGIN);
  // A path that reads differently after parsing (`/mcp/../x`, a backslash) is another path than was asked for.
  if (!url || url.origin !== ORIGIN || url.hash !== '') return undefined;
  return path.split('?')[0] === url.pathname ? url : undefined;
}

function readHeaders(given: unknown): Record<string, string> | undefined {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return undefined;
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    const plain = name.toLowerCase();
    if (!NATIVE_HEADERS.has(plain) || typeof value !== 'string' || !/^[\x20-\x7e]{0,1024}$/.test(value))
      return undefined;
    kept[plain] = value;
  }
  return kept;
}

function refuse(refused: NativeError, id: string | null, message: string): Refusal {
  return { refused, id, message };
}

const wrong = (id: string | null, message: string): Refusal => refuse('invalid_native_message', id, message);
