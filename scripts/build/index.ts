/**
 * Bundles the product: one file a process in `dist/`, the Worker in `dist/edge/`. A published package cannot run `.ts`,
 * and a bundle starts four times faster than its sources. Tests, start and the benchmark run these same files.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { acquireLock, type Lock } from '../../local/files/index.ts';
import { boundNames, buildEdge } from './edge.ts';
import { buildExtension } from './extension.ts';
import { buildNode } from './node.ts';
import { isFresh, markFresh, sourceDigest } from './stamp.ts';

export { builtEdge } from './edge.ts';

export const ROOT = join(import.meta.dirname, '..', '..');
export const DIST = join(ROOT, 'dist');

/** The workstation's programs, the Worker, the browser extension. */
export const PARTS = ['node', 'edge', 'extension'] as const;
export type Part = (typeof PARTS)[number];

export interface BuildOptions {
  /** Which of them; what `npm start` runs when absent. */
  parts?: readonly Part[];
  force?: boolean;
  /** Told before something slow is done. */
  say?: (line: string) => void;
}

const SOURCES = {
  node: [
    'contract',
    'local',
    'link',
    'runtime-a-b',
    'embedded-herdr',
    'broker',
    'cli',
    'extension/native-host',
    'look',
    'migrations',
    'scripts/build',
  ],
  edge: ['contract', 'edge', 'look', 'migrations', 'wrangler.toml', 'scripts/build'],
  extension: ['contract', 'extension', 'look', 'scripts/build'],
} as const;

/** The Worker's sources as a deploy needs to know them: what they bind, and whether they are still the same. */
export async function edgeSources(): Promise<{ bindings: ReadonlySet<string>; digest: string }> {
  const digest = sourceDigest(ROOT, [...SOURCES.edge, 'package.json', 'package-lock.json']);
  return { bindings: await boundNames(ROOT), digest };
}

/** Brings `dist/` up to date. Rejects with the bundler's own words when something does not compile; the stamp is then gone. */
export async function build({
  parts = ['node', 'edge'],
  force = false,
  say = () => undefined,
}: BuildOptions = {}): Promise<void> {
  mkdirSync(DIST, { recursive: true });
  const lock = await turn(say);
  try {
    // Each bundles in a process of its own. The lock is held until the last of them has ended, also when one fails.
    const ended = await Promise.allSettled(parts.map((part) => bring(part, force, say)));
    for (const one of ended) if (one.status === 'rejected') throw one.reason;
  } finally {
    lock.release();
  }
}

/** Reads `dist/` as a whole while nobody writes it. */
export async function readBuilt<T>(read: () => Promise<T>, say: (line: string) => void = () => undefined): Promise<T> {
  const lock = await turn(say);
  try {
    return await read();
  } finally {
    lock.release();
  }
}

/** How often a command looks whether another one has finished its build, in ms. */
const TURN_MS = 100;

/** Two commands in one clone (`npm start`, `npm run demo`) must not write the same files at once. */
async function turn(say: (line: string) => void): Promise<Lock> {
  for (let said = false; ; said = true) {
    const lock = acquireLock(join(DIST, '.lock'), 'build');
    if (lock.held) return lock;
    if (!said) say(`Process ${lock.by.pid} is bundling; waiting for it ...`);
    await sleep(TURN_MS);
  }
}

const BUILDERS = {
  node: { saying: 'Bundling the workstation’s programs ...', run: buildNode },
  edge: { saying: 'Bundling the Worker ...', run: buildEdge },
  extension: { saying: 'Bundling the extension ...', run: buildExtension },
} as const;

async function bring(part: Part, force: boolean, say: (line: string) => void): Promise<void> {
  const stamp = join(DIST, `.${part}.stamp`);
  const digest = sourceDigest(ROOT, [...SOURCES[part], 'package.json', 'package-lock.json']);
  if (!force && isFresh(stamp, digest)) return;
  const { saying, run } = BUILDERS[part];
  say(saying);
  rmSync(stamp, { force: true });
  await run(ROOT, DIST);
  markFresh(stamp, digest);
}
