/** Asking the semantic service where the extension asks it: the private socket of the state folder. */
import { request } from 'node:http';
import { LocalError, systemCode } from '../../local/error/index.ts';
import { resolveStateDir, statePaths } from '../../local/paths/index.ts';
import { START } from '../start-it.ts';

type Json = Record<string, unknown>;

/** The longest question waits 60 s; a little more for the way. */
const ASK_MS_MAX = 65_000;
const ANSWER_BYTES_MAX = 1024 * 1024;

/** The answer's object whatever its status is. Throws a `LocalError` when nobody answers. */
export function askSemantic(path: string, body?: Json): Promise<Json> {
  const socketPath = statePaths(resolveStateDir(process.env)).extensionSocket;
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        socketPath,
        path: `/extension/semantic/${path}`,
        method: body === undefined ? 'GET' : 'POST',
        headers: { host: 'extension.sock', ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
        timeout: ASK_MS_MAX,
      },
      (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size <= ANSWER_BYTES_MAX) chunks.push(chunk);
        });
        response.on('error', (error) => reject(silent(error)));
        response.on('end', () => {
          try {
            resolve(JSON.parse(Buffer.concat(chunks).toString('utf8')) as Json);
          } catch (error) {
            reject(silent(error));
          }
        });
      },
    );
    asked.on('timeout', () => asked.destroy(new Error('no answer in time')));
    asked.on('error', (error) => reject(silent(error)));
    asked.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function silent(error: unknown): LocalError {
  const absent = ['ENOENT', 'ECONNREFUSED'].includes(systemCode(error) ?? '');
  return new LocalError(
    absent ? 'runtime_absent' : 'runtime_silent',
    absent ? 'No runtime is running here, so nothing was asked.' : 'The runtime did not answer the question.',
    absent ? `Start it (${START}), then try again.` : 'herdr-mcp doctor shows what is wrong.',
    error,
  );
}
