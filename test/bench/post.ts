/** One POST over a kept connection, as cheaply as Node can do it, so that the probe itself stays out of the figures. */
import { Agent, request } from 'node:http';

const agent = new Agent({ keepAlive: true, maxSockets: 64, noDelay: true } as ConstructorParameters<typeof Agent>[0]);

export function post(url: string, body: string | Uint8Array, headers: Record<string, string>): Promise<Buffer> {
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
  agent.destroy();
}
