/**
 * The one port to the native host, for the whole browser: requests and the stream beside each other, told apart by id.
 * A host that is missing and a host that admits another build are two different things with two different helps.
 */
import { browser } from 'wxt/browser';
import { createSseReader } from '../../contract/control/index.ts';
import { NATIVE_HOST_NAME } from '../../contract/extension/identity.ts';
import {
  createJoiner,
  type FromHost,
  inPieces,
  type NativeError,
  type NativeMethod,
  type ToHost,
} from '../../contract/extension/native.ts';
import type { RuntimeStatus } from '../messages.ts';

import { IDENTITY_MS } from './limits.ts';

export interface NativeRequest {
  method: NativeMethod;
  path: string;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
  timeoutMs: number;
}

/**
 * What certainly came before anything was handed to the runtime: the port was closed, or the host refused. Everything else
 * without an answer may have been done; `extension_ipc_unavailable` too, which is said of a runtime that died over it.
 */
export const NEVER_PASSED_ON: ReadonlySet<string> = new Set([
  'port_closed',
  'native_message_too_large',
  'native_request_too_large',
  'extension_origin_not_allowed',
  'extension_origin_not_active',
  'extension_origin_unconfigured',
  'proxy_path_not_allowed',
  'proxy_method_not_allowed',
  'invalid_proxy_header',
]);

/** `error` is what the host or the port said; nothing of it is a guess about what the runtime did. */
export type NativeAnswer =
  | { ok: true; status: number; body: unknown }
  | { ok: false; error: NativeError | 'port_closed' };

export interface StreamListener {
  open(): void;
  text(text: string): void;
  /** Once, for whatever reason. */
  end(): void;
}

export interface NativePort {
  /** Resolves when the host has said who it is, or why it will not. Calling it while connected asks nothing. */
  connect(): Promise<RuntimeStatus>;
  request(request: NativeRequest): Promise<NativeAnswer>;
  /** Begins the stream; the returned function ends it without a word to the listener. */
  stream(path: string, lastEventId: string | null, listener: StreamListener): () => void;
  isOpen(): boolean;
  /** Gives the host up: it says nothing any more. What waits for it ends, and the next connect starts another one. */
  giveUp(): void;
}

export function createNativePort(onClosed: (status: RuntimeStatus) => void): NativePort {
  let port: ReturnType<typeof browser.runtime.connectNative> | undefined;
  let connecting: Promise<RuntimeStatus> | undefined;
  let count = 0;
  let end: () => void = () => undefined;
  const waiting = new Map<string, (message: FromHost) => void>();
  const streams = new Map<string, StreamListener>();

  function send(message: ToHost): boolean {
    if (!port) return false;
    count += 1;
    try {
      for (const piece of inPieces(message, `b${count}`)) port.postMessage(piece);
      return true;
    } catch {
      return false; // the port has closed under us; its own event says why
    }
  }

  function open(): Promise<RuntimeStatus> {
    return new Promise((resolve) => {
      const opened = browser.runtime.connectNative(NATIVE_HOST_NAME);
      const join = createJoiner();
      port = opened;
      let said: RuntimeStatus | undefined;
      const settle = (status: RuntimeStatus) => {
        said = status;
        clearTimeout(timer);
        resolve(status);
      };
      const timer = setTimeout(() => {
        settle('offline');
        opened.disconnect();
        closed('offline');
      }, IDENTITY_MS);
      const closed = (status: RuntimeStatus) => {
        if (port !== opened) return;
        port = undefined;
        connecting = undefined;
        for (const answer of waiting.values())
          answer({ type: 'error', id: null, error: 'native_stream_failed', message: '' });
        waiting.clear();
        for (const stream of streams.values()) stream.end();
        streams.clear();
        settle(status);
        onClosed(status);
      };
      end = () => {
        opened.disconnect();
        closed('offline');
      };
      opened.onMessage.addListener((message: unknown) => {
        const joined = join(message);
        if (joined.kind !== 'whole') return;
        const given = joined.message as FromHost;
        if (given.type === 'identity' && said === undefined) return settle('connected');
        if (given.type === 'error' && given.id === null) return void closed(statusOfError(given.error) ?? 'offline');
        route(given);
      });
      opened.onDisconnect.addListener(() => closed(statusOfText(browser.runtime.lastError?.message ?? '')));
      send({ type: 'identity', id: 'identity' });
    });
  }

  function route(message: FromHost): void {
    if (message.id === null) return;
    const stream = streams.get(message.id);
    if (!stream) {
      waiting.get(message.id)?.(message);
      waiting.delete(message.id);
      return;
    }
    if (message.type === 'stream_open') stream.open();
    else if (message.type === 'stream_chunk') stream.text(message.text);
    else {
      streams.delete(message.id);
      stream.end();
    }
  }

  return {
    isOpen: () => port !== undefined,
    giveUp: () => end(),
    connect() {
      connecting ??= open();
      return connecting;
    },
    request({ method, path, body, headers = {}, timeoutMs }) {
      return new Promise((resolve) => {
        count += 1;
        const id = `r${count}`;
        waiting.set(id, (message) => resolve(answerOf(message)));
        const json = body === undefined ? {} : { body: JSON.stringify(body) };
        const type = body === undefined ? {} : { 'content-type': 'application/json' };
        const sent = send({
          type: 'request',
          id,
          method,
          path,
          headers: { ...type, ...headers },
          ...json,
          timeout_ms: timeoutMs,
        });
        if (sent) return;
        waiting.delete(id);
        resolve({ ok: false, error: 'port_closed' });
      });
    },
    stream(path, lastEventId, listener) {
      count += 1;
      const id = `s${count}`;
      streams.set(id, listener);
      const sent = send({ type: 'stream', id, path, ...(lastEventId === null ? {} : { last_event_id: lastEventId }) });
      if (!sent) {
        streams.delete(id);
        listener.end();
      }
      return () => {
        if (!streams.delete(id)) return;
        send({ type: 'cancel', id });
      };
    },
  };
}

function answerOf(message: FromHost): NativeAnswer {
  if (message.type === 'error') return { ok: false, error: message.error };
  if (message.type !== 'response') return { ok: false, error: 'invalid_native_message' };
  try {
    const text = message.headers['content-type']?.startsWith('text/event-stream')
      ? (createSseReader()(`${message.body}\n\n`)[0]?.data ?? '')
      : message.body;
    return { ok: true, status: message.status, body: text === '' ? null : JSON.parse(text) };
  } catch {
    return { ok: false, error: 'invalid_native_message' };
  }
}

function statusOfError(error: NativeError): RuntimeStatus | null {
  if (error === 'extension_origin_not_active' || error === 'extension_origin_not_allowed') return 'standby';
  return error === 'extension_origin_unconfigured' ? 'host_missing' : null;
}

/** What Chrome says when it starts no host for us. A refusal of this origin means that another build is registered. */
function statusOfText(text: string): RuntimeStatus {
  if (/forbidden|not allowed|access denied|permission denied/i.test(text)) return 'standby';
  return /not found/i.test(text) ? 'host_missing' : 'offline';
}
