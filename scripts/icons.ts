/** `npm run icons`: draws the extension's icons out of the mark in `look/icons`. */
import { join } from 'node:path';
import sharp from 'sharp';
import { MARK } from '../look/icons/index.ts';
import { ROOT } from './build/index.ts';

/** What Chrome shows: the toolbar at one and two times its size, the list of extensions, the store. */
for (const size of [16, 32, 48, 128]) {
  const path = join(ROOT, 'extension', 'public', 'icon', `${size}.png`);
  await sharp(Buffer.from(MARK), { density: 300 }).resize(size, size).png({ compressionLevel: 9 }).toFile(path);
  console.log(path);
}
