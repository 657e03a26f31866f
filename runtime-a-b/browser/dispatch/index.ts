/**
 * The one delivery service of web chats, for the HUD, the command line and a planner.
 *
 * A caller asks ({@link browserMethods}); the dispatch is written down, a browser is woken, takes it once, does it and
 * reports ({@link openActuation}); the report is judged by what it proves. Nothing here opens a page or knows a site.
 */
import type { ActuationAnswer, ActuationEvent } from '../../../contract/browser/actuation.ts';
import { dispatchId } from '../../../contract/ids.ts';
import type { Log } from '../../../local/log/index.ts';
import type { State } from '../../state/index.ts';
import type { Callers } from '../callers.ts';
import { openActuation } from './actuation.ts';
import { openGrants } from './grants.ts';
import type { Method } from './method.ts';
import { browserMethods } from './methods.ts';
import { type SendPrompt, tellParents } from './parents.ts';
import { openService } from './service.ts';

export { ACTUATION_BODY_BYTES } from './limits.ts';

export interface Dispatches {
  /** For whoever serves `herdr_call`. */
  methods: Readonly<Record<string, Method>>;
  /** The body of `POST /extension/browser/actuation`; undefined when it fits no operation. */
  actuate(body: unknown): ActuationAnswer | undefined;
  forget(): void;
  stop(): Promise<void>;
}

export interface DispatchesParts {
  state: State;
  nowMs: () => number;
  random: (bytes: number) => Uint8Array;
  log: Log;
  /** Told to every stream of the extension's socket. */
  wake: (event: ActuationEvent) => void;
  /** Gives the unacknowledged tasks of one conversation to another one; how many there were. */
  moveTasks: (from: string, to: string) => number;
  /** Which conversation a connector's call came from. */
  callers: Pick<Callers, 'prove'>;
  /** Prompts a local agent under a dispatch id of its own. */
  send: SendPrompt;
  /** Whether this generation is the one that tells. */
  isActive: () => boolean;
}

export function openDispatches(parts: DispatchesParts): Dispatches {
  const grants = openGrants(parts.state);
  const service = openService({ ...parts, settled: () => parents.look(), stillGranted: grants.still });
  const parents = tellParents(service, { ...parts, newDispatchId: () => dispatchId(parts.nowMs(), parts.random(10)) });
  return {
    methods: browserMethods(service, grants),
    actuate: openActuation(service, parts.log),
    forget: service.forget,
    stop: parents.stop,
  };
}
