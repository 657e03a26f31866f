/** What read-only mode is about (docs/decisions/0007): the workstation, not what herdr-mcp remembers for itself. */
import { expect, it } from 'vitest';
import { fakeHerdr, testRuntime } from './support/index.ts';

it('lets work memory be written on a read-only workstation, but not by a connector that may only read', async () => {
  const herdr = await fakeHerdr();
  const rt = await testRuntime({ herdrSocket: herdr.path, env: { HERDR_MCP_READONLY: '1' } });
  const place = { project_ref: 'herdr', repo_id: 'github.com/o/r', work_chain_id: 'lane-1' };
  const params = JSON.stringify({ ...place, provider: 'chatgpt', session_ref: 'br_1' });
  const args = { method: 'work_memory.bind', params };
  expect((await rt.call('herdr_call', args)).json).toMatchObject({ ok: true });
  const reader = { kind: 'connector', id: 'conn_ro', label: 'x', read_only: true } as const;
  expect((await rt.call('herdr_call', args, { principal: reader })).json).toMatchObject({
    code: 'connector_read_only',
  });
  await rt.end();
  await herdr.stop();
});
