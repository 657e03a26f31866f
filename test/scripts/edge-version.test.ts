import { join } from 'node:path';
import { expect, it } from 'vitest';
import { unstable_readConfig } from 'wrangler';
import { VERSION } from '../../local/version/index.ts';
import { ROOT } from '../../scripts/build/index.ts';

it('a deployed edge says the version of the package', () => {
  const config = unstable_readConfig({ config: join(ROOT, 'wrangler.toml') }, { hideWarnings: true });
  expect(config.vars['EDGE_VERSION']).toBe(VERSION);
});
