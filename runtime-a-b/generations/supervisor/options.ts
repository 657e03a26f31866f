/** What a supervisor is given, and what it gives. */
import type { Generation } from '../lease.ts';
import type { ChildName, Observed } from '../observed.ts';
import type { Step } from '../revision.ts';

export interface SupervisorOptions {
  stateDir: string;
  /** What the children inherit. */
  env: NodeJS.ProcessEnv;
  /** Loopback ports of the generations; 0 means any free one. */
  ports: Record<Generation, number>;
  /** True for `npm start`: children end with this process, and the first that ends by itself ends everything. */
  together: boolean;
  /** What panes of the embedded Herdr find as `herdr-mcp`; the revision's own when absent. */
  bin?: string;
  /** Also when a real Herdr answers: for tests, which must not touch a person's. */
  embeddedHerdr?: boolean;
  /** How long a runtime may give no answer before it is started anew, in ms; for tests. */
  silentMs?: number;
  /** Done under the lock before anything is looked at or started. */
  before?: () => Promise<void>;
  /** Told what a person must know of this machine: a Herdr that cannot be used. */
  tell?: (line: string) => void;
  /** Told what happens, one sentence each. */
  say?: (line: string) => void;
  /** Called between any two steps that must survive a kill. */
  step?: Step;
}

export interface Supervisor {
  /** What is remembered now. */
  observed(): Observed;
  pid(child: ChildName): number | undefined;
  /** Resolves when `fits` holds, looked at after each change; rejects when it ends before. */
  until(fits: (observed: Observed) => boolean): Promise<Observed>;
  /** Resolves when it has ended and everything is given back: with a sentence when that was nobody's wish. */
  ended: Promise<string | undefined>;
  /** Ends; the children go on, and the next supervisor takes them over. */
  leave(): Promise<void>;
  /** Ends all children in order, then ends. */
  stop(): Promise<void>;
}
