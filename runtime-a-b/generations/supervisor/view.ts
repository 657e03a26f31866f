/** What the supervisor decides from: what is wanted, what it remembers, and how things stand at this moment. */
import type { Desired } from '../desired.ts';
import type { Generation, Pointer } from '../lease.ts';
import type { ChildName, Observed } from '../observed.ts';
import type { Revision } from '../revision.ts';

/** How a child stands now. */
export type Standing =
  /** No process. */
  | 'none'
  /** A process that does not answer yet. */
  | 'starting'
  | 'ready'
  /** Asked to end. */
  | 'ending';

/** Work that takes longer than a look and goes on meanwhile. */
export type Job = 'migrate' | 'gate' | 'observe' | 'find-herdr' | 'drained';

export interface View {
  nowMs: number;
  desired: Desired;
  observed: Observed;
  standing: Record<ChildName, Standing>;
  pointer: Pointer | undefined;
  /** The port at which each generation answers. */
  port: Partial<Record<Generation, number>>;
  /** What is known of a revision; `undefined` when its folder is not there or not intact. */
  revision: (id: string) => Revision | undefined;
  /** How many steps of the schema a program must know to open the database; 0 without one. */
  oldestReader: number;
  link: 'unpaired' | 'revoked' | 'wanted';
  jobs: ReadonlySet<Job>;
  /** Why `desired.json` cannot be followed; what was wanted before is still wanted. */
  unreadable: string | undefined;
  /** Whether this process ends: its children too, or not. */
  ending: boolean;
  /** For `up`: a child that ended is started again. Else the first ending ends everything. */
  restarts: boolean;
}

/** The one next thing to do. Each can be killed at any moment and is then decided anew. */
export type Decision =
  | { do: 'start'; child: ChildName; revision: string; why: string }
  | { do: 'stop'; child: ChildName; why: string }
  /** Takes a child off the list that has ended for good. */
  | { do: 'forget'; child: ChildName }
  | { do: 'job'; job: Job }
  /** Changes what is remembered, and nothing else. */
  | { do: 'remember'; what: string; observed: Observed }
  /** Moves the pointer. */
  | { do: 'point'; generation: Generation; port: number }
  | { do: 'idle' }
  /** Nothing runs and nothing should. */
  | { do: 'over' };

export const runtimeOf = (generation: Generation): ChildName => (generation === 'a' ? 'runtime-a' : 'runtime-b');
export const otherThan = (generation: Generation): Generation => (generation === 'a' ? 'b' : 'a');
