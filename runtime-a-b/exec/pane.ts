/** A command in a visible pane: started there by a typed line, and from then on a session like any other. */
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { OutcomeError } from '../../contract/outcome.ts';
import { systemCode } from '../../local/error/index.ts';
import { type Meta, readText } from './folder.ts';
import { LOOKS_PER_TYPING, PANE_LOOK_MS } from './limits.ts';
import { paneLine, paneScript } from './pane-script.ts';
import type { Shell } from './shell.ts';
import { programOf, startFailure } from './start.ts';

/** A pane whose shell waits for a line. */
export interface PaneDoor {
  /** Key of the Herdr server, and the pane's id there. */
  server: string;
  pane: string;
  /**
   * Types the line and Enter. It may be asked again while the script has not begun, and then types only where the shell
   * still waits: the script runs once however often it is started. What it throws says nothing certain.
   */
  type(line: string): Promise<void>;
  /** How long the pane's shell gets to begin, in ms. */
  patienceMs: number;
}

/**
 * Resolves with the pid when the pane has begun to run it. Otherwise it is certain that it never will: throws
 * `utility_pane_unavailable`, `disk_full` or `exec_start_failed`, all `not_delivered`, and nothing is left.
 */
export async function startInPane(folder: string, meta: Meta, shell: Shell, door: PaneDoor): Promise<number> {
  try {
    mkdirSync(folder, { mode: 0o700 });
    for (const name of ['stdout', 'stderr']) closeSync(openSync(`${folder}/${name}`, 'a', 0o600));
    writeFileSync(`${folder}/pane`, paneScript(meta, programOf(meta, shell, folder), folder), { mode: 0o700 });
    writeFileSync(`${folder}/meta.json`, JSON.stringify(meta), { mode: 0o600 });
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw startFailure(error, meta.cwd);
  }
  const giveUpAt = performance.now() + door.patienceMs;
  const type = () =>
    door.type(paneLine(folder, meta.id)).then(
      () => undefined,
      (error: unknown) => error ?? new Error('unknown reason'),
    );
  let failure = await type();
  for (let looks = 1; ; looks += 1) {
    const pid = begun(folder);
    if (pid !== undefined) return pid;
    if (performance.now() >= giveUpAt || failure !== undefined) break;
    await new Promise((resolve) => setTimeout(resolve, PANE_LOOK_MS));
    if (looks % LOOKS_PER_TYPING === 0) failure = await type();
  }
  if (!forbid(folder)) return begunAfterAll(folder);
  rmSync(folder, { recursive: true, force: true });
  const why = failure === undefined ? `did not begin within ${Math.round(door.patienceMs)} ms` : 'took no line';
  throw new OutcomeError(
    'utility_pane_unavailable',
    `The shell of pane ${door.pane} ${why}; the command was not run, and will not be.`,
    { next: 'Look at that pane (herdr_call pane.read), then call again.', delivery: 'not_delivered', cause: failure },
  );
}

function begun(folder: string): number | undefined {
  const pid = /^(\d+)\n$/.exec(readText(`${folder}/pid`) ?? '')?.[1];
  return pid === undefined ? undefined : Number(pid);
}

/** Creates the file that the script must create first. False when the script was faster. */
function forbid(folder: string): boolean {
  try {
    closeSync(openSync(`${folder}/pid`, 'wx', 0o600));
    return true;
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error;
    return false;
  }
}

/** The script has made the file and is about to write its number. */
async function begunAfterAll(folder: string): Promise<number> {
  for (let looks = 0; looks < BEGUN_LOOKS; looks += 1) {
    const pid = begun(folder);
    if (pid !== undefined) return pid;
    await new Promise((resolve) => setTimeout(resolve, PANE_LOOK_MS));
  }
  return 0; // it began, which is what counts; the number is only told
}

const BEGUN_LOOKS = 40;
