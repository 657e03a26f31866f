/** Asks a server in one of our ways, waits 1.5 s for it, and prints what came of it: stopped and continued by patience.test.ts. */
import { Agent, request } from 'node:http';
import { exchange } from '../../link/forward/exchange.ts';
import { patience, timeLimit } from '../../local/patience/index.ts';
import { askHealth } from '../../runtime-a-b/generations/supervisor/ask.ts';

const [way = '', endpoint = ''] = process.argv.slice(2);
const timeoutMs = 1_500;

const WAYS: Record<string, () => Promise<boolean>> = {
  exchange: async () => {
    const wish = { method: 'GET', endpoint, path: '/', token: 't', timeoutMs, maxBytes: 1_000 } as const;
    return (await exchange(new Agent(), wish)).kind === 'answer';
  },
  health: async () => (await askHealth(Number(new URL(endpoint).port), timeoutMs)) !== undefined,
  fetch: async () => (await (await fetch(endpoint, { signal: timeLimit(timeoutMs) })).text()) !== '',
  request: () =>
    new Promise((resolve) => {
      const asking = request(endpoint, { signal: timeLimit(timeoutMs) }, (response) =>
        response.resume().once('end', () => resolve(true)),
      );
      asking.once('error', () => resolve(false)).end();
    }),
  patience: () =>
    new Promise((resolve) => {
      const waiting = patience(timeoutMs, () => resolve(false));
      request(endpoint, (response) => {
        response.resume().once('end', () => {
          waiting.end();
          resolve(true);
        });
      }).end();
    }),
};

console.log((await WAYS[way]?.()) ? 'answered' : 'lost');
process.exit();
