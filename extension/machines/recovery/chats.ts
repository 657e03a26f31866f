/** The health of every conversation: one event for one of them. Pure. */
import { CHATS_KEPT } from './limits.ts';
import type { Advice, Context, Recovery, RecoveryEvent } from './state.ts';
import { WELL } from './state.ts';
import { recover } from './step.ts';

export interface Advised extends Omit<Advice, 'health'> {
  recovery: Recovery;
}

/** The same object when nothing has changed, so that nothing is written. */
export function recoverChat(recovery: Recovery, conversation: string, event: RecoveryEvent, context: Context): Advised {
  const before = recovery.chats[conversation] ?? WELL;
  const { health, effects, refused } = recover(before, event, context);
  if (health === before || JSON.stringify(health) === JSON.stringify(before)) return { recovery, effects, refused };
  const chats = { ...recovery.chats, [conversation]: { ...health, updatedAt: context.now } };
  return { recovery: { ...recovery, chats: newest(chats) }, effects, refused };
}

function newest(chats: Recovery['chats']): Recovery['chats'] {
  const all = Object.entries(chats);
  if (all.length <= CHATS_KEPT) return chats;
  return Object.fromEntries(all.sort(([, a], [, b]) => b.updatedAt - a.updatedAt).slice(0, CHATS_KEPT));
}
