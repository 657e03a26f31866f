/**
 * The edge and the runtime are released apart: the real Worker in workerd and the real link, with a runtime that speaks
 * an earlier contract, and with one of today behind an edge that serves the earlier public one. Outside the window both
 * ends say so in words.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { type FrozenContract, RUNTIME_EPOCHS } from '../../contract/epochs/index.ts';
import type { RuntimeFacts } from '../../contract/link/index.ts';
import { pairFirst, readLinkStatus } from '../../link/index.ts';
import { type RunningLink, startLink } from '../../link/run.ts';
import { ensurePrivateDir } from '../../local/files/index.ts';
import { createLog } from '../../local/log/index.ts';
import { build } from '../../scripts/build/index.ts';
import { approveHere } from '../../scripts/demo/index.ts';
import { type LocalEdge, startEdge } from '../../scripts/start/edge.ts';
import { anyFreePort } from '../../scripts/start/ports.ts';
import { callOf, headers } from '../bench/full-path.ts';
import { post } from '../bench/post.ts';
import { FakeRuntime } from '../link/support/fake-runtime.ts';
import { earnToken } from '../support/access-token.ts';
import { verifies } from '../verifies.ts';
import { type Place, place } from './product.ts';

/** A runtime of another release. */
class OfRelease extends FakeRuntime {
  contract: Pick<FrozenContract, 'epoch' | 'hash'> = RUNTIME_EPOCHS[5];

  override get facts(): RuntimeFacts {
    const { epoch, hash } = this.contract;
    return { ...super.facts, contract_epoch: epoch, contract_hash: hash };
  }
}

let at: Place;
let edge: LocalEdge | undefined;
let link: RunningLink | undefined;
let runtime: OfRelease | undefined;
afterEach(async () => {
  await link?.stop();
  await link?.ended;
  await runtime?.close();
  await edge?.workerd.close();
  at.remove();
});

interface Setting {
  call(tool: string, args: Record<string, unknown>): Promise<Record<string, unknown>>;
  listed(): Promise<number>;
  runtime: OfRelease;
}

/** Edge, link and runtime, connected or refused. */
async function setUp(contract: OfRelease['contract'], variables: Record<string, string> = {}): Promise<Setting> {
  await build();
  at = place();
  ensurePrivateDir(at.stateDir);
  edge = await startEdge({ stateDir: at.stateDir, port: await anyFreePort(), variables });
  process.env['HERDR_MCP_SECRETS'] = 'file';
  await pairFirst(edge.origin, edge.operatorSecret, { stateDir: at.stateDir });
  const other = new OfRelease();
  other.contract = contract;
  runtime = (await other.listen()) as OfRelease;
  runtime.announce(at.stateDir);
  link = await startLink({
    ...{ stateDir: at.stateDir, environment: {}, changed: () => undefined, random: () => 0.05 },
    log: createLog({ name: 'link-test', level: 'silent' }),
  });
  const mcpUrl = `${edge.origin}/mcp`;
  const approve = approveHere(at.stateDir, () => undefined);
  const token = (await earnToken(mcpUrl, approve)).accessToken;
  const send = async (body: object) => JSON.parse(String(await post(mcpUrl, JSON.stringify(body), headers(token))));
  return {
    runtime,
    async call(tool, args) {
      const { result } = (await send(callOf(tool, args))) as { result: { content: { text: string }[] } };
      return JSON.parse(result.content[0]?.text ?? '') as Record<string, unknown>;
    },
    async listed() {
      const { result } = (await send({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })) as {
        result: { tools: [] };
      };
      return result.tools.length;
    },
  };
}

async function linkState(state: string): Promise<string> {
  for (;;) {
    const { status } = await readLinkStatus(at.stateDir);
    if (status?.state === state) return status.why;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe('edge and runtime are separate release planes', () => {
  it.each([4, 2] as const)('a new edge serves a workstation whose runtime speaks contract %i', async (epoch) => {
    verifies('edge.epoch-arguments', 'ab.generations', 'edge.release-planes');
    const { call, listed, runtime: ran } = await setUp(RUNTIME_EPOCHS[epoch]);
    await linkState('connected');
    expect(await listed()).toBe(19);
    expect(await call('herdr_inspect', {})).toMatchObject({ ok: true });
    expect(await call('herdr_exec', { workspace: 'w', command: 'true' })).toMatchObject({ ok: true });
    // A guard that this runtime does not know is never dropped in silence.
    const guarded = { workspace: 'w', command: 'true', idempotency_key: 'a-key-of-a-call' };
    const before = ran.ran.length;
    expect(await call('herdr_exec', guarded)).toMatchObject({
      code: 'argument_not_in_contract',
      delivery: 'not_delivered',
    });
    expect(ran.ran).toHaveLength(before);
  });

  it('an edge that serves the public contract before this one works with a runtime of today', async () => {
    verifies('edge.stages', 'ab.generations', 'edge.release-planes');
    const { call } = await setUp(RUNTIME_EPOCHS[5], { STAGE: 'baseline', PUBLIC_EPOCH: '3' });
    await linkState('connected');
    expect(await call('herdr_inspect', {})).toMatchObject({ ok: true });
    expect(await call('herdr_exec', { workspace: 'w', command: 'true' })).toMatchObject({ ok: true });
  });

  it('outside the window both ends say so, and a promotion to one inside it needs nothing else', async () => {
    verifies('ab.generations', 'edge.release-planes');
    const { call, runtime: ran } = await setUp({ epoch: 6, hash: `sha256:${'0'.repeat(64)}` });
    expect(await linkState('awaiting_promotion')).toMatch(/contract/);
    const refused = await call('herdr_inspect', {});
    expect(refused).toMatchObject({ ok: false, delivery: 'not_delivered' });
    expect(ran.ran).toHaveLength(0);
    ran.contract = RUNTIME_EPOCHS[5];
    ran.bootId = 'boot_of_the_next_release';
    ran.announce(at.stateDir, true, 2);
    await linkState('connected');
    expect(await call('herdr_inspect', {})).toMatchObject({ ok: true });
  });
});
