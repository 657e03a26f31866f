/** `node scripts/link-protocol-doc.ts`: writes docs/link-protocol.md from the code that it describes. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { linkProtocolPage } from './link-protocol/page.ts';

const file = new URL('../docs/link-protocol.md', import.meta.url);
mkdirSync(new URL('.', file), { recursive: true });
writeFileSync(file, linkProtocolPage());
console.log('docs/link-protocol.md written');
