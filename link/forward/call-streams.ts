/** The streams of calls to the generations: one for each, opened with the first call and again after it ended. */
import { CallStream, type Post, type Streamed } from './call-stream.ts';

export class CallStreams {
  readonly #isServed: (endpoint: string) => boolean;
  /** By endpoint and bearer: one that was opened with a bearer of before may be about to be refused. */
  readonly #streams = new Map<string, CallStream>();
  #closed = false;

  /** `isServed` says whether a generation of ours serves at an endpoint at this moment. */
  constructor(isServed: (endpoint: string) => boolean) {
    this.#isServed = isServed;
  }

  /** Posts to `endpoint`, `http://127.0.0.1:<port>`. Never rejects. */
  post(endpoint: string, token: string, post: Post): Promise<Streamed> {
    if (this.#closed) return Promise.resolve({ kind: 'not_sent', message: 'the link is closing' });
    const key = `${endpoint} ${token}`;
    return (this.#streams.get(key) ?? this.#open(key, endpoint, token)).exchange(post);
  }

  /** Ends all, and opens none any more. */
  close(): void {
    this.#closed = true;
    for (const stream of [...this.#streams.values()]) stream.close();
  }

  #open(key: string, endpoint: string, token: string): CallStream {
    const stream = new CallStream({
      port: Number(endpoint.slice(endpoint.lastIndexOf(':') + 1)),
      token,
      isOurs: () => this.#isServed(endpoint),
      gone: (gone) => {
        if (this.#streams.get(key) === gone) this.#streams.delete(key);
      },
    });
    this.#streams.set(key, stream);
    return stream;
  }
}
