/** The delivery service as the worker lives with it: what waits is asked for when the stream says so, answers are told. */
import type { Event, State } from '../machines/worker/index.ts';
import type { Turn } from '../messages.ts';
import type { PageIdentity } from '../page.ts';
import { createAnswers } from './answers.ts';
import { createDispatchDoor, isActuationEvent } from './dispatches.ts';
import { askPage } from './effects.ts';
import { createLeave } from './leave.ts';
import type { NativePort } from './native.ts';
import type { Registry } from './registry.ts';

export interface MovingDoorParts {
  native: NativePort;
  registry: Registry;
  state(): Promise<State>;
  take(event: Event): Promise<unknown>;
  version: string;
  /** Names this life of the worker. */
  claimant: string;
}

export function createMovingDoor({ native, registry, state, take, version, claimant }: MovingDoorParts) {
  const dispatches = createDispatchDoor(native, registry);
  const answers = createAnswers({
    ...{ dispatches, state, take },
    askPage: (tab, conversation, of) => askPage(version, tab, conversation, 'answer', { of }),
  });
  async function look(): Promise<void> {
    const waiting = await dispatches.waiting();
    if (waiting !== null && waiting.length > 0) await take({ type: 'actuations', waiting, claimant });
  }
  return {
    dispatches,
    leave: createLeave({ dispatches, state }),
    /** An event of the runtime's stream: a connect, or the word that something waits. */
    heard(event: Event): void {
      if (event.type === 'hello' || (event.type === 'pushed' && isActuationEvent(event.name))) void look();
    },
    turn(page: PageIdentity, turn: { user: Turn | null; assistant: Turn | null; ended: boolean }): void {
      if (turn.ended) void answers.ended(page, turn);
    },
    answer: answers.look,
  };
}
