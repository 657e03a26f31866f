import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { patience, timeLimit } from '../../local/patience/index.ts';
import { verifies } from '../verifies.ts';

const ENDS: (() => void)[] = [];
afterEach(() => {
  for (const end of ENDS.splice(0)) end();
});

const ASKER = fileURLToPath(new URL('sleeper.ts', import.meta.url));

/** A program that asks a server here by one of our ways, and the server's answer to it. */
async function asker(way: string): Promise<{ child: ChildProcess; said: Promise<string>; response: ServerResponse }> {
  const server = createServer();
  ENDS.push(() => {
    server.closeAllConnections();
    server.close();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const asked = once(server, 'request');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const flags = process.features.typescript ? [] : ['--experimental-strip-types'];
  const child = spawn(process.execPath, [...flags, '--no-warnings', ASKER, way, url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  ENDS.push(() => child.kill('SIGKILL'));
  let text = '';
  child.stdout.on('data', (piece: Buffer) => (text += String(piece)));
  const said = once(child, 'close').then(() => text.trim());
  const [, response] = (await asked) as [unknown, ServerResponse];
  return { child, said, response };
}

describe('a process that slept while its answer came', () => {
  it.each(['exchange', 'health', 'fetch', 'request', 'patience'])(
    'takes it, however late its timer is: %s',
    async (way) => {
      verifies('link.liveness');
      const { child, said, response } = await asker(way);
      child.kill('SIGSTOP');
      response.end(JSON.stringify({ ok: true, boot_id: 'b', version: '1' }));
      await sleep(3_000); // twice as long as it waits
      child.kill('SIGCONT');
      expect(await said).toBe('answered');
    },
  );
});

describe('patience', () => {
  it('is over when its time is, and never once it has ended', async () => {
    let over = 0;
    const waited = patience(20, () => (over += 1));
    patience(20, () => (over += 10)).end();
    await sleep(80);
    expect(over).toBe(1);
    waited.end();
    const limit = timeLimit(10);
    await once(limit, 'abort');
    expect(limit.reason).toMatchObject({ name: 'TimeoutError' });
  });

  it('gives the peer a moment more when the loop was held up over its end', async () => {
    const beganMs = performance.now();
    const judgedMs = new Promise<number>((resolve) => patience(50, () => resolve(performance.now() - beganMs)));
    while (performance.now() - beganMs < 1_500);
    expect(await judgedMs).toBeGreaterThan(3_000);
  });
});
