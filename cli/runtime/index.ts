/** Asking the running runtime for one of its own methods, as the person at this machine. */
import { LocalError } from '../../local/error/index.ts';
import { readPrivateFile } from '../../local/files/index.ts';
import { resolveStateDir, statePaths } from '../../local/paths/index.ts';
import { leaseActive } from '../../runtime-a-b/generations/index.ts';

export type Answer = Record<string, unknown>;

/** The runtime answers a call within 45 s; reading in a large chain file may take longer, and then the file is what counts. */
const ASK_MS_MAX = 10 * 60_000;

/**
 * The answer of a method behind `herdr_call`. Throws a `LocalError` with the runtime's own sentence when it refuses, and
 * one that says what to start when nothing runs.
 */
export async function askMethod(method: string, params: Answer, env: NodeJS.ProcessEnv = process.env): Promise<Answer> {
  const stateDir = resolveStateDir(env);
  const lease = await leaseActive(stateDir);
  if (!lease) {
    throw new LocalError(
      'runtime_absent',
      'No runtime is running here, so nothing was asked.',
      'Start it, then try again.',
    );
  }
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
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'herdr_call', arguments: { method, params: JSON.stringify(params) } },
  };
  let response: Response;
  try {
    response = await fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(message),
      signal: AbortSignal.timeout(ASK_MS_MAX),
    });
  } catch (error) {
    throw new LocalError(
      'runtime_silent',
      'The runtime did not answer; whether it acted is not known.',
      'Look at what it was to change before anything is repeated.',
      error,
    );
  }
  const answer = resultOf(await response.json().catch(() => undefined));
  if (answer) return answer;
  throw new LocalError(
    'runtime_unclear',
    `The runtime answered ${response.status} and nothing that can be read.`,
    'herdr-mcp doctor shows what is wrong.',
  );
}

/** The JSON inside `content[0].text`, or undefined when the answer is none of a tool. */
function resultOf(message: unknown): Answer | undefined {
  const content = (message as { result?: { content?: { text?: unknown }[] } } | undefined)?.result?.content;
  const inside = content?.[0]?.text;
  if (typeof inside !== 'string') return undefined;
  const value: unknown = JSON.parse(inside);
  return typeof value === 'object' && value !== null ? (value as Answer) : undefined;
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
