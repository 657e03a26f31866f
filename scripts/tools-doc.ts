/** `npm run docs:tools`: writes docs/tools.md from the contract. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { toolsPage } from './tools-doc/page.ts';

const file = new URL('../docs/tools.md', import.meta.url);
mkdirSync(new URL('.', file), { recursive: true });
writeFileSync(file, toolsPage());
console.log('docs/tools.md written');
