/** `npm run build`: everything that runs outside a checkout, into `dist/`. Skips what has not changed. */
import { LocalError } from '../local/error/index.ts';
import { build, PARTS } from './build/index.ts';

try {
  await build({ parts: PARTS, force: process.argv.includes('--force'), say: (line) => console.error(line) });
} catch (error) {
  if (!(error instanceof LocalError)) throw error;
  console.error(error.sentence);
  process.exitCode = 1;
}
