/** `npm run herdr-mcp -- …`: the command as built from this clone, for the product that `npm start` runs in it. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, DIST, ROOT } from './build/index.ts';

process.env['HERDR_MCP_STATE_DIR'] ??= join(ROOT, '.herdr-mcp');
process.env['HERDR_MCP_SECRETS'] ??= 'file';
await build({ parts: ['node'], say: (line) => console.error(line) });
await import(pathToFileURL(join(DIST, 'herdr-mcp.js')).href);
