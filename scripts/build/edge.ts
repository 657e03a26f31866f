import { mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { run } from '../../local/spawn/index.ts';

/** The Worker's bundle, below `dist/`. */
export const EDGE_ENTRY = join('edge', 'worker.js');

/** Bundling on a slow machine, in ms. */
const BUNDLE_MS_MAX = 180_000;

/** Bundles the Worker exactly as a deployment would (`wrangler deploy --dry-run`), without asking any server. */
export async function buildEdge(root: string, dist: string): Promise<void> {
  const require = createRequire(import.meta.url);
  const wrangler = join(dirname(require.resolve('wrangler/package.json')), 'bin', 'wrangler.js');
  const home = join(root, '.herdr-mcp', 'wrangler');
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const result = await run(process.execPath, [wrangler, 'deploy', '--dry-run', '--outdir', join(dist, 'edge')], {
    cwd: root,
    timeoutMs: BUNDLE_MS_MAX,
    env: {
      ...process.env,
      XDG_CONFIG_HOME: home,
      WRANGLER_LOG_PATH: join(home, 'logs'),
      WRANGLER_SEND_METRICS: 'false',
      NO_UPDATE_NOTIFIER: '1',
      CI: '1',
    },
  });
  if (result.code !== 0) {
    throw new Error(`wrangler could not bundle the Worker:\n${result.stdout.toString()}${result.stderr.toString()}`);
  }
}
