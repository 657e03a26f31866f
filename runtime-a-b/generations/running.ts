/** What runs in a generation now: for whoever pauses it, and for the supervisor that waits until it has drained. */
import type { Static } from 'typebox';
import * as Type from 'typebox';
import * as Value from 'typebox/value';
import { readPrivateFile } from '../../local/files/index.ts';
import { statePaths } from '../../local/paths/index.ts';
import { timeLimit } from '../../local/patience/index.ts';
import { isAlive } from '../../local/spawn/index.ts';
import { type Generation, readRecord } from './lease.ts';

/** Where each generation says it, behind the state folder's bearer. */
export const RUNNING_ROUTE = '/running';

const Text = Type.String();

export const RunningNow = Type.Object({
  calls: Type.Array(
    Type.Object({
      dispatch_id: Text,
      tool: Text,
      /** What it acts on, where that is known. */
      target: Type.Optional(Text),
      /** Who asked, as people know him. */
      principal: Text,
      since_ms: Type.Integer(),
    }),
  ),
  /** Commands that run on this workstation, whichever generation started them. */
  sessions: Type.Array(
    Type.Object({ session_id: Text, command: Text, root: Text, since_ms: Type.Integer(), own: Type.Boolean() }),
  ),
  /** Agents in Herdr that are not idle. */
  agents: Type.Array(Type.Object({ pane: Text, agent: Text, status: Text })),
});
export type RunningNow = Static<typeof RunningNow>;

/** One living generation. `answers` is false when it did not say what runs. */
export interface Running extends RunningNow {
  generation: Generation;
  answers: boolean;
}

/** How long a runtime may take to say what it runs, in ms: all of it is in memory, or a few small files. */
const RUNNING_MS = 5_000;

const NOTHING: RunningNow = { calls: [], sessions: [], agents: [] };

/** What every living generation of a state folder runs. Empty when none lives. */
export async function askRunning(stateDir: string): Promise<Running[]> {
  const both = await Promise.all((['a', 'b'] as const).map((generation) => askOne(stateDir, generation)));
  return both.filter((one) => one !== undefined);
}

async function askOne(stateDir: string, generation: Generation): Promise<Running | undefined> {
  const record = await readRecord(stateDir, generation);
  if (!record || !isAlive(record.pid, record.process_start)) return undefined;
  const now = await askRunningAt(stateDir, record.port);
  return { generation, answers: now !== undefined, ...(now ?? NOTHING) };
}

/** The same at a port; `undefined` when it does not answer. */
export async function askRunningAt(stateDir: string, port: number): Promise<RunningNow | undefined> {
  const token = (await readPrivateFile(statePaths(stateDir).runtimeToken))?.toString('utf8').trim() ?? '';
  try {
    const response = await fetch(`http://127.0.0.1:${port}${RUNNING_ROUTE}`, {
      headers: { authorization: `Bearer ${token}` },
      signal: timeLimit(RUNNING_MS),
    });
    const value: unknown = await response.json();
    return Value.Check(RunningNow, value) ? value : undefined;
  } catch {
    return undefined; // refused, silent, or an older runtime that does not know the question
  }
}
