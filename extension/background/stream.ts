/**
 * The one event stream of the whole browser. It opens whether or not anything is bound, goes on where it stopped, is given
 * up when it falls silent, and comes back by itself: soon while the worker lives, with the next alarm when it does not.
 */
import { createSseReader, type PictureEvent, positionOf, type Sse } from '../../contract/control/index.ts';
import { isObject } from '../../contract/json.ts';
import type { Event } from '../machines/worker/index.ts';
import type { RuntimeStatus } from '../messages.ts';
import { freshOf } from './facts.ts';
import { RECONNECT_MS, STREAM_SILENT_MS } from './limits.ts';
import type { NativePort } from './native.ts';

export interface StreamParts {
  native: NativePort;
  nowMs: () => number;
  /** Where the last handled event stood: `<boot>:<number>`, or null. */
  lastEventId: () => Promise<string | null>;
  take: (event: Event) => void;
  /** Every event but the greeting, also those without a number. */
  heard: (event: PictureEvent) => void;
}

export interface EventStream {
  /** Connects when nothing is connected; otherwise does nothing. */
  ensure(): void;
  /** Ends the stream and begins another one: its runtime is gone. */
  renew(): void;
}

export function createEventStream({ native, nowMs, lastEventId, take, heard: told }: StreamParts): EventStream {
  let stop: (() => void) | undefined;
  let starting = false;
  let pause: number = RECONNECT_MS.first;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let silence: ReturnType<typeof setTimeout> | undefined;

  async function start(): Promise<void> {
    if (stop || starting) return;
    starting = true;
    clearTimeout(timer);
    try {
      const status: RuntimeStatus = await native.connect();
      if (status !== 'connected') return again(status);
      const from = await lastEventId();
      const read = createSseReader();
      const listen = () => {
        clearTimeout(silence);
        silence = setTimeout(silent, STREAM_SILENT_MS);
      };
      // A stream that has never said anything hangs at the host itself: another stream in the same port would, too.
      const silent = () => (heard ? renew() : native.giveUp());
      let heard = false;
      listen();
      stop = native.stream('/push/events', from, {
        open: listen,
        text(text) {
          heard = true;
          listen();
          for (const block of read(text)) give(block);
        },
        end: () => {
          clearTimeout(silence);
          stop = undefined;
          again('offline');
        },
      });
    } finally {
      starting = false;
    }
  }

  /** In order of arrival: each is taken into the one queue of events at once. */
  function give({ id, event, data }: Sse): void {
    const place = positionOf(id);
    const body = jsonOf(data);
    if (!isObject(body)) return;
    if (event !== 'hello')
      told({ boot: place?.boot ?? null, number: place?.position ?? null, name: event, data: body });
    if (place === null) return;
    if (event !== 'hello') {
      take({ type: 'pushed', ...place, name: event, data: body });
      return;
    }
    const fresh = freshOf(body);
    if (fresh === null) return;
    pause = RECONNECT_MS.first;
    const replaying = typeof body['state_seq'] === 'number' && body['state_seq'] > place.position;
    take({ type: 'hello', ...place, replaying, fresh, at: nowMs() });
  }

  function again(status: RuntimeStatus): void {
    take({ type: 'link', status });
    clearTimeout(timer);
    timer = setTimeout(() => void start(), pause);
    pause = Math.min(pause * 2, RECONNECT_MS.longest);
  }

  function renew(): void {
    clearTimeout(silence);
    stop?.();
    stop = undefined;
    void start();
  }

  return { ensure: () => void start(), renew };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // not an event of ours
  }
}
