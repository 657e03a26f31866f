/** Lists of tools for the tables: the real one of this build, and one from before there were keys. */

import { CURRENT_RUNTIME } from '../../../contract/epochs/index.ts';
import type { Catalogue, Tool } from '../../../extension/machines/bridge/index.ts';

const tools: readonly Tool[] = CURRENT_RUNTIME.tools.map(({ name, description, inputSchema }) => ({
  name,
  description: description ?? '',
  inputSchema: inputSchema as Tool['inputSchema'],
}));

export const LIVE: Catalogue = { tools, digest: 'live' };

export const KEYLESS: Catalogue = {
  digest: 'keyless',
  tools: tools.map((tool) => {
    const { idempotency_key: _key, ...properties } = tool.inputSchema.properties ?? {};
    return { ...tool, inputSchema: { ...tool.inputSchema, properties } };
  }),
};
