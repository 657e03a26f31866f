/** The command itself: its help, its configuration, its checks, and a machine that is not paired. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { VERSION } from '../../local/version/index.ts';
import { COMMAND, DEVICE, type FakeEdge, fakeEdge } from './fake-edge.ts';
import { listed, request } from './sign-ins.ts';

let edge: FakeEdge;
afterEach(() => edge.close());

describe('herdr-mcp', () => {
  it('says how to pair a machine that is not', async () => {
    edge = await fakeEdge({ paired: false });
    expect(await edge.cli(['connector', 'list'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('worker connect'),
    });
    expect(await edge.cli(['status'])).toMatchObject({ code: 0, out: expect.stringContaining('not paired') });
  });

  it('says that the edge cannot be reached, without a stack', async () => {
    edge = await fakeEdge();
    await edge.stopServing();
    const { code, err } = await edge.cli(['connector', 'list']);
    expect(code).toBe(1);
    expect(err).toContain(`The edge at ${edge.origin} cannot be reached`);
    expect(err).toContain('npm start'); // an edge on this machine is a clone's own: no network and no proxy is to blame
    expect(err).not.toMatch(/\n\s+at /);
  });

  it.each([
    [[], 2, /No command/],
    [['nonsense'], 2, /Unknown command/],
    [['connector', 'nonsense'], 2, /Unknown command/],
    [['worker', 'rename', 'dev_x'], 2, /Missing required/],
    [['status', '--jsno'], 2, /no option --jsno/],
  ])('%j ends with %d', async (args, expected, sentence) => {
    edge = await fakeEdge({ paired: false });
    const { code, err, out } = await edge.cli(args as string[]);
    expect({ code, out }).toEqual({ code: expected, out: '' });
    expect(err).toMatch(sentence);
    expect(err).not.toMatch(/\n\s+at /);
  });

  it('tells its version and its help', async () => {
    edge = await fakeEdge({ paired: false });
    for (const args of [['version'], ['--version']]) {
      expect(await edge.cli(args)).toMatchObject({ code: 0, out: `${VERSION}\n` });
    }
    expect(await edge.cli(['connector', 'approve', '--help'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('--code-stdin'),
    });
  });

  it('documents its exit codes', async () => {
    edge = await fakeEdge({ paired: false });
    expect(await edge.cli(['--help'])).toMatchObject({ code: 0, out: expect.stringContaining('130 interrupted') });
  });

  it('shows its configuration, and names what is wrong with it', async () => {
    edge = await fakeEdge();
    const file = join(edge.stateDir, 'config.json');
    expect(await edge.cli(['config', 'path'])).toMatchObject({ code: 0, out: `${file}\n` });
    expect(await edge.cli(['config', 'show'])).toMatchObject({ code: 0, out: '{}\n' });
    writeFileSync(file, '{"nonsense":1}', { mode: 0o600 });
    expect(await edge.cli(['config', 'show'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('unknown key "nonsense"'),
    });
  });

  it('checks each thing by itself, and ends with 2 when one is not well', async () => {
    edge = await fakeEdge();
    edge.answers['GET /devices'] = {
      body: { ok: true, devices: [], self: DEVICE, observed_at_ms: Date.now() - 90_000 },
    };
    const { code, out } = await edge.cli(['doctor', '--json']);
    expect(code).toBe(2);
    const { findings } = JSON.parse(out) as {
      findings: { name: string; state: string; fact: string; next?: string }[];
    };
    const state = Object.fromEntries(findings.map((finding) => [finding.name, finding.state]));
    expect(state).toMatchObject({
      node: 'ok',
      git: 'ok',
      pairing: 'ok',
      edge: 'ok',
      runtime: 'failed',
      link: 'failed',
    });
    expect(findings.find(({ name }) => name === 'clock')).toMatchObject({ state: 'failed' });
    const ahead = /(\d+) s ahead/.exec(findings.find(({ name }) => name === 'clock')?.fact ?? '')?.[1];
    expect(Number(ahead)).toBeGreaterThanOrEqual(90); // and however long it took until the command asked
    expect(findings.filter(({ state: one }) => one === 'failed').every(({ next }) => next)).toBe(true);
  });

  it('takes a reader that goes away for success', async () => {
    edge = await fakeEdge();
    const requests = Array.from({ length: 5_000 }, (_, n) => request(n));
    edge.answers['GET /connectors'] = listed(...requests.slice(0, 500));
    const command = `"${process.execPath}" "${COMMAND}" connector list; echo "code $?" >&2`;
    const shell = spawn('bash', ['-c', `{ ${command}; } | head -c 10`], {
      env: { PATH: process.env['PATH'], HERDR_MCP_STATE_DIR: edge.stateDir, HERDR_MCP_SECRETS: 'file' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let err = '';
    shell.stderr.setEncoding('utf8').on('data', (text: string) => {
      err += text;
    });
    await once(shell, 'close');
    expect(err).toBe('code 0\n');
  });
});
