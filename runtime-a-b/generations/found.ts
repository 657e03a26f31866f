/**
 * What runs here, found by looking at processes: for when `observed.json` cannot be read. Every program of ours is
 * started out of a revision's folder in the state folder, so its command line says which program it is, of which revision
 * and generation, and to which Herdr it talks. What only the file remembered (where a rollback goes, which revisions are
 * refused) stays unknown: a revision that is wanted is gated and watched again before it stays.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { systemCode } from '../../local/error/index.ts';
import { statePaths } from '../../local/paths/index.ts';
import { processStartTime, run } from '../../local/spawn/index.ts';
import type { Desired } from './desired.ts';
import type { Generation, Pointer } from './lease.ts';
import type { ChildName, Observed, ObservedChild } from './observed-schema.ts';

export interface CommandLine {
  pid: number;
  /** Program and arguments, with blanks between. */
  text: string;
}

/** A process of ours. */
interface Found {
  name: ChildName;
  revision: string;
  pid: number;
  /** The socket of the Herdr that a runtime talks to. */
  herdr?: string;
}

/** Every process of this machine. On Linux each word as it is, elsewhere what `ps` prints. */
async function commandLines(): Promise<CommandLine[]> {
  if (process.platform === 'linux') return fromProc();
  const { stdout } = await run('ps', ['axww', '-o', 'pid=,args=']);
  return stdout
    .toString('utf8')
    .split('\n')
    .flatMap((line) => {
      const [, pid, text] = /^\s*(\d+)\s+(.*)$/.exec(line) ?? [];
      return pid === undefined || text === undefined ? [] : [{ pid: Number(pid), text }];
    });
}

function fromProc(): CommandLine[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const text = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0').join(' ').trimEnd();
        return [{ pid: Number(name), text }];
      } catch (error) {
        if (systemCode(error)) return []; // it has ended, or is not ours to look at
        throw error;
      }
    });
}

/** What of `lines` is a program that a supervisor of this state folder started. Pure. */
export function ours(stateDir: string, lines: readonly CommandLine[]): Found[] {
  const folder = `${statePaths(stateDir).revisions}/`;
  return lines.flatMap(({ pid, text }) => {
    const at = text.indexOf(folder);
    // A shell that waits to be let go is not the program yet, and ends with the supervisor that started it.
    if (at < 0 || text.startsWith('/bin/sh ')) return [];
    const [, revision, program, args = ''] = PROGRAM.exec(text.slice(at + folder.length)) ?? [];
    const name = nameOf(program, args);
    if (revision === undefined || name === undefined) return [];
    const herdr = name.startsWith('runtime') ? /--herdr-socket (.+?)(?: --[a-z]|$)/.exec(args)?.[1] : undefined;
    return [{ name, revision, pid, ...(herdr === undefined ? {} : { herdr }) }];
  });
}

const PROGRAM = /^([A-Za-z0-9_.-]{1,64})\/([a-z-]+)\.js(?: (.*))?$/s;

function nameOf(program: string | undefined, args: string): ChildName | undefined {
  if (program === 'herdr-link') return 'link';
  if (program === 'embedded-herdr') return 'herdr';
  const generation = program === 'runtime' ? /(?:^| )--generation ([ab])(?: |$)/.exec(args)?.[1] : undefined;
  return generation === undefined ? undefined : `runtime-${generation as Generation}`;
}

/** What can be known of what runs, as a supervisor would have written it. Pure; `startOf` is `processStartTime`. */
export function remembered(
  stateDir: string,
  found: readonly Found[],
  { pointer, desired }: { pointer: Pointer | undefined; desired: Desired | undefined },
  startOf: (pid: number) => string | undefined,
  nowMs: number,
): Observed {
  const alive = found.flatMap((one) => {
    const start = startOf(one.pid);
    return start === undefined ? [] : [{ ...one, start }];
  });
  const children = alive.map(
    ({ name, revision, pid, start }): ObservedChild => ({ name, revision, process: { pid, start }, failures: 0 }),
  );
  const runtimes = (['a', 'b'] as const).flatMap((generation) => {
    const child = alive.find(({ name }) => name === `runtime-${generation}`);
    return child ? [{ generation, revision: child.revision, herdr: child.herdr }] : [];
  });
  const active =
    runtimes.find(({ generation }) => generation === pointer?.generation) ??
    runtimes.find(({ revision }) => revision === desired?.active) ??
    runtimes[0];
  const other = runtimes.find((one) => one !== active);
  const { herdrSocket } = statePaths(stateDir);
  const hasHerdr = alive.some(({ name }) => name === 'herdr');
  const socket = active?.herdr ?? (hasHerdr ? herdrSocket : undefined);
  const place = ({ generation, revision }: { generation: Generation; revision: string }) => ({
    ...{ generation, revision, since_ms: nowMs },
  });
  return {
    ...{ schema: 1, up: { pid: 0, start: '', version: '', since_ms: nowMs }, updated_at_ms: nowMs, change: 0 },
    state: children.length === 0 ? 'stopped' : 'degraded',
    ...{ children, refused: [] },
    ...(socket === undefined ? {} : { herdr: { embedded: socket === herdrSocket, socket, version: 'unknown' } }),
    ...(active ? { active: place(active) } : {}),
    ...(other ? { draining: { ...place(other), waits_for: 'calls that it may have taken' } } : {}),
  };
}

/** Looks at this machine. */
export async function lookAround(
  stateDir: string,
  known: { pointer: Pointer | undefined; desired: Desired | undefined },
): Promise<Observed> {
  return remembered(stateDir, ours(stateDir, await commandLines()), known, processStartTime, Date.now());
}
