/**
 * One line of work has one successor, also when two browsers have its chat: whoever begins a new chat for it claims the
 * chain in the old one. A person's press, and an agent's handoff, are decided; they claim it so that the others hear. Pure.
 */
import type { WakeOutcome } from '../../../contract/extension/wake.ts';
import type { Handed, Transfer } from '../handoff/index.ts';
import type { Claim, Told } from './claims.ts';
import { HANDED_OVER_MS } from './limits.ts';
import type { State } from './state.ts';

/** What is claimed before the delivery service is given it; null: it has no chain that others know. */
export function handoffClaimOf({ conversation, continuityId, trigger }: Transfer): Claim | null {
  if (continuityId === null) return null;
  const byPerson = trigger === 'manual' || trigger === 'local_agent';
  // A person who goes back to the old chat may hand it over anew from here.
  return { conversation, keys: [`handoff:${continuityId}`], againMs: HANDED_OVER_MS, byPerson, panes: [] };
}

/** Another browser has begun its successor, or may have: what Auto wants here ends with that, until a person presses. */
export const isHandedElsewhere = ({ handed }: State, conversation: string): boolean =>
  isElsewhere(handed[conversation]?.reason ?? null);

const isElsewhere = (reason: Handed['reason']): boolean =>
  reason === 'done_elsewhere' || reason === 'doubtful_elsewhere';

/** What the runtime has to hear: the handoffs that came to an end in this step. */
export function endedHandoffs(before: State, after: State): Told[] {
  if (before.transfers === after.transfers && before.endings === after.endings) return [];
  const open = { ...before.transfers, ...before.endings };
  return Object.values(open).flatMap((one) => {
    const claim = handoffClaimOf(one);
    const goesOn = after.transfers[one.id] !== undefined || after.endings[one.id] !== undefined;
    const handed = after.handed[one.conversation];
    if (claim === null || goesOn || handed === undefined || isElsewhere(handed.reason)) return [];
    return [{ id: one.id, claim, outcome: outcomeOf(handed), unclaimed: one.trigger === 'local_agent' }];
  });
}

/** A new chat that has the message is the successor, whatever became of the move to it. */
function outcomeOf({ as, reason, target }: Handed): WakeOutcome {
  if (as === 'committed' || target !== null) return 'sent';
  return reason === 'delivery_uncertain' || reason === 'target_is_source' ? 'uncertain' : 'unsent';
}
