/** A stand-in for the providers of small models: it says what the test tells it to, as slow and as rude as told. */
import { vi } from 'vitest';
import type { SemanticRoute } from '../../../contract/semantic/index.ts';

export interface Heard {
  route: string;
  headers: Headers;
  body: Record<string, unknown>;
  redirect: string | undefined;
}

type Manner = (heard: Heard, signal: AbortSignal | undefined) => Response | Promise<Response>;

export class Provider {
  readonly heard: Heard[] = [];
  readonly #manners = new Map<string, Manner>();

  constructor() {
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
      const address = String(input instanceof Request ? input.url : input);
      const route = /^https:\/\/([a-z-]+)\.models\.dev\/v1$/.exec(address)?.[1];
      const manner = route === undefined ? undefined : this.#manners.get(route);
      if (route === undefined || !manner) throw new TypeError(`nobody listens at ${address}`);
      const heard = {
        route,
        headers: new Headers(init?.headers),
        body: JSON.parse(String(init?.body)) as Record<string, unknown>,
        redirect: init?.redirect,
      };
      this.heard.push(heard);
      return manner(heard, init?.signal ?? undefined);
    });
  }

  at(route: string, manner: Manner): this {
    this.#manners.set(route, manner);
    return this;
  }

  get order(): string[] {
    return this.heard.map(({ route }) => route);
  }
}

export const route = (name: string, protocol: SemanticRoute['protocol'] = 'decision'): SemanticRoute => ({
  name,
  protocol,
  url: `https://${name}.models.dev/v1`,
  model: 'small-1',
  api_key: `key-of-${name}`,
});

export const says = (body: unknown, status = 200): Manner => {
  return () => Response.json(body, { status });
};

/** Answers a yes to everything. */
export const yes: Manner = ({ body }) =>
  Response.json({
    model: 'small-1',
    answers: Object.fromEntries(
      Object.keys(body.questions as object).map((id) => [
        id,
        { type: 'noul', noul: 0.9, why: 'a text nobody asked for' },
      ]),
    ),
    usage: { total_tokens: 7 },
  });

/** Takes the request and says nothing until its caller goes away. */
export const silent: Manner = (_, signal) =>
  new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(new Error('the caller went away: https://secret.host/?key=1')));
  });

/** Sends its head at once and then a byte now and then, for ever. */
export const dripping: Manner = (_, signal) =>
  new Response(
    new ReadableStream({
      start(controller) {
        const timer = setInterval(() => controller.enqueue(new TextEncoder().encode(' ')), 20);
        signal?.addEventListener('abort', () => {
          clearInterval(timer);
          controller.error(new Error('aborted'));
        });
      },
    }),
  );

/** Never stops sending. */
export const endless: Manner = () => {
  const piece = new Uint8Array(64 * 1024).fill(32);
  return new Response(new ReadableStream({ pull: (controller) => controller.enqueue(piece) }));
};

export const broken: Manner = () => {
  throw new TypeError('connection to https://secret.host/?key=1 was lost');
};
