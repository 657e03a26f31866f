/** The service worker in a real Chromium, with the real native host and a real runtime behind it. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { until } from '../../runtime-a-b/support/index.ts';
import { verifies } from '../../verifies.ts';
import { type Product, startProduct } from './product.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

let product: Product;
beforeAll(async () => {
  product = await startProduct();
});
afterAll(() => product.end());

describe('the service worker', () => {
  it('reaches the runtime through the native host and shows its workspaces', async () => {
    verifies('extension.native-host');
    const shell = await product.agent('first');
    const { runtime, herdr, workspaces } = await product.state();
    expect({ runtime, herdr }).toEqual({ runtime: 'connected', herdr: 'live' });
    expect(workspaces.map(({ id }) => id)).toContain(shell.workspace_id);
  });

  it('comes back by itself when the runtime was replaced, and when it was stopped', async () => {
    await product.restartRuntime();
    await until('connected again', async () => (await product.state()).runtime === 'connected');
    await product.stopWorker();
    await until('connected after a stop', async () => (await product.state()).runtime === 'connected');
  });
});
