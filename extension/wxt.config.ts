/** How WXT builds the extension. The manifest is ours in every word; WXT finds the entrypoints and bundles them. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'wxt';
import packageJson from '../package.json' with { type: 'json' };
import { manifest } from './manifest.ts';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: at('.'),
  publicDir: at('public'),
  // Where to, the build says (`outDir`).
  outDirTemplate: 'extension',
  // Nothing appears by magic: what a file uses, it imports.
  imports: false,
  manifestVersion: 3,
  targetBrowsers: ['chrome'],
  manifest: manifest(packageJson.version),
  vite: () => ({
    define: { __HERDR_VERSION__: JSON.stringify(packageJson.version) },
    build: { sourcemap: false, target: 'chrome120' },
  }),
});
