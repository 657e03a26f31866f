/**
 * Acknowledgements, gathered. Waiting a moment costs nothing and buys safety: if this object is reset before the
 * Worker has the bytes, the link still holds the result and the Worker's second try finds it.
 */
import { ACK_BYTES_MAX, ACK_DELAY_MS, ACK_IDS_MAX } from '../limits.ts';

export class Acknowledgements {
  readonly #send: (dispatchIds: string[]) => void;
  #ids: string[] = [];
  #bytes = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(send: (dispatchIds: string[]) => void) {
    this.#send = send;
  }

  add(dispatchId: string, size: number): void {
    this.#ids.push(dispatchId);
    this.#bytes += size;
    if (this.#ids.length >= ACK_IDS_MAX || this.#bytes >= ACK_BYTES_MAX) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), ACK_DELAY_MS);
  }

  /** Sends what has gathered. Without a link it is dropped: the next hello lists those results and the welcome settles them. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const ids = this.#ids;
    this.#ids = [];
    this.#bytes = 0;
    if (ids.length > 0) this.#send(ids);
  }
}
