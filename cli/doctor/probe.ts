/** One anonymous request as another program would send it. */
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connectionTo } from '../../link/index.ts';
import { timeLimit } from '../../local/patience/index.ts';

export type Answer =
  | { silent: string }
  | { status: number; json: boolean; mitigated: string | undefined; challenge: string | undefined };

/** How long an address may take to answer, in ms: hosted clients give up after 10 s. */
const ANSWER_MS_MAX = 10_000;
/** What is read of an answer, in bytes: enough to see whether it is JSON. */
const ANSWER_BYTES_MAX = 256 * 1024;

const CALL = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });

/** Sends it, follows no redirect. Never rejects. */
export function askAs(
  userAgent: string,
  method: 'GET' | 'POST',
  url: URL,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Answer> {
  const secure = url.protocol === 'https:';
  const request = secure ? httpsRequest : httpRequest;
  return new Promise((resolve) => {
    const fail = (error: Error): void => resolve({ silent: `no answer (${error.message})` });
    const sent = request(
      url,
      {
        method,
        defaultPort: secure ? 443 : 80,
        createConnection: connectionTo(url, env) as RequestOptions['createConnection'],
        headers: {
          'user-agent': userAgent,
          accept: 'application/json, text/event-stream',
          ...(method === 'POST' ? { 'content-type': 'application/json', 'content-length': CALL.length } : {}),
        },
        signal: timeLimit(ANSWER_MS_MAX),
      } as RequestOptions,
      (response) => read(response).then(resolve, fail),
    );
    sent.once('error', fail);
    sent.end(method === 'POST' ? CALL : undefined);
  });
}

async function read(response: IncomingMessage): Promise<Answer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > ANSWER_BYTES_MAX) break;
    pieces.push(piece);
  }
  const header = (name: string): string | undefined => {
    const value = response.headers[name];
    return Array.isArray(value) ? value[0] : value;
  };
  return {
    status: response.statusCode ?? 0,
    json: isJson(Buffer.concat(pieces).toString('utf8')),
    mitigated: header('cf-mitigated'),
    challenge: header('www-authenticate'),
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
