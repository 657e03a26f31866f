/**
 * The last word before Send: words of the delivery service stand in the composer, and the runtime is asked once more whether
 * they may go out. A page may have waited since it was allowed to begin, and a person may have taken something back.
 */
import { deliveryIdOf, type State } from '../machines/worker/index.ts';
import type { Reason } from '../messages.ts';
import type { DispatchDoor } from './dispatches.ts';

export interface LeaveParts {
  dispatches: Pick<DispatchDoor, 'confirm'>;
  state(): Promise<State>;
}

const OBJECTIONS = [
  'account_changed',
  'account_unknown',
  'signed_out',
  'consent_withdrawn',
  'consent_changed',
  'grant_withdrawn',
  'capability_changed',
] as const satisfies readonly Reason[];

/** Why a message must not be submitted; null: it may, or it is none of the delivery service's. */
export function createLeave({ dispatches, state }: LeaveParts): (delivery: string) => Promise<Reason | null> {
  return async (delivery) => {
    const { actuations } = await state();
    const one = Object.values(actuations).find(({ id }) => deliveryIdOf(id) === delivery);
    // Nobody would tell the runtime what became of it any more.
    if (one?.command == null) return delivery.startsWith(deliveryIdOf('')) ? 'wake_in_flight' : null;
    // The page has held its account against the one that is meant a moment ago.
    const answer = await dispatches.confirm(one.id, one.claimant, one.command.account_ref ?? 'account_unknown');
    if (answer === null) return 'runtime_unavailable';
    if (answer === 'confirmed') return null;
    if (typeof answer === 'string') return 'wake_in_flight';
    return OBJECTIONS.find((known) => known === answer.objection) ?? 'unknown_message';
  };
}
