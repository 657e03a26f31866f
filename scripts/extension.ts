/** `npm run extension`: the folder that a browser loads, and a ZIP of it that is the same bytes on every machine. */
import { join } from 'node:path';
import { LocalError } from '../local/error/index.ts';
import { build, DIST } from './build/index.ts';

try {
  await build({ parts: ['extension'], force: process.argv.includes('--force'), say: (line) => console.error(line) });
  console.log(`Folder: ${join(DIST, 'extension')}`);
  console.log(`ZIP:    ${join(DIST, 'extension.zip')}`);
  console.error('Load the folder: chrome://extensions → Developer mode → Load unpacked.');
  console.error('Then let it reach this workstation: herdr-mcp native-host install');
} catch (error) {
  if (!(error instanceof LocalError)) throw error;
  console.error(error.sentence);
  process.exitCode = 1;
}
