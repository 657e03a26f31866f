/** The event stream when the other side falls silent. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { STREAM_SILENT_MS } from '../../../extension/background/limits.ts';
import type { NativePort, StreamListener } from '../../../extension/background/native.ts';
import { createEventStream } from '../../../extension/background/stream.ts';
import type { Event } from '../../../extension/machines/worker/index.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A host that opens streams and says only what a test lets it say. */
function host() {
  const listeners: StreamListener[] = [];
  const taken: Event[] = [];
  let givenUp = 0;
  const native: NativePort = {
    connect: () => Promise.resolve('connected'),
    request: () => Promise.resolve({ ok: false, error: 'port_closed' }),
    stream(_path, _from, listener) {
      listeners.push(listener);
      return () => undefined;
    },
    isOpen: () => true,
    giveUp() {
      givenUp += 1;
      listeners.at(-1)?.end();
    },
  };
  const stream = createEventStream({
    native,
    nowMs: () => 0,
    lastEventId: () => Promise.resolve(null),
    take: (event) => void taken.push(event),
    heard: () => undefined,
  });
  return { stream, listeners, taken, givenUp: () => givenUp };
}

it('a host that never says anything is given up, and another one is tried', async () => {
  const { stream, listeners, taken, givenUp } = host();
  stream.ensure();
  await vi.advanceTimersByTimeAsync(STREAM_SILENT_MS);
  expect(givenUp()).toBe(1);
  expect(taken).toContainEqual({ type: 'link', status: 'offline' });
  await vi.advanceTimersByTimeAsync(STREAM_SILENT_MS / 2);
  expect(listeners).toHaveLength(2);
});

it('a stream that has spoken and falls silent begins anew in the same port', async () => {
  const { stream, listeners, givenUp } = host();
  stream.ensure();
  await vi.advanceTimersByTimeAsync(0);
  listeners[0]?.open();
  listeners[0]?.text(': beat\n\n');
  await vi.advanceTimersByTimeAsync(STREAM_SILENT_MS);
  expect(givenUp()).toBe(0);
  expect(listeners).toHaveLength(2);
});
