/**
 * After an update every open chat tab still runs the old page script, or none. Each is brought to the new one once, by a
 * reload, and only while it is idle, with an empty composer and no card. An ordinary wake of the worker begins no sweep:
 * a sweep is there only while this version has tabs that it has not reached.
 */
import { isObject } from '../../contract/json.ts';
import type { Area } from './store.ts';

const KEY = 'herdr.sweep';

interface Sweep {
  version: string;
  /** Tabs that still run something else. */
  waiting: readonly number[];
}

export interface SweepParts {
  version: string;
  local: Area;
  /** Tabs that show a supported site. */
  tabs(): Promise<readonly number[]>;
  /** The version of the page script in a tab; null: nobody answers. */
  versionIn(tab: number): Promise<string | null>;
  /** Whether a reload would lose nothing; unknown counts as no. */
  isSafe(tab: number): Promise<boolean>;
  reload(tab: number): Promise<void>;
}

/**
 * Goes on with this version's sweep, or begins it when this version has had none. `anew` begins one in any case: the
 * browser has installed, updated or reloaded the extension, and no page script of before can speak to it any more.
 */
export async function sweepTabs(parts: SweepParts, anew = false): Promise<void> {
  const { [KEY]: found } = await parts.local.get([KEY]);
  let sweep = readSweep(found);
  if (anew || sweep?.version !== parts.version) {
    sweep = { version: parts.version, waiting: await parts.tabs() };
    await parts.local.set({ [KEY]: sweep });
  }
  for (const tab of sweep.waiting) {
    const version = await parts.versionIn(tab);
    const done = version === parts.version;
    if (!done && !(await parts.isSafe(tab))) continue;
    // Written down before the reload: a worker that dies here reloads nothing twice.
    sweep = { ...sweep, waiting: sweep.waiting.filter((one) => one !== tab) };
    await parts.local.set({ [KEY]: sweep });
    if (!done) await parts.reload(tab);
  }
}

function readSweep(found: unknown): Sweep | null {
  if (!isObject(found) || typeof found['version'] !== 'string' || !Array.isArray(found['waiting'])) return null;
  return { version: found['version'], waiting: found['waiting'].filter((id): id is number => typeof id === 'number') };
}
