import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../local/spawn/index.ts';
import { DIST } from '../../scripts/build/index.ts';
import { connectV2, type McpParty, signIn } from '../../scripts/demo/index.ts';
import type { Product } from '../../scripts/start/index.ts';
import { allGone, type Place, place, signInHere, startHere } from './product.ts';

let at: Place;
let product: Product;
let party: McpParty;
let workspace: string;
beforeAll(async () => {
  at = place();
  writeFileSync(join(at.repository, 'big.txt'), 'a line of text\n'.repeat(3_500_000));
  writeFileSync(join(at.repository, 'binary'), Buffer.from([0, 1, 2, 3, 0, 255, 254]));
  symlinkSync('/etc/hostname', join(at.repository, 'out'));
  mkdirSync(join(at.repository, 'folder'));
  product = await startHere(at);
  party = await signInHere(at, product, connectV2);
  workspace = product.workspace.id;
});
afterAll(async () => {
  await party?.close();
  await product?.stop();
  await allGone(at.stateDir);
  at.remove();
});

async function answered(name: string, args: Record<string, unknown>): Promise<Record<string, unknown>> {
  return JSON.parse((await party.call(name, args)).text) as Record<string, unknown>;
}

describe('bad input gets its own named error with what to do next', () => {
  const path = (name: string) => join(at.repository, name);

  it.each<[string, () => [string, Record<string, unknown>], string]>([
    ['wrong arguments', () => ['herdr_fs_read', { path: 5 }], 'invalid_params'],
    ['a path outside the roots', () => ['herdr_fs_read', { path: '/etc/passwd' }], 'outside_managed_roots'],
    ['a symlink out of a root', () => ['herdr_fs_read', { path: path('out') }], 'symlink_escape'],
    [
      'dots out of a root',
      () => ['herdr_fs_read', { path: `${at.repository}/../../../../etc/passwd` }],
      'outside_managed_roots',
    ],
    ['.env', () => ['herdr_fs_read', { path: path('.env') }], 'secret_path_denied'],
    ['a file that is not there', () => ['herdr_fs_read', { path: path('nothing') }], 'not_found'],
    ['a folder', () => ['herdr_fs_read', { path: path('folder') }], 'not_a_file'],
    ['a binary file', () => ['herdr_fs_read', { path: path('binary') }], 'binary_file'],
    ['an agent that does not exist', () => ['herdr_prompt', { target: 'nobody', text: 'hello' }], 'agent_not_found'],
    [
      'a workspace that does not exist',
      () => ['herdr_exec', { workspace: 'nowhere', command: 'true' }],
      'workspace_not_found',
    ],
    ['a method that does not exist', () => ['herdr_call', { method: 'no.such' }], 'unknown_method'],
    ['a device that does not exist', () => ['herdr_inspect', { device: 'nobody' }], 'device_not_found'],
  ])('%s', async (_, call, code) => {
    const body = await answered(...call());
    expect(body).toMatchObject({
      ok: false,
      code,
      next: expect.stringMatching(/\w/),
      message: expect.stringMatching(/\w/),
    });
    expect(JSON.stringify(body)).not.toMatch(/\n\s+at |node_modules/);
  });

  it('a file of 50 MB is given in pages, each within its budget, with the line to go on from', async () => {
    const body = await answered('herdr_fs_read', { path: path('big.txt') });
    expect(body).toMatchObject({ ok: true, truncated: true, bytes: 52_500_000 });
    expect(String(body['content']).length).toBeLessThanOrEqual(16_384);
    const next = await answered('herdr_fs_read', { path: path('big.txt'), start_line: 3_499_999 });
    expect(next).toMatchObject({ ok: true, lines: { start: 3_499_999, end: 3_500_000 }, next_start_line: null });
  });

  it('an unknown tool is refused by name', async () => {
    const { text, isError } = await party.call('herdr_nonsense', {});
    expect(isError).toBe(true);
    expect(JSON.parse(text)).toMatchObject({
      code: 'unknown_tool',
      message: expect.stringContaining('herdr_nonsense'),
    });
  });

  it('a command that never ends goes on, and is followed and stopped by its session', async () => {
    const started = await answered('herdr_exec', { workspace, command: 'echo begun; sleep 1000', timeout_ms: 500 });
    expect(started).toMatchObject({ execution: { started: true, completed: false }, effective_timeout_ms: 500 });
    const session_id = String(started['session_id']);
    expect(await answered('herdr_exec_read', { session_id })).toMatchObject({ ok: true, running: true });
    expect(await answered('herdr_exec_kill', { session_id })).toMatchObject({ ok: true });
  });

  it('a command that prints 10 MB is paged, and says how to go on', async () => {
    const body = await answered('herdr_exec', { workspace, command: 'head -c 10000000 /dev/zero | tr "\\0" x' });
    expect(body).toMatchObject({ ok: true, exit_code: 0, truncated: true });
    expect(JSON.stringify(body).length).toBeLessThan(150_000);
    const page = await answered('herdr_exec_read', {
      session_id: body['session_id'],
      offset: 9_999_990,
      stream: 'stdout',
    });
    expect(JSON.stringify(page)).toContain('xxxxxxxxxx');
  });
});

