/** Asking the running runtime for one of its own methods, as the person at this machine. */
import { LocalError } from '../../local/error/index.ts';
import { readPrivateFile } from '../../local/files/index.ts';
import { resolveStateDir, statePaths } from '../../local/paths/index.ts';
import { timeLimit } from '../../local/patience/index.ts';
import { leaseActive } from '../../runtime-a-b/generations/index.ts';
import { type Answer, absent, callOf, resultOf, silent, unclear } from './call.ts';

export type { Answer } from './call.ts';
export { askOverSocket } from './socket.ts';

/** The runtime answers a call within 45 s; reading in a large chain file may take longer, and then the file is what counts. */
const ASK_MS_MAX = 10 * 60_000;

/**
 * The answer of a method behind `herdr_call`. Throws a `LocalError` with the runtime's own sentence when it refuses, and
 * one that says what to start when nothing runs.
 */
export async function askMethod(method: string, params: Answer, env: NodeJS.ProcessEnv = process.env): Promise<Answer> {
  const stateDir = resolveStateDir(env);
  const lease = await leaseActive(stateDir);
  if (!lease) throw absent();
  try {
    const token = (await readPrivateFile(statePaths(stateDir).runtimeToken))?.toString('utf8').trim() ?? '';
    const body = await post(`${lease.endpoint}/mcp`, token, method, params);
    if (body.ok === true) return body;
    throw new LocalError(text(body.code) || 'refused', text(body.message) || 'The runtime refused.', text(body.next));
  } finally {
    lease.release();
  }
}

async function post(url: string, token: string, method: string, params: Answer): Promise<Answer> {
  let response: Response;
  try {
    response = await fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: callOf(method, params),
      signal: timeLimit(ASK_MS_MAX),
    });
  } catch (error) {
    throw silent(error);
  }
  const answer = resultOf(await response.json().catch(() => undefined));
  if (answer) return answer;
  throw unclear(response.status);
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
