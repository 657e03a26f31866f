/** What a person's browser does on the sign-in page: shows the code, asks every two seconds, and goes where it is sent. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface SignInPage {
  requestId: string;
  /** The six digits that the page shows. */
  code: string;
  app: string;
}

const attribute = (html: string, name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(html)?.[1];

/**
 * Opens the authorisation address, hands the page to `approve`, and follows the page until it sends the browser on.
 * Returns the query of the redirect. Throws when the request was denied, locked or ran out, or when `state` is foreign.
 */
export async function signIn(
  url: URL,
  expectedState: string,
  approve: (page: SignInPage) => Promise<void>,
): Promise<URLSearchParams> {
  const response = await fetch(url, { headers: { accept: 'text/html', 'accept-language': 'en' }, redirect: 'manual' });
  const html = await response.text();
  const requestId = attribute(html, 'data-request');
  const token = attribute(html, 'data-token');
  const code = /class="code"[^>]*>\s*([0-9]{3})\s*([0-9]{3})\s*</.exec(html)?.slice(1).join('');
  if (response.status !== 200 || !requestId || !token || !code) {
    throw new Error(`The sign-in page was not shown (HTTP ${response.status}).`);
  }
  const pollMs = Number(attribute(html, 'data-every'));
  await approve({ requestId, code, app: /<h1>([^<]*)<\/h1>/.exec(html)?.[1] ?? '' });
  for (;;) {
    const answer = await fetch(new URL('/authorize/poll', url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ request_id: requestId, page_token: token }),
    });
    const { state, redirect } = (await answer.json()) as { state?: string; redirect?: string };
    if (redirect) return callbackQuery(redirect, expectedState);
    if (state !== 'pending') throw new Error(`The sign-in ended: ${state ?? `HTTP ${answer.status}`}.`);
    await sleep(pollMs);
  }
}

function callbackQuery(redirect: string, expectedState: string): URLSearchParams {
  const query = new URL(redirect).searchParams;
  if (query.get('state') !== expectedState) throw new Error('The redirect carries a foreign state; it is ignored.');
  const refused = query.get('error');
  if (refused) throw new Error(`The sign-in was refused: ${refused}.`);
  return query;
}
