import { fileURLToPath } from 'node:url';
import { cloudflareTest } from '@cloudflare/vitest-plugin';
import { defineConfig } from 'vitest/config';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

export default defineConfig({
  plugins: [
    cloudflareTest({
      main: path('./worker.ts'),
      wrangler: { configPath: path('../../../wrangler.toml') },
      miniflare: {
        bindings: {
          ORIGINS: 'https://edge.test,https://old.edge.test',
          STAGE: 'dev',
          OPERATOR_SECRET: 'operator-secret-for-tests',
          CODE_SECRET: 'code-secret-for-tests',
        },
      },
    }),
  ],
  test: { name: 'identity', include: ['test/edge/{auth,fleet,consent}/**/*.test.ts'], testTimeout: 30_000 },
});
