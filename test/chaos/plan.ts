/** What is called and what breaks when, drawn from a seed: the same seed gives the same plan. Pure. */
import { randomOf } from '../support/random.ts';
import { CALLS_PER_FAULT, COMMAND_MS, FAULT_DELAY_MS } from './limits.ts';

/** `append` adds a unique line, `write` makes a file, `run` makes a file and answers with an exit code and words. */
export type Kind = 'append' | 'write' | 'run';

export interface PlannedCall {
  n: number;
  kind: Kind;
  /** How long the command takes before it acts, in ms. */
  pauseMs: number;
  /** Whether the caller asks once more, with the same key, when it heard nothing. */
  asksAgain: boolean;
}

/**
 * SIGKILL to a process (of the runtimes: to the active generation), the pointer moved to the other generation, a cut of the
 * link's socket, or of all callers' sockets.
 */
export type FaultKind = 'runtime' | 'switch' | 'link' | 'edge' | 'cut' | 'drop';

export interface PlannedFault {
  kind: FaultKind;
  /** Strikes when this call has begun … */
  afterCall: number;
  /** … and so many ms have passed. */
  delayMs: number;
}

export interface Plan {
  calls: PlannedCall[];
  faults: PlannedFault[];
}

const KINDS: readonly Kind[] = ['append', 'write', 'run'];
const FAULTS: readonly FaultKind[] = ['runtime', 'link', 'switch', 'edge', 'cut', 'drop'];

export function drawPlan(calls: number, seed: number): Plan {
  const random = randomOf(seed);
  const below = (n: number) => Math.floor(random() * n);
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const first = below(FAULTS.length);
  return {
    calls: Array.from({ length: calls }, (_, n) => ({
      n,
      kind: pick(KINDS),
      pauseMs: random() < 0.5 ? 0 : below(COMMAND_MS),
      asksAgain: random() < 0.5,
    })),
    // In turn, so that a short run meets every kind too, and from another one on, so that many short runs do.
    faults: Array.from({ length: Math.ceil(calls / CALLS_PER_FAULT) }, (_, i) => ({
      kind: FAULTS[(first + i) % FAULTS.length] as FaultKind,
      afterCall: below(calls),
      delayMs: below(FAULT_DELAY_MS),
    })),
  };
}
