import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pairFirst } from '../../link/identity/index.ts';
import { ensurePrivateDir } from '../../local/files/index.ts';
import { build } from '../../scripts/build/index.ts';
import { connectV2 } from '../../scripts/demo/index.ts';
import { type LocalEdge, startEdge } from '../../scripts/start/edge.ts';
import { anyFreePort } from '../../scripts/start/ports.ts';
import { verifies } from '../verifies.ts';
import { type Place, place, signInHere } from './product.ts';

let at: Place;
let edge: LocalEdge;
beforeAll(async () => {
  await build();
  at = place();
  ensurePrivateDir(at.stateDir);
  edge = await startEdge({ stateDir: at.stateDir, port: await anyFreePort() });
  await pairFirst(edge.origin, edge.operatorSecret, { stateDir: at.stateDir });
});
afterAll(async () => {
  await edge?.workerd.close();
  at.remove();
});

describe('while the workstation is away', () => {
  it('sign-in and tools/list work, and a call says that it was not delivered and what to do', async () => {
    verifies('main.offline-list');
    const party = await signInHere(at, { mcpUrl: `${edge.origin}/mcp` }, connectV2);
    try {
      expect(await party.listTools()).toHaveLength(19);
      const read = await party.call('herdr_inspect', {});
      expect(read.isError).toBe(true);
      expect(JSON.parse(read.text)).toMatchObject({
        ok: false,
        code: 'workstation_offline',
        delivery: 'not_delivered',
        retryable: true,
        next: expect.stringMatching(/\w/),
      });
      const write = await party.call('herdr_exec', { workspace: 'w1', command: 'true' });
      expect(JSON.parse(write.text)).toMatchObject({ ok: false, delivery: 'not_delivered', retryable: true });
    } finally {
      await party.close();
    }
  });
});
