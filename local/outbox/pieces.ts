/** How messages leave on a stream of calls (contract/link/stream.ts), at both of its ends. */
import type { Socket } from 'node:net';
import { onePiece, piecesOf, sizeOf } from '../../contract/link/index.ts';
import { SOCKET_BUFFER_LOW } from '../limits.ts';
import { Outbox } from './index.ts';

type Piece = readonly Uint8Array[];

export class PieceOutbox {
  readonly #socket: Socket;
  readonly #outbox: Outbox<Piece>;
  #corked = false;

  /** `progress` is called whenever the operating system took bytes. */
  constructor(socket: Socket, progress?: () => void) {
    this.#socket = socket;
    const wire = {
      send: (piece: Piece, done: () => void) => this.#write(piece, done),
      get buffered() {
        return socket.writableLength;
      },
    };
    this.#outbox = new Outbox(wire, progress);
  }

  /** Small ones go at once, large ones in their turns. */
  message(number: number, status: number, parts: readonly Uint8Array[]): void {
    if (sizeOf(parts) <= SOCKET_BUFFER_LOW) this.#outbox.now([onePiece(number, status, parts)]);
    else this.#outbox.inTurn(String(number), piecesOf(number, status, parts));
  }

  /** Whether everything was handed to the socket. */
  get empty(): boolean {
    return this.#outbox.empty;
  }

  close(): void {
    this.#outbox.close();
  }

  /** What is written in one turn of the event loop leaves together. */
  #write(piece: Piece, done: () => void): void {
    const socket = this.#socket;
    if (socket.destroyed || socket.writableEnded) return;
    if (!this.#corked) {
      this.#corked = true;
      socket.cork();
      process.nextTick(() => {
        this.#corked = false;
        socket.uncork();
      });
    }
    const last = piece.length - 1;
    piece.forEach((bytes, index) => void socket.write(bytes, index === last ? () => done() : undefined));
  }
}
