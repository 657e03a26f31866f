import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../local/spawn/index.ts';
import { DIST } from '../../scripts/build/index.ts';
import {
  connectV2,
  converse,
  DISPATCHED,
  LEFT,
  leaveWork,
  PROMPT,
  recordedSteps,
  type Step,
  takeUpWork,
} from '../../scripts/demo/index.ts';
import type { Product } from '../../scripts/start/index.ts';
import { verifies } from '../verifies.ts';
import { connectV1 } from './client-v1.ts';
import { allGone, type Place, place, signInHere, startHere } from './product.ts';
import { findSecrets, type Overheard, overhear } from './secrets.ts';

let at: Place;
let product: Product;
let heard: Overheard;
beforeAll(async () => {
  heard = overhear();
  at = place();
  product = await startHere(at);
});
afterAll(async () => {
  await heard?.stop();
  await product?.stop();
  await allGone(at.stateDir);
  at.remove();
});

/** What the recording on the first page shows. */
const RECORDED = recordedSteps(
  readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'images', 'demo.svg'), 'utf8'),
);
const named = (steps: Step[]) => steps.map(({ name, args }) => (args['method'] ? `${name} ${args['method']}` : name));
const of = (steps: Step[], name: string) => steps.filter((step) => step.name === name);

/** Everything that the conversation must have shown, whichever client talked. */
function assertConversation(steps: Step[]): void {
  const [listed] = of(steps, 'tools/list');
  expect(listed?.body['tools']).toHaveLength(19);

  const [inspected] = of(steps, 'herdr_inspect');
  expect(inspected?.body).toMatchObject({
    ok: true,
    herdr: { embedded: true },
    workspaces: [{ label: 'project', projects: [{ root: at.repository, managed: true, vcs: 'git' }] }],
  });

  const read = of(steps, 'herdr_fs_read').at(-1);
  expect(read?.body).toMatchObject({ ok: true, content: readFileSync(join(at.repository, 'README.md'), 'utf8') });

  const [found] = of(steps, 'herdr_fs_grep');
  expect(found?.body).toMatchObject({
    ok: true,
    matches: expect.arrayContaining([expect.objectContaining({ file: 'README.md', line: 3 })]),
  });

  const [git] = of(steps, 'herdr_git');
  expect(git?.body).toMatchObject({ ok: true, branch: { name: 'main' } });

  const [ran] = of(steps, 'herdr_exec');
  expect(ran?.body).toMatchObject({ ok: true, exit_code: 0 });

  const [prompted] = of(steps, 'herdr_prompt');
  expect(prompted?.body).toMatchObject({ ok: true, submitted: true, turn_start: 'seen', wait: { reached: true } });

  // Dispatched, gone, come back: the result was there, with what was seen, and left the inbox when it was acknowledged.
  const methods = of(steps, 'herdr_call').map(({ body }) => body);
  const [sent, inbox, ack] = ['dispatch', 'inbox', 'ack'].map((name) =>
    methods.find(({ method }) => method === `herdr_mcp.agent.task.${name}`),
  );
  const task_id = sent?.['task_id'];
  expect(sent).toMatchObject({ submitted: true, dispatch_id: task_id, turn_id: expect.stringMatching(/^turn:agent:/) });
  const task = ((inbox?.['tasks'] ?? []) as Record<string, unknown>[]).find((one) => one['task_id'] === task_id);
  expect(task).toMatchObject({ lifecycle: 'completed', activity_observed: true, exact_native_turn: false });
  expect(JSON.stringify(task?.['evidence'])).toContain(`I read ${DISPATCHED.length} characters`);
  expect(ack).toMatchObject({ ok: true, already: false });

  const screens = of(steps, 'herdr_call').map(({ body }) => JSON.stringify(body['result']));
  expect(screens.some((text) => text.includes(`Scripted answer 1: I read ${PROMPT.length} characters`))).toBe(true);
  expect(screens.some((text) => text.includes('no model, only a script'))).toBe(true);
  expect(steps.every(({ isError }) => !isError)).toBe(true);
}