describe('signing in wrongly', () => {
  const redirect = 'http://127.0.0.1/callback';
  const post = (url: string, body: URLSearchParams | string, type: string) =>
    fetch(url, { method: 'POST', body, headers: { 'content-type': type } });

  async function opened(): Promise<{ clientId: string; verifier: string; url: URL }> {
    const origin = new URL(product.mcpUrl).origin;
    const registered = await post(
      `${origin}/register`,
      JSON.stringify({ client_name: 'x', redirect_uris: [redirect], token_endpoint_auth_method: 'none' }),
      'application/json',
    );
    const { client_id } = (await registered.json()) as { client_id: string };
    const verifier = randomBytes(32).toString('base64url');
    const url = new URL(`${origin}/authorize`);
    url.search = new URLSearchParams({
      response_type: 'code',
      client_id,
      redirect_uri: redirect,
      state: 's',
      scope: 'mcp',
      resource: product.mcpUrl,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    }).toString();
    return { clientId: client_id, verifier, url };
  }

  const command = (args: string[], input: string) =>
    run(process.execPath, [join(DIST, 'herdr-mcp.js'), 'connector', 'approve', ...args], {
      input,
      env: { ...process.env, HERDR_MCP_STATE_DIR: at.stateDir, HERDR_MCP_SECRETS: 'file' },
    });

  it('five wrong codes lock the request, and the right one is then refused too', async () => {
    const { url } = await opened();
    await expect(
      signIn(url, 's', async ({ requestId, code }) => {
        const wrong = code === '000000' ? '111111' : '000000';
        for (let n = 0; n < 5; n += 1) {
          const tried = await command(['--request', requestId, '--code-stdin'], wrong);
          expect(tried.code).toBe(1);
        }
        const late = await command(['--request', requestId, '--code-stdin'], code);
        expect(late.code).toBe(1);
        expect(late.stderr.toString()).toContain('locked');
      }),
    ).rejects.toThrow(/ended: locked/);
  });

  it('a code with a foreign verifier gives nothing', async () => {
    const { clientId, url } = await opened();
    const query = await signIn(url, 's', async ({ requestId, code }) => {
      expect((await command(['--request', requestId, '--code-stdin'], code)).code).toBe(0);
    });
    const form = new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: clientId,
      redirect_uri: redirect,
      code: query.get('code') ?? '',
      code_verifier: randomBytes(32).toString('base64url'),
    });
    const answer = await post(`${url.origin}/token`, form, 'application/x-www-form-urlencoded');
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: 'invalid_grant' });
  });

  it('a token that nobody issued is refused with the challenge', async () => {
    const answer = await fetch(product.mcpUrl, {
      method: 'POST',
      headers: { authorization: 'Bearer nobody:knows:this', 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toContain('resource_metadata="http');
  });
});
