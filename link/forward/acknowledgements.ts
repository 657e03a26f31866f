/** Passes acknowledgements to the runtime together, soon but not at once: one request for many calls. */
import { ACK_BATCH_MS } from '../limits.ts';
import type { RuntimeClient } from './runtime-client.ts';

export class Acknowledgements {
  readonly #client: RuntimeClient;
  #byEndpoint = new Map<string, string[]>();
  /** Gathered or on their way: a runtime may still list these as held. */
  readonly #unconfirmed = new Set<string>();
  /** What was acknowledged since each of these questions was asked. */
  readonly #since = new Set<Set<string>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(client: RuntimeClient) {
    this.#client = client;
  }

  add(endpoint: string, dispatchId: string): void {
    const ids = this.#byEndpoint.get(endpoint);
    if (ids === undefined) this.#byEndpoint.set(endpoint, [dispatchId]);
    else ids.push(dispatchId);
    this.#unconfirmed.add(dispatchId);
    for (const seen of this.#since) seen.add(dispatchId);
    this.#timer ??= setTimeout(() => void this.flush(), ACK_BATCH_MS);
  }

  /**
   * Asks something, and tells beside the answer which dispatches were acknowledged so lately that the answer may still
   * list them. They are done with: taking them up again would report a lost result that nobody lost.
   */
  async around<Answer>(ask: () => Promise<Answer>): Promise<{ answer: Answer; acknowledged: ReadonlySet<string> }> {
    const acknowledged = new Set(this.#unconfirmed);
    this.#since.add(acknowledged);
    try {
      return { answer: await ask(), acknowledged };
    } finally {
      this.#since.delete(acknowledged);
    }
  }

  /** An acknowledgement that gets lost only makes the runtime keep a result until its own time limit. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batches = this.#byEndpoint;
    this.#byEndpoint = new Map();
    await Promise.all(Array.from(batches, ([endpoint, ids]) => this.#pass(endpoint, ids)));
  }

  async #pass(endpoint: string, ids: string[]): Promise<void> {
    await this.#client.ack(endpoint, ids);
    for (const id of ids) this.#unconfirmed.delete(id);
  }
}
