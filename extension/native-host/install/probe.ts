/** Starts the installed host as a browser would and asks who it is. */
import { spawn } from 'node:child_process';
import { LocalError } from '../../../local/error/index.ts';
import { patience } from '../../../local/patience/index.ts';
import { createFrameReader, frameOf } from '../frames.ts';
import { PROBE_MS } from '../limits.ts';

/** Rejects with a `LocalError` unless the host starts and admits this origin. */
export async function probeHost(wrapper: string, origin: string): Promise<void> {
  const said = await ask(wrapper, origin);
  const answer = typeof said === 'object' && said !== null ? (said as Record<string, unknown>) : {};
  if (answer['type'] === 'identity' && answer['extension_origin'] === origin) return;
  const why = typeof answer['error'] === 'string' ? `it answered ${answer['error']}` : 'it did not answer';
  throw new LocalError(
    'native_host_check_failed',
    `The native host was started to try it, and ${why}; everything was put back as it was.`,
    'Start it by hand to see why: the wrapper lies in the native folder of the state folder.',
  );
}

function ask(wrapper: string, origin: string): Promise<unknown> {
  return new Promise((resolve) => {
    const child = spawn(wrapper, [origin], { stdio: ['pipe', 'pipe', 'ignore'] });
    const read = createFrameReader();
    const waiting = patience(PROBE_MS, () => child.kill('SIGKILL'));
    let answer: unknown;
    child.stdout.on('data', (bytes: Buffer) => {
      const [frame] = read(bytes);
      if (frame?.kind !== 'message') return;
      answer = frame.message;
      child.stdin.end();
    });
    // A host that refuses has closed its end already; that is no answer and shown as such.
    child.stdin.on('error', () => undefined);
    child.on('error', () => undefined);
    child.on('close', () => {
      waiting.end();
      resolve(answer);
    });
    child.stdin.write(frameOf({ type: 'identity', id: 'install' }));
  });
}
