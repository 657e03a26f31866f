/** wrangler as a program: whose login it holds, and deploying. Secrets never pass through it. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { LocalError } from '../../local/error/index.ts';
import { run } from '../../local/spawn/index.ts';
import { WRANGLER_ASK_MS_MAX, WRANGLER_MS_MAX } from './limits.ts';

export interface Wrangler {
  /** The token of the environment, else of `wrangler login`. Throws a {@link LocalError} when nobody is logged in. */
  token(): Promise<string>;
  /** Bundles the clone's Worker and uploads it. What it came to is not believed: the caller looks. */
  deploy(options: DeployOptions): Promise<{ code: number | null; said: string }>;
}

export interface DeployOptions {
  account: string;
  /** Name of the Worker. */
  name: string;
  /** Public settings. They stand in argv; a secret never does. */
  vars: Readonly<Record<string, string>>;
  /** By which this deploy is found again at Cloudflare. */
  tag: string;
  message: string;
}

/** wrangler of the clone's `node_modules`, run in the clone with a person's own login. */
export function wranglerOf(clone: string, env: NodeJS.ProcessEnv): Wrangler {
  const require = createRequire(import.meta.url);
  const script = join(dirname(require.resolve('wrangler/package.json')), 'bin', 'wrangler.js');
  const quiet: NodeJS.ProcessEnv = {
    ...env,
    WRANGLER_SEND_METRICS: 'false',
    WRANGLER_SEND_ERROR_REPORTS: 'false',
    WRANGLER_HIDE_BANNER: 'true',
    NO_COLOR: '1',
    CI: '1', // it asks nothing then
  };
  const ask = (args: readonly string[], timeoutMs: number, extra: NodeJS.ProcessEnv = {}) =>
    run(process.execPath, [script, ...args], { cwd: clone, env: { ...quiet, ...extra }, timeoutMs });
  return {
    async token() {
      const own = env['CLOUDFLARE_API_TOKEN'];
      if (own) return own;
      const done = await ask(['auth', 'token', '--json'], WRANGLER_ASK_MS_MAX);
      const token = done.code === 0 ? tokenIn(done.stdout.toString('utf8')) : undefined;
      if (token !== undefined) return token;
      throw new LocalError(
        'cloudflare_login',
        'Nobody is logged in to Cloudflare here, so nothing was asked or changed.',
        'Run `npx wrangler login` in this clone, or set CLOUDFLARE_API_TOKEN (docs/operate.md names its rights).',
      );
    },
    async deploy({ account, name, vars, tag, message }) {
      const args = ['deploy', '--name', name, '--keep-vars', '--tag', tag, '--message', message];
      const given = Object.entries(vars).flatMap(([key, value]) => ['--var', `${key}:${value}`]);
      const done = await ask([...args, ...given], WRANGLER_MS_MAX, { CLOUDFLARE_ACCOUNT_ID: account });
      return { code: done.code, said: `${done.stdout.toString('utf8')}${done.stderr.toString('utf8')}` };
    },
  };
}

/** The OAuth or API token in what wrangler printed; a global API key is not used: it can do everything. */
function tokenIn(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && 'token' in value && typeof value.token === 'string'
      ? value.token
      : undefined;
  } catch {
    return undefined;
  }
}
