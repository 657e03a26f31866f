/** What the rows are measured on: the whole product out of its bundles, signed in, on a repository of its own. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { statePaths } from '../../local/paths/index.ts';
import { build } from '../../scripts/build/index.ts';
import { approveHere } from '../../scripts/demo/index.ts';
import { type Product, startProduct } from '../../scripts/start/index.ts';
import { earnToken } from '../support/access-token.ts';

export interface Stage {
  product: Product;
  /** A Git repository on which a workspace is open. */
  repository: string;
  stateDir: string;
  accessToken: string;
  /** Bearer of the runtime's loopback port. */
  runtimeToken: string;
  close(): Promise<void>;
}

/** The file that P1 and P2 read: 1.5 kB of text. */
export const SAMPLE_FILE = 'sample.txt';

export async function openStage(): Promise<Stage> {
  await build({});
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'hm-bench-')));
  const repository = join(home, 'project');
  execFileSync('git', ['init', '-q', '-b', 'main', repository]);
  writeFileSync(join(repository, SAMPLE_FILE), `${'The quick brown fox jumps over it.\n'.repeat(43)}`);
  const stateDir = join(home, 's');
  const product = await startProduct({ stateDir, repository, embeddedHerdr: true });
  const close = async () => {
    await product.stop();
    rmSync(home, { recursive: true, force: true });
  };
  try {
    const grant = await earnToken(
      product.mcpUrl,
      approveHere(stateDir, () => undefined),
    );
    const runtimeToken = readFileSync(statePaths(stateDir).runtimeToken, 'utf8').trim();
    return { product, repository, stateDir, accessToken: grant.accessToken, runtimeToken, close };
  } catch (error) {
    await close();
    throw error;
  }
}
