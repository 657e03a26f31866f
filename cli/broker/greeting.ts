/** What a broker says to whoever connects. */
import { createConnection } from 'node:net';
import * as Value from 'typebox/value';
import { BrokerGreeting } from '../../contract/broker.ts';
import { patience } from '../../local/patience/index.ts';

/** A broker greets at once; a socket that stays silent so long is none, in ms. */
const GREETING_MS = 5_000;

/** The revision of the broker behind this socket; undefined when none answers. */
export function greeting(socketPath: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const socket = createConnection(socketPath);
    let text = '';
    const settle = () => {
      waiting.end();
      socket.destroy();
      resolve(revisionIn(text));
    };
    const waiting = patience(GREETING_MS, settle);
    socket.once('error', settle);
    socket.once('end', settle);
    socket.on('data', (part: Buffer) => {
      text += part.toString('utf8');
      if (text.includes('\n')) settle();
    });
  });
}

/** Pure. */
function revisionIn(text: string): number | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Value.Check(BrokerGreeting, value) ? value.revision : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
