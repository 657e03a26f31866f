/**
 * `npm run screenshots [-- surface …]`: pictures for the documentation, taken from the running product in a real Chromium,
 * and every surface in every state below `dist/screenshots`, to be looked at.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { takeScreenshots } from '../test/extension/screenshots/index.ts';
import { DIST, ROOT } from './build/index.ts';

const docs = join(ROOT, 'docs', 'images');
const all = join(DIST, 'screenshots');
mkdirSync(docs, { recursive: true });
mkdirSync(all, { recursive: true });
for (const file of await takeScreenshots({ docs, all }, process.argv.slice(2))) console.log(file);
console.log(`All of them: ${all}`);
