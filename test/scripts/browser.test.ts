import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { signIn } from '../../scripts/demo/index.ts';

let stop: () => Promise<void> = async () => undefined;
afterEach(() => stop());

/** A sign-in page that gives these answers one after the other to whoever polls. */
async function page(answers: object[]): Promise<{ url: URL; polled: unknown[] }> {
  const polled: unknown[] = [];
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      response.setHeader('content-type', 'text/html');
      response.end(
        `<div id="request" data-request="req_1" data-token="tok" data-every="5"><h1>X asks</h1><p class="code">123456</p></div>`,
      );
      return;
    }
    let body = '';
    for await (const chunk of request) body += String(chunk);
    polled.push(JSON.parse(body));
    response.end(JSON.stringify(answers.shift() ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stop = () => new Promise((resolve) => server.close(() => resolve()));
  return { url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/authorize?x=1`), polled };
}

describe('the demo’s browser', () => {
  it('hands over the code, asks until it is sent on, and gives the query of the redirect', async () => {
    const redirect = 'http://127.0.0.1/callback?code=c&state=s&iss=i';
    const { url, polled } = await page([{ state: 'pending' }, { state: 'approved', redirect }]);
    const seen: object[] = [];
    const query = await signIn(url, 's', async (shown) => void seen.push(shown));
    expect(Object.fromEntries(query)).toEqual({ code: 'c', state: 's', iss: 'i' });
    expect(seen).toEqual([{ requestId: 'req_1', code: '123456', app: 'X asks' }]);
    expect(polled).toEqual(Array(2).fill({ request_id: 'req_1', page_token: 'tok' }));
  });

  it.each([
    [{ state: 'locked' }, /ended: locked/],
    [{ state: 'expired' }, /ended: expired/],
    [{ state: 'denied', redirect: 'http://127.0.0.1/callback?error=access_denied&state=s' }, /refused: access_denied/],
    [{ state: 'approved', redirect: 'http://127.0.0.1/callback?code=c&state=other' }, /foreign state/],
  ])('stops at %o', async (answer, sentence) => {
    const { url } = await page([answer]);
    await expect(signIn(url, 's', async () => undefined)).rejects.toThrow(sentence);
  });

  it('does not go on when the approval fails', async () => {
    const { url, polled } = await page([]);
    await expect(signIn(url, 's', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(polled).toEqual([]);
  });
});
