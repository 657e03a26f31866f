/** The link's end of a stream of calls, for tests of the runtime's. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'vitest';
import type { CallEnvelope, ResultEnvelope } from '../../../contract/call.ts';
import { onePiece, PieceReader, packHead, unpackResult } from '../../../contract/link/index.ts';
import { until } from '../../embedded-herdr/harness/poll.ts';
import { envelopeFor } from './envelope.ts';

export interface Answer {
  number: number;
  status: number;
  bytes: Buffer;
}

export interface OpenStream {
  socket: Socket;
  answers: Answer[];
  /** Sends a call in one piece and gives its dispatch id. */
  call(number: number, tool: string, args: Record<string, unknown>, more?: Partial<CallEnvelope>): string;
  /** The answer after those that are here already. */
  next(): Promise<Answer>;
}

/** A stream of calls, with the answers in the order in which they were complete. */
export async function openStream(port: number, token: string): Promise<OpenStream> {
  const socket = connect(port, '127.0.0.1');
  const lines = [
    `host: 127.0.0.1:${port}`,
    'connection: Upgrade',
    'upgrade: herdr-calls',
    `authorization: Bearer ${token}`,
  ];
  socket.write(`GET /calls HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  const [greeting] = (await once(socket, 'data')) as [Buffer];
  expect(greeting.toString()).toBe(
    'HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: herdr-calls\r\n\r\n',
  );
  const answers: Answer[] = [];
  const open = new Map<number, { parts: Buffer[]; missing: number; status: number }>();
  let current = 0;
  const reader = new PieceReader({
    head: ({ number, status, total }) => {
      current = number;
      if (!open.has(number)) open.set(number, { parts: [], missing: total, status });
      return true;
    },
    bytes: (view) => {
      const message = open.get(current) ?? expect.unreachable();
      message.parts.push(Buffer.from(view));
      message.missing -= view.length;
      if (message.missing > 0) return;
      open.delete(current);
      answers.push({ number: current, status: message.status, bytes: Buffer.concat(message.parts) });
    },
  });
  socket.on('data', (bytes: Buffer) => expect(reader.push(bytes)).toBe(true));
  function call(number: number, tool: string, args: Record<string, unknown>, more: Partial<CallEnvelope> = {}): string {
    const envelope = envelopeFor(tool, args, more);
    socket.write(onePiece(number, 0, [packHead(envelope), Buffer.from(JSON.stringify(args))]));
    return envelope.dispatch_id;
  }
  const next = async () => {
    const before = answers.length;
    await until('the next answer', () => answers.length > before);
    return answers[before] as Answer;
  };
  return { socket, answers, call, next };
}

/** A result, unpacked. */
export function opened({ status, bytes }: Answer): { envelope: ResultEnvelope; json: Record<string, unknown> } {
  expect(status).toBe(200);
  const unpacked = unpackResult(bytes);
  if (!unpacked.ok) throw new Error(unpacked.message);
  const result = JSON.parse(Buffer.from(unpacked.body).toString()) as { content: [{ text: string }] };
  return { envelope: unpacked.envelope, json: JSON.parse(result.content[0].text) as Record<string, unknown> };
}
