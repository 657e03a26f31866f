/** `npm run screenshots`: pictures for the documentation, taken from the running product in a real Chromium. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { takeScreenshots } from '../test/extension/screenshots/index.ts';
import { ROOT } from './build/index.ts';

const folder = join(ROOT, 'docs', 'images');
mkdirSync(folder, { recursive: true });
for (const file of await takeScreenshots(folder)) console.log(file);
