import { SSE_KEEP_ALIVE_MS } from '../limits.ts';
import { CORS } from './answer.ts';

const COMMENT = new TextEncoder().encode(': keep-alive\n\n');

/**
 * `GET /mcp`: a stream that carries nothing but comments and stays open. A host opens it before anything else and takes
 * its end for a dead server (reference: edge-link 1.4). The timer ends with the reader, once, whichever way it goes;
 * nothing is queued for a reader that does not read.
 */
export function openStream(signal: AbortSignal): Response {
  let timer: ReturnType<typeof setInterval> | undefined;
  const stop = () => clearInterval(timer);
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        controller.enqueue(COMMENT);
        timer = setInterval(() => {
          if ((controller.desiredSize ?? 0) > 0) controller.enqueue(COMMENT);
        }, SSE_KEEP_ALIVE_MS);
        signal.addEventListener(
          'abort',
          () => {
            stop();
            controller.error(signal.reason);
          },
          { once: true },
        );
      },
      cancel: stop,
    },
    { highWaterMark: 1 },
  );
  return new Response(body, {
    headers: {
      ...CORS,
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      connection: 'keep-alive',
      'x-accel-buffering': 'no',
    },
  });
}
