/** One POST over a kept connection, as cheaply as Node can do it, so that the probe itself stays out of the figures. */
import { Agent, request } from 'node:http';

/**
 * A connection that idled so long is closed by us, in ms, as fetch does. A server that keeps one closes it at some moment
 * (workerd after 15 s), and a call that is sent on it in that moment is cut off, though nobody did anything wrong.
 */
const IDLE_MS = 4_000;

/** Connections that are kept for the next call, each until it idled for so many ms; a call that runs is no idling. */
export function keptConnections(idleMs: number): Agent {
  return new Agent({ ...KEPT, timeout: idleMs } as ConstructorParameters<typeof Agent>[0]);
}

const KEPT = { keepAlive: true, maxSockets: 64, noDelay: true };
const ours = keptConnections(IDLE_MS);

/** The bytes of an answer 200. Rejects with what was said instead, or with what became of the connection. */
export function post(
  url: string,
  body: string | Uint8Array,
  headers: Record<string, string>,
  agent: Agent = ours,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    const outgoing = request(
      url,
      { method: 'POST', agent, headers: { ...headers, 'content-length': String(bytes.length) } },
      (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('error', reject);
        answer.on('end', () => {
          const whole = Buffer.concat(parts);
          if (answer.statusCode === 200) resolve(whole);
          else reject(new Error(`${url} answered ${answer.statusCode}: ${whole.subarray(0, 300)}`));
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(bytes);
  });
}

export function endConnections(): void {
  ours.destroy();
}
