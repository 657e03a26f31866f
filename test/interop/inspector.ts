/**
 * The MCP Inspector's own command line on the road. It is 110 MB with its web interface, so it is no dependency: the run
 * installs one exact version, without its scripts, into a folder of its own, once.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { run } from '../../local/spawn/index.ts';
import { type SignInPage, signIn } from '../../scripts/demo/index.ts';
import { anyFreePort } from '../../scripts/start/ports.ts';
import { type Finished, goTheRoad, isRefused, revokeGrant, type Step } from './flow.ts';

const INSPECTOR = '@modelcontextprotocol/inspector@2.12.0';

/** Where the Inspector lies, installed there on first use. */
export async function installInspector(folder: string): Promise<string> {
  const launcher = join(folder, 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js');
  if (existsSync(launcher)) return launcher;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--save-exact', INSPECTOR];
  const installed = await run('npm', args, { cwd: folder, env: process.env });
  if (installed.code !== 0) throw new Error(`npm install ended with ${installed.code}: ${installed.stderr}`);
  return launcher;
}

export function roadOfInspector(
  url: URL,
  options: { launcher: string; home: string; approve: (page: SignInPage) => Promise<void> },
): Promise<Finished> {
  return goTheRoad('Inspector CLI', (note) => walk(url, options, note));
}

async function walk(
  url: URL,
  { launcher, home, approve }: { launcher: string; home: string; approve: (page: SignInPage) => Promise<void> },
  note: (step: Step, seen: string) => void,
): Promise<{ protocol: string }> {
  mkdirSync(home, { recursive: true });
  const visited = join(home, 'visited');
  const browser = join(home, 'browser.sh');
  writeFileSync(browser, `#!/bin/sh\nprintf %s "$1" > '${visited}.part' && mv '${visited}.part' '${visited}'\n`, {
    mode: 0o700,
  });
  const callback = `http://127.0.0.1:${await anyFreePort()}/oauth/callback`;
  const inspect = (args: string[]) =>
    run(
      process.execPath,
      [launcher, '--cli', url.href, '--transport', 'http', '--callback-url', callback, '--format', 'json', ...args],
      {
        cwd: home,
        env: {
          PATH: process.env['PATH'],
          HOME: home,
          BROWSER: browser,
          MCP_AUTO_OPEN_ENABLED: 'true',
          MCP_INSPECTOR_SECRET_STORE: 'file',
        },
      },
    );
  const first = inspect(['--method', 'tools/list']);
  const at = new URL(await appearing(visited, first));
  note('discover', 'it found its way to the sign-in by itself');
  if (!at.searchParams.get('client_id')) throw new Error('no client was registered');
  note('register', 'dynamic registration');
  const query = await signIn(at, at.searchParams.get('state') ?? '', approve);
  await fetch(`${callback}?${query}`);
  const listed = answerOf(await first);
  note('authorise', 'approved with the code from a paired workstation');
  const { tools } = listed as { tools?: unknown[] };
  if (!tools?.length) throw new Error('no tools were listed');
  note('list', `${tools.length} tools`);
  const call = ['--method', 'tools/call', '--tool-name', 'herdr_inspect', '--stored-auth-only'];
  const called = answerOf(await inspect(call)) as { isError?: boolean; content?: unknown[] };
  if (called.isError || !called.content?.length) throw new Error('herdr_inspect was answered with an error');
  note('call', 'herdr_inspect through the link');
  const before = kept(home);
  spoil(home, before.access_token);
  answerOf(await inspect(call));
  const renewed = kept(home);
  if (renewed.refresh_token === before.refresh_token) throw new Error('the Inspector did not refresh');
  note('refresh', 'a refused access token was renewed, the call went on');
  // Its own `--relogin` forgets the grant without a word to the edge, so the grant is ended as a host would end it.
  await revokeGrant(url.href, at.searchParams.get('client_id') ?? '', renewed.refresh_token);
  if (!(await isRefused(url.href, renewed.access_token))) throw new Error('a revoked grant still works');
  if ((await inspect(call)).code === 0) throw new Error('the Inspector was served with a revoked grant');
  note('revoke', 'its next call was refused, and it said that it has to sign in again');
  return { protocol: 'the era that it calls legacy' };
}

/** The address that the Inspector sent its browser to. */
async function appearing(file: string, first: Promise<{ code: number | null; stderr: Buffer }>): Promise<string> {
  let ended: string | undefined;
  void first.then(({ code, stderr }) => {
    ended = `it ended with ${code}: ${stderr.toString().slice(-400)}`;
  });
  for (;;) {
    if (existsSync(file)) return readFileSync(file, 'utf8');
    if (ended !== undefined) throw new Error(ended);
    await sleep(50);
  }
}

function answerOf({ code, stdout, stderr }: { code: number | null; stdout: Buffer; stderr: Buffer }): object {
  if (code !== 0) throw new Error(`the Inspector ended with ${code}: ${stderr.toString().slice(-400)}`);
  const answer = JSON.parse(stdout.toString()) as { result?: object };
  return answer.result ?? answer;
}

interface Kept {
  access_token: string;
  refresh_token: string;
}

/** The tokens that it keeps, in the file to which it was told to write its secrets. */
function kept(home: string): Kept {
  return JSON.parse(Object.values(tokensIn(home).own)[0] ?? '{}') as Kept;
}

function spoil(home: string, accessToken: string): void {
  const { file, text } = tokensIn(home);
  writeFileSync(file, text.replace(accessToken, `${accessToken.slice(0, -4)}nope`), { mode: 0o600 });
}

function tokensIn(home: string): { file: string; text: string; own: Record<string, string> } {
  const file = join(home, '.mcp-inspector', 'secrets.json');
  const text = readFileSync(file, 'utf8');
  const { secrets } = JSON.parse(text) as { secrets: Record<string, string> };
  return { file, text, own: Object.fromEntries(Object.entries(secrets).filter(([key]) => key.includes(':tokens:'))) };
}
