/** Kept connections to the generations, as many as calls run at once; the one used last is used first. */
import type { Exchanged } from './exchange.ts';
import { KeptSocket, type Post } from './kept-socket.ts';

export class KeptSockets {
  readonly #isServed: (endpoint: string) => boolean;
  readonly #idle = new Map<string, KeptSocket[]>();
  readonly #all = new Set<KeptSocket>();

  /** `isServed` says whether a generation of ours serves at an endpoint at this moment. */
  constructor(isServed: (endpoint: string) => boolean) {
    this.#isServed = isServed;
  }

  /** Posts to `endpoint`, `http://127.0.0.1:<port>`. Never rejects. */
  post(endpoint: string, post: Post): Promise<Exchanged> {
    let idle = this.#idle.get(endpoint);
    if (idle === undefined) {
      idle = [];
      this.#idle.set(endpoint, idle);
    }
    const socket = idle.pop() ?? this.#open(endpoint, idle);
    return socket.exchange(post);
  }

  close(): void {
    for (const socket of this.#all) socket.destroy();
  }

  #open(endpoint: string, idle: KeptSocket[]): KeptSocket {
    const socket = new KeptSocket(
      Number(endpoint.slice(endpoint.lastIndexOf(':') + 1)),
      () => this.#isServed(endpoint),
      (free) => idle.push(free),
      (gone) => {
        this.#all.delete(gone);
        const place = idle.indexOf(gone);
        if (place >= 0) idle.splice(place, 1);
      },
    );
    this.#all.add(socket);
    return socket;
  }
}
