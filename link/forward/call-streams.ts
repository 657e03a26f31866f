/** The streams of calls to the generations: one for each, opened with the first call and again after it ended. */
import { CallStream, type Post } from './call-stream.ts';
import type { Exchanged } from './exchange.ts';

export class CallStreams {
  readonly #isServed: (endpoint: string) => boolean;
  readonly #streams = new Map<string, CallStream>();

  /** `isServed` says whether a generation of ours serves at an endpoint at this moment. */
  constructor(isServed: (endpoint: string) => boolean) {
    this.#isServed = isServed;
  }

  /** Posts to `endpoint`, `http://127.0.0.1:<port>`. Never rejects. */
  post(endpoint: string, token: string, post: Post): Promise<Exchanged> {
    return (this.#streams.get(endpoint) ?? this.#open(endpoint, token)).exchange(post);
  }

  close(): void {
    for (const stream of [...this.#streams.values()]) stream.close();
  }

  #open(endpoint: string, token: string): CallStream {
    const stream = new CallStream({
      port: Number(endpoint.slice(endpoint.lastIndexOf(':') + 1)),
      token,
      isOurs: () => this.#isServed(endpoint),
      gone: (gone) => {
        if (this.#streams.get(endpoint) === gone) this.#streams.delete(endpoint);
      },
    });
    this.#streams.set(endpoint, stream);
    return stream;
  }
}
