import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { herdrMcp } from '../../../cli/commands.ts';
import { runCli } from '../../../cli/run.ts';
import { addressTrouble, withoutRoute, withRoute } from '../../../cli/semantic/routes.ts';
import { answers, Providers, says, silent } from '../../runtime-a-b/semantic/provider.ts';
import { type TestRuntime, tempFolder, testRuntime } from '../../runtime-a-b/support/index.ts';
import { verifies } from '../../verifies.ts';

const KEY = 'sk-test-0123456789abcdef';
const folder = tempFolder();
const providers = new Providers();
let rt: TestRuntime;

beforeAll(async () => {
  await providers.open();
  rt = await testRuntime({ stateDir: join(folder.path, 'state') });
});
afterAll(async () => {
  await rt.end();
  await providers.close();
  folder.remove();
});

interface Ran {
  code: number | null;
  out: string;
  err: string;
}

/** The command in this process, with `input` piped into it. */
async function cli(args: string[], input?: string, stateDir = rt.stateDir): Promise<Ran> {
  const stdin = vi.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from([input ?? '']) as never);
  let [out, err] = ['', ''];
  const stdout = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    out += String(chunk);
    return true;
  });
  const stderr = vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => {
    err += String(chunk);
    return true;
  });
  vi.stubEnv('HERDR_MCP_STATE_DIR', stateDir);
  try {
    const code = await runCli(herdrMcp, ['semantic', ...args]);
    return { code, out, err };
  } finally {
    vi.unstubAllEnvs();
    stdin.mockRestore();
    stdout.mockRestore();
    stderr.mockRestore();
  }
}

const setup = (name: string, protocol: string, ...more: string[]) =>
  cli(
    [
      'setup',
      '--name',
      name,
      '--protocol',
      protocol,
      '--url',
      `${providers.origin}/${name}`,
      '--model',
      'small-1',
      '--key-stdin',
      ...more,
    ],
    `${KEY}\n`,
  );

describe('herdr-mcp semantic', () => {
  it('without a provider says so, and that nothing depends on it', async () => {
    verifies('tasks.advice', 'tasks.semantic');
    // Keys that lie about in the environment set no provider up.
    for (const name of ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'AI_GATEWAY_API_KEY', 'HERDR_MCP_SEMANTIC_URL'])
      vi.stubEnv(name, `${providers.origin}/own`);
    expect(await cli(['status'])).toMatchObject({ code: 0, out: 'No provider: everything works without advice.\n' });
    const asked = await cli(['decide', 'Is it done?', '--state', 'done']);
    expect(asked).toMatchObject({ code: 1, out: '' });
    expect(asked.err).toContain('not_configured');
  });

  it('sets a provider up in a private file, asks it at once without a restart, and shows no key anywhere', async () => {
    verifies('tasks.advice', 'tasks.semantic');
    expect(await setup('judge', 'decision')).toMatchObject({ code: 0 });
    const file = join(rt.stateDir, 'config.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8')).toContain(KEY);
    providers.at(
      'judge',
      answers((id) => (id === 'q' ? 0.85 : 0)),
    );
    const decided = await cli(['decide', 'Is it done?', '--json'], 'The screen says done.');
    expect(JSON.parse(decided.out)).toMatchObject({ verdict: 'yes', answer: { noul: 0.85 }, provider: 'judge' });
    expect(providers.heard.at(-1)).toMatchObject({
      headers: { authorization: `Bearer ${KEY}` },
      body: { state: 'The screen says done.', questions: { q: { type: 'noul', question: 'Is it done?' } } },
    });
    providers.at('judge', answers(0.5));
    expect((await cli(['decide', 'Is it done?', '--state', 's'])).out).toBe('not sure (0.50)\n');
    providers.at(
      'judge',
      answers(() => 'later'),
    );
    const chosen = await cli(['choose', 'When?', '--choices', 'now=at once; later=after the tests', '--state', 's']);
    expect(chosen.out).toBe('later (0.90)\n');
    providers.at('judge', answers(1));
    expect((await cli(['score', 'How hard?', '--levels', 'easy; fair; hard', '--state', 's'])).out).toBe('1 (fair)\n');
    const shown = await cli(['status']);
    expect(shown.out).toMatch(/judge\s+this machine\s+decision\s+small-1\s+ready/);
    const json = await cli(['status', '--json']);
    for (const text of [shown, json, decided]) expect(JSON.stringify(text)).not.toContain(KEY);
  });

  it('keeps the order, puts a route first when asked, and removes one', async () => {
    expect(JSON.parse((await setup('second', 'decision', '--json')).out)).toEqual({
      ok: true,
      order: ['judge', 'second'],
    });
    expect(JSON.parse((await setup('second', 'decision', '--first', '--json')).out)).toEqual({
      ok: true,
      order: ['second', 'judge'],
    });
    expect(await cli(['remove', 'second'])).toMatchObject({ code: 0, out: 'Removed second.\n' });
    expect(await cli(['remove', 'second'])).toMatchObject({ code: 1 });
  });

  it.each([
    ['an unknown protocol', ['--name', 'x', '--protocol', 'other', '--url', 'https://m.example', '--model', 'm']],
    [
      'a plain address elsewhere',
      ['--name', 'x', '--protocol', 'decision', '--url', 'http://m.example', '--model', 'm'],
    ],
    [
      'an address with a key',
      ['--name', 'x', '--protocol', 'decision', '--url', 'https://m.example?key=1', '--model', 'm'],
    ],
    ['a key with spaces', ['--name', 'x', '--protocol', 'decision', '--url', 'https://m.example', '--model', 'm']],
  ])('refuses %s and saves nothing', async (what, args) => {
    const before = readFileSync(join(rt.stateDir, 'config.json'), 'utf8');
    expect(
      await cli(['setup', ...args, '--key-stdin'], what.startsWith('a key') ? 'two words\n' : undefined),
    ).toMatchObject({ code: 2 });
    expect(readFileSync(join(rt.stateDir, 'config.json'), 'utf8')).toBe(before);
  });

  it('shows what is configured also while no runtime runs', async () => {
    const alone = join(folder.path, 'alone');
    expect(await cli(['status'], undefined, alone)).toMatchObject({ code: 0, out: 'No route is configured here.\n' });
  });
});

