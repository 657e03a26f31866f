/** `npm run docs:continuity`: draws the pictures of docs/continuity.md anew from the machines; the prose stays as it is. */
import { readFileSync, writeFileSync } from 'node:fs';
import { withPictures } from './continuity-doc/page.ts';
import { PICTURES } from './continuity-doc/pictures.ts';

const file = new URL('../docs/continuity.md', import.meta.url);
writeFileSync(file, withPictures(readFileSync(file, 'utf8'), PICTURES));
console.log('docs/continuity.md drawn');
