/** Small models for the tables of Auto in the whole worker. */
import type { JudgedTurn } from '../../../extension/machines/auto/index.ts';
import type { Effect, Event } from '../../../extension/machines/worker/index.ts';
import { goal } from '../auto/support.ts';

interface Models {
  services?: { evaluate: boolean; chat: boolean };
  noul?: number | null;
  content?: (asked: string) => unknown;
  withGoal?: boolean;
}

/** They say what they are told to say. */
export function models({
  services = { evaluate: true, chat: true },
  noul = 0.9,
  content,
  withGoal = false,
}: Models = {}) {
  return (wanted: Extract<Effect, { type: 'judge' | 'services' }>, shown: JudgedTurn | null): Event | null => {
    if (wanted.type === 'services') return { type: 'services', services };
    const { conversation, wants } = wanted;
    const judged = (event: Extract<Event, { type: 'judged' }>['event']): Event => ({
      type: 'judged',
      conversation,
      event,
    });
    switch (wants.type) {
      case 'read':
        return shown === null ? null : judged({ type: 'turn', turn: shown, confirmed: false });
      case 'prepare':
        return judged({ ...wants, type: 'prepared', services, goal: withGoal ? goal() : null });
      case 'evaluate':
        return judged({
          ...wants,
          type: 'evaluated',
          answers: noul === null ? null : { remains: { type: 'noul', noul } },
        });
      case 'chat':
        return judged({ ...wants, type: 'chatted', content: content?.(wants.asked.user) ?? null });
      case 'checkpoint':
        return null;
    }
  };
}
