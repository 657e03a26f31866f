/** Which version this is, and whether the Node beneath it will do. */
import manifest from '../../package.json' with { type: 'json' };
import { LocalError } from '../error/index.ts';

export const VERSION: string = manifest.version;

/** The oldest Node that works: below it better-sqlite3 crashes the process instead of failing. */
export const NODE_MIN = [22, 12] as const;

/** Whether a version like `22.12.0` is new enough. */
export function isNodeSupported(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > NODE_MIN[0] || (major === NODE_MIN[0] && minor >= NODE_MIN[1]);
}

/** Throws the sentence for a person when Node is too old. */
export function requireNode(version: string = process.versions.node): void {
  if (isNodeSupported(version)) return;
  throw new LocalError(
    'node_too_old',
    `herdr-mcp needs Node ${NODE_MIN.join('.')} or later; this is ${version}.`,
    'Install a newer Node, or run `npm start` in a clone, which brings its own.',
  );
}
