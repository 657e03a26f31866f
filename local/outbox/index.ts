/**
 * The order in which frames leave. Small frames go at once; of the large results one chunk at a time goes, each result
 * in its turn, and only while hardly anything waits in the socket. So a small answer waits behind one chunk at most.
 */
import { SOCKET_BUFFER_LOW } from '../limits.ts';

export { SOCKET_BUFFER_LOW } from '../limits.ts';

/** Where frames go. `done` is called when the bytes left this process, or never if the connection ends before. */
export interface Wire<Frame = Uint8Array> {
  send(frame: Frame, done: () => void): void;
  /** Bytes handed over and not yet taken by the operating system. */
  readonly buffered: number;
}

export class Outbox<Frame = Uint8Array> {
  readonly #wire: Wire<Frame>;
  readonly #progress: () => void;
  /** In the order of their turns; the insertion order of a Map is the queue. */
  readonly #queue = new Map<string, Iterator<Frame>>();
  /** Whose chunk is on its way; it queues again behind everybody who came meanwhile. */
  readonly #onTheWay = new Map<string, Iterator<Frame>>();
  #closed = false;

  /** `progress` is called whenever the operating system took bytes. */
  constructor(wire: Wire<Frame>, progress: () => void = () => {}) {
    this.#wire = wire;
    this.#progress = progress;
  }

  /** A frame that nothing should wait for, and that waits for at most one chunk. */
  now(frame: Frame): void {
    if (!this.#closed) this.#wire.send(frame, () => this.#sent());
  }

  /** A result in frames, taken lazily. A result already under way with this id starts again from its first frame. */
  inTurn(id: string, frames: Iterator<Frame>): void {
    if (this.#closed) return;
    this.drop(id);
    this.#queue.set(id, frames);
    this.#pump();
  }

  /** Sends no more of this result. */
  drop(id: string): void {
    this.#queue.delete(id);
    this.#onTheWay.delete(id);
  }

  /** Whether this result is not sent completely. */
  has(id: string): boolean {
    return this.#queue.has(id) || this.#onTheWay.has(id);
  }

  /** Whether everything was handed to the wire. */
  get empty(): boolean {
    return this.#queue.size === 0 && this.#onTheWay.size === 0;
  }

  close(): void {
    this.#closed = true;
    this.#queue.clear();
    this.#onTheWay.clear();
  }

  #sent(): void {
    this.#pump(); // before it is told: that was the last frame, or another one is on its way
    this.#progress();
  }

  #pump(): void {
    while (!this.#closed && this.#wire.buffered < SOCKET_BUFFER_LOW) {
      const [turn] = this.#queue;
      if (turn === undefined) return;
      const [id, frames] = turn;
      this.#queue.delete(id);
      const step = frames.next();
      if (step.done === true) continue;
      this.#onTheWay.set(id, frames);
      this.#wire.send(step.value, () => {
        if (this.#onTheWay.get(id) === frames) {
          this.#onTheWay.delete(id);
          this.#queue.set(id, frames);
        }
        this.#sent();
      });
    }
  }
}
