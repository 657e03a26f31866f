/**
 * The private socket of the state folder: only processes of the workstation's user reach it, and what a call may do there
 * it may do because it came this way. Nothing that is said in a call can stand for that.
 */
import { request } from 'node:http';
import { LOCAL_MCP_PATH } from '../../contract/browser/methods.ts';
import { resolveStateDir, statePaths } from '../../local/paths/index.ts';
import { timeLimit } from '../../local/patience/index.ts';
import { type Answer, absent, callOf, resultOf, silent, unclear } from './call.ts';

/** A call is answered within 45 s; what has not come by then does not come. */
const ANSWER_MS = 60_000;

/** The answer of a method, also when it refuses: `ok` says which. Throws when there is no answer at all. */
export async function askOverSocket(
  method: string,
  params: Answer,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Answer> {
  const { status, body } = await post(statePaths(resolveStateDir(env)).extensionSocket, callOf(method, params));
  const answer = resultOf(jsonOf(body));
  if (answer) return answer;
  throw unclear(status);
}

function post(socketPath: string, body: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    let connected = false;
    const asking = request(
      {
        socketPath,
        path: LOCAL_MCP_PATH,
        // A connection of its own: only then it can be told whether anything can have been heard.
        agent: false,
        method: 'POST',
        headers: {
          host: 'localhost',
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'content-length': Buffer.byteLength(body),
        },
        signal: timeLimit(ANSWER_MS),
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
        response.on('error', (error) => reject(silent(error)));
      },
    );
    asking.on('socket', (socket) => socket.once('connect', () => (connected = true)));
    // Before the connection stood nothing can have been heard; after it, anything can.
    asking.on('error', (error) => reject(connected ? silent(error) : absent(error)));
    asking.end(body);
  });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
