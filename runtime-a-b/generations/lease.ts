/**
 * The door for the link: which generation takes a call. No database, only two small files: the pointer that a promotion
 * moves, and what each generation wrote about itself when it became ready. Read anew for each lease, because the pointer
 * may move while calls run; a lease taken before keeps its generation.
 */
import type { Static } from 'typebox';
import * as Type from 'typebox';
import { LocalError } from '../../local/error/index.ts';
import { writeAtomic } from '../../local/files/index.ts';
import { statePaths } from '../../local/paths/index.ts';
import { isAlive } from '../../local/spawn/index.ts';
import { lookOf, readStateFile, readStateFileNow } from './state-file.ts';

export type Generation = 'a' | 'b';
const GenerationName = Type.Union([Type.Literal('a'), Type.Literal('b')]);
const Port = Type.Integer({ minimum: 1, maximum: 65535 });

/** `runtime-active.json`: desired state, moved by one writer. `revision` grows by one with each move. */
export const Pointer = Type.Object({
  schema: Type.Literal(1),
  generation: GenerationName,
  port: Port,
  revision: Type.Integer({ minimum: 1 }),
});
export type Pointer = Static<typeof Pointer>;

/** `runtime-a.json` and `runtime-b.json`: what a process says about itself once it is ready. */
export const RuntimeRecord = Type.Object({
  schema: Type.Literal(1),
  generation: GenerationName,
  boot_id: Type.String({ maxLength: 128 }),
  pid: Type.Integer({ minimum: 1 }),
  /** As `processStartTime` gives it, so that a reused pid is seen. */
  process_start: Type.String({ maxLength: 128 }),
  port: Port,
  started_at_ms: Type.Integer(),
  version: Type.String({ maxLength: 128 }),
  contract_epoch: Type.Integer(),
  contract_hash: Type.String({ maxLength: 80 }),
  /** What was started: the Node binary and the script, for adopting and for status. */
  exec: Type.Array(Type.String()),
});
export type RuntimeRecord = Static<typeof RuntimeRecord>;

/** A generation that takes one call. */
export interface Lease {
  generation: Generation;
  /** `http://127.0.0.1:<port>` */
  endpoint: string;
  /** The boot of the process that serves there. */
  bootId: string;
  /** Gives the lease back. Calling it again does nothing. */
  release(): void;
}

export interface Leases {
  /** A lease on the active generation; `undefined` while none is active. */
  active(): Promise<Lease | undefined>;
  /** A lease on a generation by name, active or not; `undefined` when it does not run. */
  named(generation: string): Promise<Lease | undefined>;
  /** How many leases of this process are out on a generation. */
  held(generation: Generation): number;
}

/** The leases of one process. Throws a `LocalError` when a file is not private or not readable as what it should be. */
export function openLeases(stateDir: string): Leases {
  const files = statePaths(stateDir);
  const out: Record<Generation, number> = { a: 0, b: 0 };
  const lease = (record: RuntimeRecord): Lease => {
    out[record.generation] += 1;
    let released = false;
    return {
      generation: record.generation,
      endpoint: `http://127.0.0.1:${record.port}`,
      bootId: record.boot_id,
      release() {
        if (released) return;
        released = true;
        out[record.generation] -= 1;
      },
    };
  };
  const named = async (generation: Generation) => {
    const record = await readRecord(stateDir, generation);
    return record && isAlive(record.pid, record.process_start) ? lease(record) : undefined;
  };
  let known: { look: string; record: RuntimeRecord; checkedMs: number } | undefined;
  return {
    held: (generation) => out[generation],
    named: async (generation) => (generation === 'a' || generation === 'b' ? named(generation) : undefined),
    async active() {
      // Every call takes a lease, so what two unchanged files say is not read again; that costs ten times the look.
      const nowMs = performance.now();
      if (known && nowMs - known.checkedMs < ALIVE_CHECK_MS) {
        const { generation } = known.record;
        if (`${lookOf(files.runtimeActive)} ${lookOf(files.runtimeGeneration[generation])}` === known.look) {
          return lease(known.record);
        }
      }
      known = undefined;
      // Each look comes before its reading: a file that is replaced in between is read again for the next lease.
      const pointerLook = lookOf(files.runtimeActive);
      const pointer = await readPointer(stateDir);
      if (!pointer) return undefined;
      const look = `${pointerLook} ${lookOf(files.runtimeGeneration[pointer.generation])}`;
      const record = await readRecord(stateDir, pointer.generation);
      if (!record || !isAlive(record.pid, record.process_start)) return undefined;
      known = { look, record, checkedMs: nowMs };
      return lease(record);
    },
  };
}

/**
 * Whether a living generation says at this moment that it serves there, `http://127.0.0.1:<port>`. Asked of a connection
 * that was just made: a port that its process left is anybody's on this machine, and a bearer must not go there. A stopping
 * generation takes its record away before it gives up the port.
 */
export function isServed(stateDir: string, endpoint: string): boolean {
  const files = statePaths(stateDir).runtimeGeneration;
  return (['a', 'b'] as const).some((generation) => {
    const record = readOrNothing(files[generation]);
    return record !== undefined && endpoint.endsWith(`:${record.port}`) && isAlive(record.pid, record.process_start);
  });
}

function readOrNothing(file: string): RuntimeRecord | undefined {
  try {
    return readStateFileNow(file, RuntimeRecord);
  } catch (error) {
    if (error instanceof LocalError) return undefined; // broken, or not private: nobody whom we would believe
    throw error;
  }
}

/** How long a process that lived is believed to live. A dead one refuses the connection, which loses nothing. */
const ALIVE_CHECK_MS = 1_000;

/** A lease on the active generation; see {@link Leases.active}. */
export const leaseActive = (stateDir: string): Promise<Lease | undefined> => openLeases(stateDir).active();

/** The pointer, or `undefined` while none was ever written. */
export async function readPointer(stateDir: string): Promise<Pointer | undefined> {
  return readStateFile(statePaths(stateDir).runtimeActive, Pointer, 'the runtime');
}

/** The same without giving way, for a runtime that looks whether it is the active one. */
export const readPointerNow = (stateDir: string): Pointer | undefined =>
  readStateFileNow(statePaths(stateDir).runtimeActive, Pointer);

/** Moves the pointer. There is one writer at a time: whoever calls this holds the start lock. */
export async function writePointer(stateDir: string, pointer: Pointer): Promise<void> {
  await writeAtomic(statePaths(stateDir).runtimeActive, `${JSON.stringify(pointer)}\n`);
}

/** What a generation last said about itself; the process may be gone. */
export async function readRecord(stateDir: string, generation: Generation): Promise<RuntimeRecord | undefined> {
  return readStateFile(statePaths(stateDir).runtimeGeneration[generation], RuntimeRecord, 'the runtime');
}