describe('the extension’s questions', () => {
  const ask = async (path: string, body?: unknown) => {
    const { request } = await import('node:http');
    return new Promise<{ status: number; json: Record<string, unknown> }>((resolve, reject) => {
      const asked = request(
        {
          socketPath: join(rt.stateDir, 'extension.sock'),
          path: `/extension/semantic/${path}`,
          method: body === undefined ? 'GET' : 'POST',
        },
        (response) => {
          let text = '';
          response.on('data', (chunk) => (text += String(chunk)));
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, json: JSON.parse(text) as Record<string, unknown> }),
          );
        },
      );
      asked.on('error', reject);
      asked.end(body === undefined ? undefined : JSON.stringify(body));
    });
  };
  const question = { state: 's', questions: { a: { type: 'noul', question: 'Yes?' } } };

  it('are answered over the private socket only, within their own time, with a code and a way without', async () => {
    verifies('tasks.advice', 'tasks.semantic');
    expect((await rt.fetch('/extension/semantic/status')).status).toBe(403);
    providers.at('judge', answers(0.9));
    expect(await ask('status')).toMatchObject({
      status: 200,
      json: { evaluate_available: true, chat_available: false },
    });
    expect(await ask('evaluate', question)).toMatchObject({ json: { ok: true, answers: { a: { noul: 0.9 } } } });
    providers.at('judge', silent);
    expect(await ask('evaluate', { ...question, timeout_ms: 300 })).toMatchObject({
      status: 200,
      json: { ok: false, code: 'provider_timeout', reason: 'timeout', fallback: 'deterministic' },
    });
    providers.at('judge', says({}, 500));
    expect(await ask('evaluate', question)).toMatchObject({ json: { ok: false, code: 'http_500' } });
    expect(await ask('evaluate', question)).toMatchObject({ json: { ok: false, code: 'routes_cooling_down' } });
    const messages = [{ role: 'user', content: 'hi' }];
    expect(await ask('chat', { messages })).toMatchObject({ json: { ok: false, code: 'not_configured' } });
    expect(await ask('chat', { messages, model: 'x' })).toMatchObject({
      status: 400,
      json: { code: 'invalid_request' },
    });
    expect(await ask('evaluate', { state: 'x'.repeat(200_000), questions: {} })).toMatchObject({ status: 413 });
  });
});

it('routes in the configuration change as pure values', () => {
  const route = (name: string) => ({
    name,
    protocol: 'decision' as const,
    url: 'https://m.example',
    model: 'm',
    api_key: 'k',
  });
  const config = withRoute(withRoute({ log: { level: 'info' } }, route('a'), false), route('b'), false);
  expect(withRoute(config, { ...route('a'), model: 'new' }, false).semantic?.routes?.map(({ name }) => name)).toEqual([
    'a',
    'b',
  ]);
  const without = withoutRoute(config, 'a');
  expect(without && withoutRoute(without, 'b')).toEqual({ log: { level: 'info' } });
  expect(withoutRoute(config, 'c')).toBeUndefined();
  expect(addressTrouble('https://u:p@m.example')).toMatch(/name or password/);
});
