/** A promotion as its user does it: the real command on the whole running product, while calls come in from outside. */
import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeDesired, readPointer } from '../../runtime-a-b/generations/index.ts';
import { DIST } from '../../scripts/build/index.ts';
import { approveHere } from '../../scripts/demo/index.ts';
import type { Product } from '../../scripts/start/index.ts';
import { callOf, headers } from '../bench/full-path.ts';
import { post } from '../bench/post.ts';
import { earnToken } from '../support/access-token.ts';
import { otherBuild } from '../support/other-build.ts';
import { steadyLoad } from '../support/steady-load.ts';
import { verifies } from '../verifies.ts';
import { allGone, type Place, place, startHere } from './product.ts';

let at: Place;
let product: Product;
let token: string;
beforeAll(async () => {
  at = place();
  product = await startHere(at);
  await changeDesired(at.stateDir, (now) => ({ ...now, observation: { checks: 3, interval_ms: 200 } }));
  const approve = approveHere(at.stateDir, () => undefined);
  token = (await earnToken(product.mcpUrl, approve)).accessToken;
});
afterAll(async () => {
  await product?.stop();
  await allGone(at.stateDir);
  at.remove();
});

/** Runs `herdr-mcp` and gives its answer in JSON; one that fails rejects with what it said. */
async function command(...args: string[]): Promise<Record<string, unknown>> {
  const env = { ...process.env, HERDR_MCP_STATE_DIR: at.stateDir, HERDR_MCP_SECRETS: 'file' };
  const { stdout } = await promisify(execFile)(process.execPath, [join(DIST, 'herdr-mcp.js'), ...args, '--json'], {
    env,
  });
  return JSON.parse(stdout) as Record<string, unknown>;
}

const send = async (tool: string, args: Record<string, unknown>): Promise<string> =>
  (await post(product.mcpUrl, JSON.stringify(callOf(tool, args)), headers(token))).toString('utf8');
/** The tool's own JSON. */
async function call(tool: string, args: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { result } = JSON.parse(await send(tool, args)) as { result: { content: { text: string }[] } };
  return JSON.parse(result.content[0]?.text ?? '') as Record<string, unknown>;
}
const ready = async () => {
  for (;;) {
    const status = await command('runtime', 'status');
    if (status['ready'] === true) return status;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};

describe('a promotion of the running product', () => {
  it('loses and doubles no call, keeps what the one before started, and goes back', async () => {
    verifies('ab.promotion', 'ab.generations');
    await ready();
    const workspace = product.workspace.label;
    const started = await call('herdr_exec_start', { root: at.repository, command: 'echo begun; sleep 600' });
    const staged = await command('runtime', 'stage', otherBuild(dirname(at.stateDir), 'other'));
    expect(staged).toMatchObject({ state: 'ready' });
    const load = steadyLoad({
      ...{ send, repository: at.repository, workspace, reads: 'README.md' },
      ...{ perSecond: 20, writeEvery: 4 },
    });
    const slow = call('herdr_exec', { workspace, command: 'sleep 2; echo slept' });

    expect(await command('runtime', 'promote')).toMatchObject({ revision: staged['revision'], outcome: 'promoted' });
    expect(await readPointer(at.stateDir)).toMatchObject({ generation: 'b' });
    expect(await slow).toMatchObject({ ok: true, exit_code: 0 });
    expect(await call('herdr_exec_read', { session_id: started['session_id'] })).toMatchObject({
      running: true,
      text: 'begun\n',
    });
    const status = await ready(); // installed, running, active, leased and reported by the edge agree
    expect(status['observed']).toMatchObject({ active: { revision: staged['revision'], generation: 'b' } });
    expect(status['observed']).toMatchObject({ draining: { generation: 'a' } }); // its command still runs

    expect(await command('runtime', 'rollback')).toMatchObject({ outcome: 'promoted' });
    expect(await readPointer(at.stateDir)).toMatchObject({ generation: 'a' });
    await ready();
    const { failed, lies, calls } = await load.end();
    expect({ failed, lies }).toEqual({ failed: [], lies: [] });
    expect(calls).toBeGreaterThan(20);
    expect(await call('herdr_exec_kill', { session_id: started['session_id'] })).toMatchObject({ ok: true });
  });

  it('refuses calls at once while it is paused, and takes them again', async () => {
    verifies('ab.pause');
    // The generation that the rollback left may still be there to drain.
    const { generations } = await command('pause');
    expect(generations).toContainEqual(expect.objectContaining({ answers: true }));
    expect(await call('herdr_inspect', {})).toMatchObject({ code: 'paused', delivery: 'not_delivered' });
    await promisify(execFile)(process.execPath, [join(DIST, 'herdr-mcp.js'), 'resume'], {
      env: { ...process.env, HERDR_MCP_STATE_DIR: at.stateDir },
    });
    expect(await call('herdr_inspect', {})).toMatchObject({ ok: true });
  });
});
