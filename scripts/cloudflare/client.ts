/**
 * Cloudflare's REST API. A read that got no answer is asked again; a change never is: what it came to is told as it is,
 * and {@link settle} looks. The token stands in a header only.
 */
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectionTo, type Environment } from '../../link/network/index.ts';
import { LocalError } from '../../local/error/index.ts';
import { type Answer, judge, sentenceOf } from './answer.ts';
import { API_BYTES_MAX, API_MS_MAX, READ_AGAIN_MS } from './limits.ts';

/** Where the API is, unless `CLOUDFLARE_API_BASE_URL` (wrangler's own setting) names another place. */
const API = 'https://api.cloudflare.com/client/v4';

export interface ApiOptions {
  token: string;
  env: Environment;
  /** Longest wait for one answer, in ms. */
  timeoutMs?: number;
  /** Waits between tries of a read. */
  readAgainMs?: readonly number[];
}

export class Api {
  readonly #token: string;
  readonly #base: string;
  readonly #env: Environment;
  readonly #timeoutMs: number;
  readonly #readAgainMs: readonly number[];

  constructor({ token, env, timeoutMs = API_MS_MAX, readAgainMs = READ_AGAIN_MS }: ApiOptions) {
    this.#token = token;
    this.#env = env;
    this.#base = (env['CLOUDFLARE_API_BASE_URL'] || API).replace(/\/$/, '');
    this.#timeoutMs = timeoutMs;
    this.#readAgainMs = readAgainMs;
  }

  /** A read: `ok` or `refused`. Throws a {@link LocalError} when no answer came although it was asked several times. */
  async read(path: string): Promise<Exclude<Answer, { is: 'unknown' }>> {
    for (let turn = 0; ; turn += 1) {
      const answer = await this.#send('GET', path);
      if (answer.is !== 'unknown') return answer;
      const wait = this.#readAgainMs[turn];
      if (wait === undefined) {
        throw new LocalError(
          'cloudflare_silent',
          `Cloudflare's API gave no answer to GET ${path}: ${answer.why}.`,
          'Nothing was changed by this question. Run the same command again in a minute; it goes on where it stopped.',
        );
      }
      await sleep(wait);
    }
  }

  /** The result of a read, or `undefined` when there is no such thing (404). Throws for every other refusal. */
  async find(path: string): Promise<unknown> {
    const answer = await this.read(path);
    if (answer.is === 'ok') return answer.result;
    if (answer.status === 404) return undefined;
    throw refusedBy(answer, `GET ${path}`);
  }

  /** The result of a read that must exist. */
  async get(path: string): Promise<unknown> {
    const answer = await this.read(path);
    if (answer.is === 'ok') return answer.result;
    throw refusedBy(answer, `GET ${path}`);
  }

  /** A change, sent once. Never throws: not knowing is an answer here. */
  change(method: 'PUT' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<Answer> {
    return this.#send(method, path, body);
  }

  #send(method: string, path: string, body?: unknown): Promise<Answer> {
    const url = new URL(`${this.#base}${path}`);
    const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    return new Promise((resolve) => {
      const unknown = (error: Error): void =>
        resolve({ is: 'unknown', why: `no whole answer came (${error.message})` });
      const sent = (url.protocol === 'https:' ? httpsRequest : httpRequest)(
        url,
        {
          method,
          defaultPort: url.protocol === 'https:' ? 443 : 80, // else Node writes a wrong Host beside our own connection
          createConnection: connectionTo(url, this.#env) as RequestOptions['createConnection'],
          headers: {
            accept: 'application/json',
            authorization: `Bearer ${this.#token}`,
            'user-agent': 'herdr-mcp',
            ...(payload ? { 'content-type': 'application/json', 'content-length': payload.length } : {}),
          },
          signal: AbortSignal.timeout(this.#timeoutMs),
        } as RequestOptions,
        (response) => {
          readBody(response).then((json) => resolve(judge(response.statusCode ?? 0, json)), unknown);
        },
      );
      sent.once('error', unknown);
      sent.end(payload);
    });
  }
}

/** What a refusal means for a person. 401 and 403 name the rights; everything else repeats Cloudflare's words. */
export function refusedBy(
  answer: { status: number; errors: Parameters<typeof sentenceOf>[0] },
  what: string,
): LocalError {
  if (answer.status === 401 || answer.status === 403) {
    return new LocalError(
      'cloudflare_rights',
      `Cloudflare refused ${what}${sentenceOf(answer.errors)}: this login lacks a right.`,
      'docs/operate.md names the rights that are needed; give the token those, or run `npx wrangler login`.',
    );
  }
  return new LocalError(
    'cloudflare_refused',
    `Cloudflare refused ${what} with ${answer.status}${sentenceOf(answer.errors)}; it changed nothing.`,
    'Correct what it names, then run the same command again.',
  );
}

async function readBody(response: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > API_BYTES_MAX) throw new Error('its answer is too large');
    pieces.push(piece);
  }
  try {
    return JSON.parse(Buffer.concat(pieces).toString('utf8'));
  } catch {
    return undefined; // a gateway's page: judged by its status
  }
}
