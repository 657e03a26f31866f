/** Which version this is, and whether the Node beneath it will do. */
import manifest from '../../package.json' with { type: 'json' };
import { LocalError } from '../error/index.ts';

export const VERSION: string = manifest.version;

/**
 * The Node-API that better-sqlite3 is built for: below it, it crashes the process instead of failing. Node has it since
 * 22.14 and, in the line of 23, since 23.6.
 */
export const NODE_API_MIN = 10;

/** Throws the sentence for a person when Node is too old. */
export function requireNode({ node, napi }: { node: string; napi?: string | undefined } = process.versions): void {
  if (Number(napi) >= NODE_API_MIN) return;
  throw new LocalError(
    'node_too_old',
    `herdr-mcp needs Node 22.14, 23.6 or later; this is ${node}.`,
    'Install a newer Node, or run `npm start` in a clone, which brings its own.',
  );
}
