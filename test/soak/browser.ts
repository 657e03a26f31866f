/** What a browser holds open all day: the installed native host with its stream, and subscribers of the socket that come and go. */
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EXTENSION_ID, extensionOrigin } from '../../contract/extension/identity.ts';
import { installNativeHost } from '../../extension/native-host/index.ts';
import { statePaths } from '../../local/paths/index.ts';
import { DIST } from '../../scripts/build/index.ts';
import { openPort, place } from '../extension/native-host/port.ts';
import { BROWSER_ASKS_MS, LOOK_MS, SUBSCRIBER_MS } from './limits.ts';

/** A conversation that nobody has; its inbox is empty. */
const SESSION = `br_${'0'.repeat(64)}`;

export interface Browser {
  /** Answers to questions, events of the stream, and streams that were opened anew. */
  counts: { answers: number; events: number; streams: number };
  close(): Promise<void>;
}

/** Starts the host as a browser does, and asks and listens until it is closed. */
export async function openBrowser(stateDir: string): Promise<Browser> {
  const here = place();
  await installNativeHost({ ...here.options, stateDir, program: join(DIST, 'herdr-native-host.main.js') });
  const port = openPort(join(stateDir, 'native', 'herdr-extension-host'), extensionOrigin(EXTENSION_ID));
  const counts = { answers: 0, events: 0, streams: 0 };
  let over = false;
  /** Messages that were counted are dropped: this side must not grow by itself. */
  const drain = (stream: string): boolean => {
    let hasEnded = false;
    for (const message of port.received.splice(0)) {
      if (message.type === 'response' && message.status === 200) counts.answers += 1;
      if (message.type === 'stream_chunk') counts.events += message.text.split('\nevent: ').length - 1;
      const isOfStream = message.type === 'stream_end' || message.type === 'error';
      if (isOfStream && message.id === stream) hasEnded = true;
    }
    port.frames.length = 0;
    return hasEnded;
  };
  const asking = (async () => {
    for (let n = 0, stream = ''; !over; n += 1) {
      const hasEnded = drain(stream);
      if (stream === '' || hasEnded) {
        stream = `s${n}`;
        counts.streams += 1;
        port.send({ type: 'stream', id: stream, path: '/push/events' });
      }
      port.send({
        type: 'request',
        id: `r${n}`,
        method: 'GET',
        path: n % 2 === 0 ? '/push/state' : `/extension/agent/tasks?parent_session_ref=${SESSION}`,
      });
      await sleep(BROWSER_ASKS_MS);
    }
  })();
  return {
    counts,
    async close() {
      over = true;
      await asking;
      await port.close();
      here.remove();
    },
  };
}

/** One more reader of the socket, which leaves and comes back with the id of its last event, until it is told to stop. */
export async function subscribe(stateDir: string, isOver: () => boolean, heard: () => void): Promise<void> {
  const socketPath = statePaths(stateDir).extensionSocket;
  for (let last: string | undefined; !isOver(); ) {
    last = await listen(socketPath, last, isOver, heard);
    await sleep(LOOK_MS);
  }
}

function listen(
  socketPath: string,
  last: string | undefined,
  isOver: () => boolean,
  heard: () => void,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    let id = last;
    const leaveAt = Date.now() + SUBSCRIBER_MS;
    const asked = request({
      socketPath,
      path: '/push/events',
      headers: { host: 'localhost', ...(last === undefined ? {} : { 'last-event-id': last }) },
    });
    const look = setInterval(() => (isOver() || Date.now() > leaveAt) && asked.destroy(), LOOK_MS);
    asked.on('response', (answer) => {
      answer.setEncoding('utf8').on('data', (text: string) => {
        for (const [, event] of text.matchAll(/^id: (.*)$/gm)) {
          id = event;
          heard();
        }
      });
      answer.on('error', () => undefined); // told by close
    });
    asked.on('error', () => undefined); // a promotion moves the socket
    asked.on('close', () => {
      clearInterval(look);
      resolve(id);
    });
    asked.end();
  });
}
