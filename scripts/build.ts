/** `npm run build`: everything that runs outside a checkout, into `dist/`. Skips what has not changed. */
import { build } from './build/index.ts';

await build({ force: process.argv.includes('--force'), say: (line) => console.error(line) });
