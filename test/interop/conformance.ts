/** The official conformance suite as its own command, and its checks judged by what applies to us. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../scripts/build/index.ts';
import { type SignInPage, signIn } from '../../scripts/demo/index.ts';
import { anyFreePort } from '../../scripts/start/ports.ts';
import { CHECKS_NOT_APPLICABLE, NOT_APPLICABLE, type Version } from './scenarios.ts';

const SUITE = join(ROOT, 'node_modules/@modelcontextprotocol/conformance');

export function suiteVersion(): string {
  return (JSON.parse(readFileSync(join(SUITE, 'package.json'), 'utf8')) as { version: string }).version;
}

/** One check as the suite writes it down. */
export interface Check {
  id: string;
  status: string;
  description: string;
  errorMessage?: string;
}

export interface Judged {
  scenario: string;
  version: Version;
  verdict: 'held' | 'failed' | 'does not apply';
  /** Checks that passed; those that failed and had to hold; why it does not apply, wholly or in part. */
  passed: number;
  failures: string[];
  why?: string;
}

/** True of all of them today: the scenarios about sessions. */
const NOTHING_CHECKED = 'the suite finds nothing to check: the server issues no sessions, and it resumes no stream';

/** What a scenario's checks mean for us. Pure. */
export function judge(scenario: string, version: Version, checks: readonly Check[]): Judged {
  const passed = checks.filter(({ status }) => status === 'SUCCESS').length;
  const why = NOT_APPLICABLE[scenario];
  if (why !== undefined) return { scenario, version, verdict: 'does not apply', passed: 0, failures: [], why };
  const failed = checks.filter(({ status }) => status === 'FAILURE');
  if (passed === 0 && failed.length === 0) {
    return { scenario, version, verdict: 'does not apply', passed: 0, failures: [], why: NOTHING_CHECKED };
  }
  const failures = failed
    .filter(({ id }) => CHECKS_NOT_APPLICABLE[id] === undefined)
    .map(({ id, description, errorMessage }) => `${id}: ${errorMessage ?? description}`);
  const excused = [...new Set(failed.flatMap(({ id }) => CHECKS_NOT_APPLICABLE[id] ?? []))];
  const verdict = failures.length > 0 ? 'failed' : 'held';
  return {
    scenario,
    version,
    verdict,
    passed,
    failures,
    ...(excused.length > 0 ? { why: `in part: ${excused.join('; ')}` } : {}),
  };
}

/** Runs the scenarios of a protocol version against a server, all of them unless some are named. */
export async function runServerScenarios(url: string, version: Version, only?: readonly string[]): Promise<Judged[]> {
  const results = mkdtempSync(join(tmpdir(), 'hm-conformance-'));
  try {
    const base = ['server', '--url', url, '--spec-version', version, '--output-dir', results];
    if (only === undefined) await suite([...base, '--suite', 'all']);
    else for (const scenario of only) await suite([...base, '--scenario', scenario]);
    return read(results, 'server-').map(({ scenario, checks }) => judge(scenario, version, checks));
  } finally {
    rmSync(results, { recursive: true, force: true });
  }
}

/** Its scenarios for authorisation servers: discovery, and a whole code grant with a person at the page. */
export async function runAuthorizationScenarios(
  mcpUrl: string,
  version: Version,
  approve: (page: SignInPage) => Promise<void>,
): Promise<Judged[]> {
  const { origin } = new URL(mcpUrl);
  const port = await anyFreePort();
  const callback = `http://127.0.0.1:${port}/callback`;
  const registered = await fetch(`${origin}/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'conformance', redirect_uris: [callback], token_endpoint_auth_method: 'none' }),
  });
  const { client_id: clientId } = (await registered.json()) as { client_id: string };
  const results = mkdtempSync(join(tmpdir(), 'hm-conformance-'));
  try {
    const args = ['authorization', '--url', origin, '--client-id', clientId, '--resource', mcpUrl];
    await suite([...args, '--port', String(port), '--spec-version', version, '--output-dir', results], async (at) => {
      const query = await signIn(at, at.searchParams.get('state') ?? '', approve);
      await fetch(`${callback}?${query}`);
    });
    return read(results, 'authorization-server-').map(({ scenario, checks }) => judge(scenario, version, checks));
  } finally {
    rmSync(results, { recursive: true, force: true });
  }
}

/** Runs the suite's command. Its exit code says only whether all checks held, and its files say more. */
function suite(args: readonly string[], visit?: (at: URL) => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(SUITE, 'dist/index.js'), ...args], {
      cwd: tmpdir(),
      env: { PATH: process.env['PATH'], HOME: tmpdir(), BROWSER: '/bin/true' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    let visited = false;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        said += text;
        const at = /https?:\/\/\S+\/authorize\?[^\s'"]+/.exec(said)?.[0];
        if (visit === undefined || visited || at === undefined || said.endsWith(at)) return;
        visited = true;
        visit(new URL(at)).catch(reject);
      });
    }
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0 || code === 1) resolve();
      else reject(new Error(`the conformance suite ended with ${signal ?? code}: ${said.slice(-400)}`));
    });
  });
}

/** The suite writes one folder a scenario: its kind, its name, and the time. */
function read(results: string, prefix: string): { scenario: string; checks: Check[] }[] {
  return readdirSync(results)
    .filter((name) => name.startsWith(prefix))
    .map((name) => ({
      scenario: name.slice(prefix.length).replace(/-\d{4}-\d{2}-\d{2}T[\d-]+Z$/, ''),
      checks: JSON.parse(readFileSync(join(results, name, 'checks.json'), 'utf8')) as Check[],
    }));
}
