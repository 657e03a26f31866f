/** The runtime's end of a stream of calls, scripted, with the link's end before it. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { onePiece, PieceReader } from '../../../contract/link/index.ts';
import type { Post, Streamed } from '../../../link/forward/call-stream.ts';
import { CallStreams } from '../../../link/forward/call-streams.ts';

/** How a runtime takes a stream. */
export const TAKEN = 'HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: herdr-calls\r\n\r\n';

export class StreamPeer {
  /** Whether the process behind the port is one of ours. */
  served = true;
  streams = new CallStreams(() => this.served);
  /** What the peer says to the upgrade. */
  greet: (socket: Socket, request: string) => void = (socket) => void socket.write(TAKEN);
  /** What it does with the bytes of each piece, as far as they are here: all of a small message. */
  answer: (socket: Socket, number: number, text: string) => void = (socket, number) =>
    void socket.write(onePiece(number, 200, [Buffer.from('ok')]));
  readonly connections: Socket[] = [];
  readonly requests: string[] = [];
  readonly server: Server = createServer((socket) => this.#serve(socket));
  endpoint = '';

  async listen(): Promise<this> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    this.endpoint = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    return this;
  }

  /** Sends a text in two parts. */
  post(text = 'abcd', more: Partial<Post> = {}): Promise<Streamed> {
    return this.streams.post(this.endpoint, 'the-token', {
      body: [Buffer.from(text.slice(0, 2)), Buffer.from(text.slice(2))],
      timeoutMs: 20_000,
      maxBytes: 1_000,
      ...more,
    });
  }

  close(): void {
    this.streams.close();
    for (const socket of this.connections) socket.destroy();
    this.server.close();
  }

  #serve(socket: Socket): void {
    this.connections.push(socket);
    socket.on('error', () => undefined); // the tests cut
    let number = 0;
    const reader = new PieceReader({
      head: (head) => {
        number = head.number;
        return true;
      },
      bytes: (view) => this.answer(socket, number, Buffer.from(view).toString()),
    });
    socket.once('data', (bytes: Buffer) => {
      this.requests.push(bytes.toString('latin1'));
      this.greet(socket, bytes.toString('latin1'));
      socket.on('data', (more: Buffer) => reader.push(more));
    });
  }
}

/** What became of a call, in few words. */
export const told = (streamed: Streamed): string =>
  streamed.kind === 'answer' ? `${streamed.status} ${streamed.bytes.toString('latin1')}` : streamed.kind;
