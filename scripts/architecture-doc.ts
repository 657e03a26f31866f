/** `npm run docs:architecture`: draws the pictures of docs/architecture.md anew from the imports; the prose stays. */
import { readFileSync, writeFileSync } from 'node:fs';
import { picturesOf } from './architecture-doc/pictures.ts';
import { fillPictures } from './pictures.ts';

const file = new URL('../docs/architecture.md', import.meta.url);
writeFileSync(file, fillPictures(readFileSync(file, 'utf8'), picturesOf(new URL('..', import.meta.url).pathname)));
console.log('docs/architecture.md drawn');
