/**
 * What the extension and its native host say to each other over `chrome.runtime.connectNative`: JSON messages, many at
 * once, each answer naming the id of its question. Either side sends at most {@link NATIVE_MESSAGE_BYTES_MAX} a message
 * (Chrome itself cuts the host off above 1 MiB); a larger one travels in pieces and is put together again.
 *
 * ```
 * browser → host   identity · request · stream · cancel
 * host → browser   identity · response · stream_open, stream_chunk…, stream_end · error
 * ```
 */

/** Half of what Chrome allows a host, so that no way of counting can exceed it. */
export const NATIVE_MESSAGE_BYTES_MAX = 512 * 1024;
/** Characters in a piece: as JSON inside JSON each is at most three bytes, and the envelope needs a little. */
const NATIVE_PIECE_CHARS = 160 * 1024;
/** A message that was put together: a request's body and its envelope, or a response's. */
const NATIVE_WHOLE_CHARS_MAX = 12 * 1024 * 1024;
/** Messages in pieces at the same time; more is a sender gone wrong. */
const NATIVE_PARTS_AT_ONCE_MAX = 8;
/** Body of a request to the runtime. */
export const NATIVE_REQUEST_BYTES_MAX = 1024 * 1024;
/** Body of an answer of the runtime. */
export const NATIVE_RESPONSE_BYTES_MAX = 8 * 1024 * 1024;
/** Text of one stream chunk. */
export const NATIVE_STREAM_CHARS_MAX = 64 * 1024;
export const NATIVE_TIMEOUT_MS = { default: 10_000, min: 1_000, max: 120_000 } as const;

export type NativeMethod = 'GET' | 'POST' | 'DELETE';

export type ToHost =
  | { type: 'identity'; id: string }
  | {
      type: 'request';
      id: string;
      method: NativeMethod;
      /** Pathname and query; the pathname is one of {@link NATIVE_PATHS}. */
      path: string;
      headers?: Readonly<Record<string, string>>;
      body?: string;
      timeout_ms?: number;
    }
  | { type: 'stream'; id: string; path: string; last_event_id?: string }
  | { type: 'cancel'; id: string };

export type FromHost =
  | { type: 'identity'; id: string; active: true; extension_origin: string; version: string }
  | { type: 'response'; id: string; status: number; headers: Readonly<Record<string, string>>; body: string }
  | { type: 'stream_open'; id: string; status: number }
  | { type: 'stream_chunk'; id: string; text: string }
  | { type: 'stream_end'; id: string }
  | { type: 'error'; id: string | null; error: NativeError; message: string };

export type NativeError =
  | 'invalid_native_message'
  | 'native_message_too_large'
  | 'native_request_too_large'
  | 'native_response_too_large'
  | 'native_request_timeout'
  | 'native_stream_failed'
  | 'extension_ipc_unavailable'
  | 'extension_origin_not_allowed'
  | 'extension_origin_not_active'
  | 'extension_origin_unconfigured'
  | 'proxy_path_not_allowed'
  | 'stream_path_not_allowed'
  | 'proxy_method_not_allowed'
  | 'invalid_proxy_header';

/** What a request may be for, by exact pathname: everything else ends in the host. */
export const NATIVE_PATHS: ReadonlyMap<string, readonly NativeMethod[]> = new Map([
  ['/mcp', ['POST', 'GET', 'DELETE']],
  ['/push/state', ['GET']],
  ['/extension/control/action', ['POST']],
  ['/extension/control/lookup', ['POST']],
  ['/extension/control/watch', ['POST']],
  ['/extension/fleet', ['GET']],
  ['/extension/continuity/turn', ['POST']],
  ['/extension/continuity/resolve', ['POST']],
  ['/extension/browser/registry', ['POST']],
  ['/extension/browser/actuation', ['POST']],
  ['/extension/semantic/status', ['GET']],
  ['/extension/semantic/evaluate', ['POST']],
  ['/extension/semantic/chat', ['POST']],
  ['/extension/agent/tasks', ['GET']],
  ['/extension/agent/tasks/ack', ['POST']],
]);

export const NATIVE_STREAM_PATH = '/push/events';

/** Headers that go on to the runtime. No bearer is among them: whoever may open the socket needs none. */
export const NATIVE_HEADERS: ReadonlySet<string> = new Set([
  'content-type',
  'accept',
  'mcp-protocol-version',
  'mcp-session-id',
  'x-herdr-client',
]);

interface Piece {
  type: 'piece';
  /** Names the whole message, unique to its sender. */
  of: string;
  /** From 0. */
  index: number;
  total: number;
  text: string;
}

/** The messages to send for one: itself, or its pieces in order. `name` must not be used twice by a sender. */
export function inPieces(message: unknown, name: string): unknown[] {
  const text = JSON.stringify(message);
  // Three bytes a character at most, so a short text needs no exact count.
  if (text.length * 3 <= NATIVE_MESSAGE_BYTES_MAX) return [message];
  if (new TextEncoder().encode(text).length <= NATIVE_MESSAGE_BYTES_MAX) return [message];
  const total = Math.ceil(text.length / NATIVE_PIECE_CHARS);
  return Array.from({ length: total }, (_, index): Piece => {
    const from = index * NATIVE_PIECE_CHARS;
    return { type: 'piece', of: name, index, total, text: text.slice(from, from + NATIVE_PIECE_CHARS) };
  });
}

/** `whole`: a message to act on. `part`: more is to come. `wrong`: what was received of it so far is thrown away. */
export type Joined = { kind: 'whole'; message: unknown } | { kind: 'part' } | { kind: 'wrong' };

/** Puts pieces together. One for each sender; what a sender leaves unfinished is bounded. */
export function createJoiner(): (message: unknown) => Joined {
  const open = new Map<string, { total: number; texts: string[]; chars: number }>();
  return (message) => {
    if (!isPiece(message)) return typeOf(message) === 'piece' ? { kind: 'wrong' } : { kind: 'whole', message };
    const { of, index, total, text } = message;
    const known = open.get(of) ?? { total, texts: [], chars: 0 };
    const chars = known.chars + text.length;
    const fits = index === known.texts.length && total === known.total && chars <= NATIVE_WHOLE_CHARS_MAX;
    if (!fits || (!open.has(of) && open.size >= NATIVE_PARTS_AT_ONCE_MAX)) {
      open.delete(of);
      return { kind: 'wrong' };
    }
    known.texts.push(text);
    open.set(of, { ...known, chars });
    if (known.texts.length < total) return { kind: 'part' };
    open.delete(of);
    try {
      return { kind: 'whole', message: JSON.parse(known.texts.join('')) };
    } catch {
      return { kind: 'wrong' };
    }
  };
}

function typeOf(message: unknown): unknown {
  return typeof message === 'object' && message !== null ? Reflect.get(message, 'type') : undefined;
}

function isPiece(message: unknown): message is Piece {
  if (typeOf(message) !== 'piece') return false;
  const { of, index, total, text } = message as Partial<Record<keyof Piece, unknown>>;
  return (
    typeof of === 'string' &&
    of.length <= 64 &&
    Number.isSafeInteger(index) &&
    Number.isSafeInteger(total) &&
    Number(total) > 0 &&
    typeof text === 'string'
  );
}
