/** The first wake, by a person's hand: what settled, when something has; else a message that only asks for an answer. Pure. */
import type { Language } from '../../../look/words/index.ts';
import { sendSettled } from './act.ts';
import { bindingsOf } from './binding.ts';
import { DONE, type Event, type Step } from './events.ts';
import { plan } from './message.ts';
import { advance, factsOf } from './plan.ts';
import { trialText } from './render.ts';
import { openDelivery, type State } from './state.ts';

export function trial(state: State, event: Extract<Event, { type: 'trial' }>, language: Language, now: number): Step {
  const refuse = (reason: Extract<Step['reply'], { ok: false }>['reason']): Step => ({
    state,
    effects: [],
    reply: { ok: false, reason },
  });
  const page = state.tabs[event.tab]?.page;
  if (state.link === 'standby') return refuse('standby');
  if (!page?.conversation) return refuse('conversation_required');
  const { conversation } = page;
  const bound = bindingsOf(state, page, event.tab);
  const rows = bound.filter(({ target }) => target?.conversation === conversation);
  if (rows.length === 0) return refuse(bound.length === 0 ? 'unbound' : 'no_target');
  if (openDelivery(state, conversation)) return refuse('wake_in_flight');
  if (event.fresh === null) return refuse('runtime_unavailable');
  const { id, fresh } = event;
  if (rows.some(({ activity }) => activity.pending !== null)) {
    return sendSettled(state, { id, fresh, from: { page } }, language, now);
  }
  const text = trialText(
    language,
    rows.map((row) => factsOf(fresh, row)),
  );
  const planned = plan(state, { id: `trial:${id}`, kind: 'check', conversation, text, manual: true }, now);
  return { ...advance(planned, conversation, now), reply: DONE };
}
