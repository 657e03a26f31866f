/** Passes acknowledgements to the runtime together, soon but not at once: one request for many calls. */
import { ACK_BATCH_MS } from '../limits.ts';
import type { RuntimeClient } from './runtime-client.ts';

export class Acknowledgements {
  readonly #client: RuntimeClient;
  #byEndpoint = new Map<string, string[]>();
  #timer: NodeJS.Timeout | undefined;

  constructor(client: RuntimeClient) {
    this.#client = client;
  }

  add(endpoint: string, dispatchId: string): void {
    const ids = this.#byEndpoint.get(endpoint);
    if (ids === undefined) this.#byEndpoint.set(endpoint, [dispatchId]);
    else ids.push(dispatchId);
    this.#timer ??= setTimeout(() => void this.flush(), ACK_BATCH_MS);
  }

  /** Whether an acknowledgement of this dispatch has not left yet. */
  has(dispatchId: string): boolean {
    for (const ids of this.#byEndpoint.values()) if (ids.includes(dispatchId)) return true;
    return false;
  }

  /** An acknowledgement that gets lost only makes the runtime keep a result until its own time limit. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batches = this.#byEndpoint;
    this.#byEndpoint = new Map();
    await Promise.all(Array.from(batches, ([endpoint, ids]) => this.#client.ack(endpoint, ids)));
  }
}