describe('a conversation from sign-in to an agent’s answer', () => {
  it('works with the v2 client in the newest era, and brings the demo agent where the project has none', async () => {
    verifies('main.demo', 'tasks.inbox');
    const party = await signInHere(at, product, connectV2);
    try {
      expect(party.protocol).toBe('2026-07-28');
      assertConversation(await converse(party, { say: () => undefined }));
    } finally {
      await party.close();
    }
  });

  it('works with the v1 client in the 2025 era, with the demo agent of the project', async () => {
    verifies('main.demo-v1-client', 'edge.one-block');
    mkdirSync(join(at.repository, 'scripts', 'demo-agent'), { recursive: true });
    const source = join(import.meta.dirname, '..', '..', 'scripts', 'demo-agent', 'pi');
    copyFileSync(source, join(at.repository, 'scripts', 'demo-agent', 'pi'));
    const party = await signInHere(at, product, connectV1);
    try {
      expect(party.protocol).toBe('2025-11-25');
      // Behind a host that passes on the first block of text and drops the rest, `_meta` too, nothing is missing.
      const steps = await converse(party, { say: () => undefined });
      assertConversation(steps);
      expect(RECORDED.slice(0, steps.length)).toEqual(named(steps));
    } finally {
      await party.close();
    }
  });

  it('goes on in a second conversation of another client, which knows the handoff’s message alone', async () => {
    verifies('main.demo-two-conversations', 'continuity.resolve', 'memory.checkpoints');
    const say = () => undefined;
    const first = await signInHere(at, product, connectV2);
    const left = await leaveWork(first, { say }).finally(() => first.close());
    const puts = left.steps.filter(({ args }) => args['method'] === 'work_memory.checkpoint.put');
    expect(puts.map(({ body }) => [body['checkpoint_revision'], body['idempotent_replay'] ?? false])).toEqual([
      [1, false],
      [1, true],
    ]);

    const second = await signInHere(at, product, connectV1);
    const taken = await takeUpWork(second, left.message, say).finally(() => second.close());
    const rest = named([...left.steps, ...taken]);
    expect(RECORDED.slice(-rest.length)).toEqual(rest);
    const [resumed] = taken;
    expect(resumed?.args).toMatchObject({ device: product.device.device_id, method: 'continuity.resume' });
    expect(resumed?.body).toMatchObject({
      ok: true,
      continuity_id: left.continuityId,
      device_id: product.device.device_id,
      history: true,
      checkpoint: { checkpoint_revision: 1, verified: true, summary: LEFT.summary },
      work_state: {
        current: false,
        goal: { source: 'checkpoint', values: [LEFT.goal] },
        finished: { source: 'checkpoint', values: [LEFT.finished] },
        next_step: { source: 'tail', values: ['run its tests'] },
        constraints: { source: 'missing' },
      },
      turns: [
        { role: 'user', text: LEFT.said },
        { role: 'assistant', text: LEFT.answered },
      ],
    });
  });

  it('leaves no secret in a log, a file that is not meant for it, an argument, an environment, an address or an answer', async () => {
    verifies('local.log', 'e2e.secrets');
    const said = await theRest();
    await heard.stop();
    for (const name of ['runtime-token', 'keys/device-key', 'keys/edge-code-secret']) {
      heard.secrets.set(name, readFileSync(join(at.stateDir, name), 'utf8').trim());
    }
    heard.secrets.set('config.json', PROVIDER_KEY);
    const kinds = new Set([...heard.secrets.keys()].map((name) => name.replace(/ \d+$/, '')));
    for (const kind of ['bearer', 'code', 'code_verifier', 'access_token', 'refresh_token', 'page token']) {
      expect(kinds).toContain(kind);
    }
    expect(heard.digits.size).toBeGreaterThan(3);
    // The page that shows the digits also tells them to its reader; what a person typed stands nowhere else.
    expect(findSecrets(heard, at.stateDir, { 'what was printed': said }, (secret, file) => secret === file)).toEqual(
      [],
    );
    for (const name of readdirSync(join(at.stateDir, 'logs'))) {
      const text = readFileSync(join(at.stateDir, 'logs', name), 'utf8');
      expect(text).not.toMatch(/Bearer (?!\[redacted\])\S{8}/);
      expect(text).not.toMatch(/eyJ[\w-]{8,}\.[\w-]{8,}\./);
    }
  });
});

const PROVIDER_KEY = 'sk-of-a-provider-that-nobody-runs';

/** What the conversations have left out: a pairing, a provider with a key, its status over MCP, refusals. Gives what was printed. */
async function theRest(): Promise<string> {
  const env = { ...process.env, HERDR_MCP_STATE_DIR: at.stateDir, HERDR_MCP_SECRETS: 'file' };
  const command = async (args: string[], input = '') => {
    const { stdout, stderr } = await run(process.execPath, [join(DIST, 'herdr-mcp.js'), ...args], { env, input });
    return `${stdout}${stderr}`;
  };
  const pairing = JSON.parse(await command(['worker', 'pair', '--json'])) as { code: string };
  heard.digits.add(pairing.code);
  const provider = ['--protocol', 'decision', '--url', 'http://127.0.0.1:9/v1', '--model', 'none'];
  const printed = [
    await command(['semantic', 'setup', '--name', 'nobody', ...provider, '--key-stdin'], `${PROVIDER_KEY}\n`),
    await command(['semantic', 'status', '--json']),
    await command(['semantic', 'decide', 'Is it done?', '--state', 'no']),
    await command(['config', 'show']),
    await command(['connector', 'approve', '--request', 'no-such-request', '--code-stdin'], '000000\n'),
    await command(['doctor']),
    await command(['audit']),
  ];
  const party = await signInHere(at, product, connectV2);
  const call = (method: string) => party.call('herdr_call', { method, params: '{}' });
  printed.push((await call('herdr_mcp.semantic.status')).text, (await call('no.such.method')).text);
  await party.close();
  for (const token of ['no-token-of-ours', `conn_${'0'.repeat(32)}:none:none`]) {
    await fetch(product.mcpUrl, { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: '{}' });
  }
  return printed.join('\n');
}
