/** Routes that are loaded at the first request: what a failed load, and a request that went meanwhile, leave behind. */
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { createLog } from '../../../local/log/index.ts';
import { type Answer, webListener } from '../../../runtime-a-b/http/web-listener.ts';
import { verifies } from '../../verifies.ts';

let server: Server;
afterEach(() => server.close());

async function serve(load: () => Promise<Answer>): Promise<string> {
  server = createServer(webListener(load, '127.0.0.1', createLog({ name: 'web-listener', level: 'silent' })));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

it('a load that failed is tried again with the next request', async () => {
  verifies('runtime.loopback');
  let loads = 0;
  const url = await serve(async () => {
    loads += 1;
    if (loads === 1) throw new Error('too many open files');
    return () => new Response('served');
  });
  await expect(fetch(url)).rejects.toThrow();
  expect(await (await fetch(url)).text()).toBe('served');
  expect(loads).toBe(2);
});

it('a request that was given up while the routes were loading hinders nobody', async () => {
  verifies('runtime.loopback');
  let go: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  const url = await serve(async () => {
    await gate;
    return async (request) => new Response(`got ${(await request.text()).length}`);
  });
  const gone = connect(Number(new URL(url).port), '127.0.0.1');
  gone.write('POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 1000\r\n\r\nhalf');
  await new Promise((resolve) => setTimeout(resolve, 50));
  gone.destroy();
  const waiting = fetch(url, { method: 'POST', body: 'whole' });
  await new Promise((resolve) => setTimeout(resolve, 50));
  go();
  expect(await (await waiting).text()).toBe('got 5');
});
