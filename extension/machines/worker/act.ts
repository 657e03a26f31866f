/** What a person asks for: the buttons of the bar, the Queue, the switch. Pure. */
import type { Language } from '../../../look/words/index.ts';
import type { PageIdentity } from '../../page.ts';
import { setAuto } from './auto.ts';
import { bindingsOf } from './binding.ts';
import { wakesOf } from './elsewhere.ts';
import { DONE, type Event, type Fresh, type Reply, type Step } from './events.ts';
import { hudOf, seenOf } from './hud.ts';
import { plan } from './message.ts';
import { advance, factsOf } from './plan.ts';
import { clearQueue, enqueue, undoubted } from './queue.ts';
import { checkText, continueText, settledText } from './render.ts';
import { boundTo, openDelivery, type State, withBinding } from './state.ts';

const refuse = (state: State, reason: Extract<Reply, { ok: false }>['reason']): Step => ({
  state,
  effects: [],
  reply: { ok: false, reason },
});

/** Persisted first; the page clears its composer only after the answer. An idle page gets it at once. */
export function queueAdd(state: State, event: Extract<Event, { type: 'queue_add' }>, now: number): Step {
  const { conversation } = event.from.page;
  if (conversation === null) return refuse(state, 'conversation_required');
  const added = enqueue(state, conversation, event.entry, now);
  if (added.reason !== null) return refuse(state, added.reason);
  // The page still shows the text as its draft; the flush waits until it reports an empty composer.
  return { ...advance(added.state, conversation, now), reply: DONE };
}

/** A person wants what waits sent now, also after an uncertain delivery. */
export function queueFlush(state: State, event: Extract<Event, { type: 'queue_flush' }>, now: number): Step {
  const { conversation } = event.from.page;
  if (conversation === null) return refuse(state, 'conversation_required');
  if (!state.queues[conversation]) return refuse(state, 'queue_empty');
  if (openDelivery(state, conversation)) return refuse(state, 'wake_in_flight');
  return { ...advance(undoubted(state, conversation), conversation, now, true), reply: DONE };
}

export function queueClear(state: State, event: Extract<Event, { type: 'queue_clear' }>): Step {
  const { conversation } = event.from.page;
  if (conversation === null) return refuse(state, 'conversation_required');
  if (openDelivery(state, conversation)?.kind === 'queue') return refuse(state, 'wake_in_flight');
  return { state: clearQueue(state, conversation), effects: [], reply: DONE };
}

/** One press. What moves the conversation on is locked while Auto does; the reading part of Check never is. */
export function press(state: State, event: Extract<Event, { type: 'action' }>, language: Language, now: number): Step {
  const { action, from, fresh } = event;
  const { page, tab } = from;
  if (action.name === 'auto') {
    const set = setAuto(state, page, action.on);
    if (set.reason !== null) return refuse(state, set.reason);
    const moved =
      page.conversation === null ? { state: set.state, effects: [] } : advance(set.state, page.conversation, now);
    return { ...moved, reply: DONE };
  }
  const why = hudOf(state, page, tab, language).actions[action.name];
  if (why !== null) return refuse(state, why);
  const rows = bindingsOf(state, page, tab);
  if (action.name === 'check') {
    if (fresh === null) return refuse(state, 'runtime_unavailable');
    const seen = seenOf(fresh, rows);
    const text = checkText(
      language,
      rows.map((row) => factsOf(fresh, row)),
      continueText(language, state.config.continueMessage),
    );
    const sent = send(state, event, page, { kind: 'check', text }, now);
    const notSent = sent.reply.ok ? null : sent.reply.reason;
    return { ...sent, reply: { ok: true, seen, notSent } };
  }
  if (action.name === 'continue') {
    return send(
      state,
      event,
      page,
      { kind: 'continue', text: continueText(language, state.config.continueMessage) },
      now,
    );
  }
  if (action.name === 'decide') return decided(state, event, language, now);
  if (action.name === 'send_settled') return sendSettled(state, event, language, now);
  return refuse(state, 'not_available_yet');
}

function send(
  state: State,
  event: Extract<Event, { type: 'action' }>,
  page: PageIdentity,
  message: { kind: 'continue' | 'check' | 'decide'; text: string },
  now: number,
): Step {
  const { conversation } = page;
  if (conversation === null) return refuse(state, 'conversation_required');
  if (openDelivery(state, conversation)) return refuse(state, 'wake_in_flight');
  const id = `${message.kind}:${event.id}`;
  const planned = plan(state, { id, ...message, conversation, manual: true }, now);
  return { ...advance(planned, conversation, now), reply: DONE };
}

/** A person asked the judge: only its clear "continue" sends anything, and what it sends is the person's own message. */
function decided(state: State, event: Extract<Event, { type: 'action' }>, language: Language, now: number): Step {
  const { verdict = null } = event;
  if (verdict === null) return refuse(state, 'judge_unavailable');
  if (verdict !== 'continue')
    return {
      state,
      effects: [],
      reply: { ok: true, seen: null, notSent: verdict === 'done' ? 'judged_done' : 'judge_not_sure' },
    };
  const text = continueText(language, state.config.continueMessage);
  return send(state, event, event.from.page, { kind: 'decide', text }, now);
}

/** The wake that Auto would have sent, by a person's hand. */
export function sendSettled(
  state: State,
  event: { id: string; fresh: Fresh | null; from: { page: Pick<PageIdentity, 'conversation'> } },
  language: Language,
  now: number,
): Step {
  const { conversation } = event.from.page;
  if (conversation === null) return refuse(state, 'conversation_required');
  const row = boundTo(state, conversation).find(({ activity }) => activity.pending !== null);
  const pending = row?.activity.pending;
  if (!row || !pending) return refuse(state, 'nothing_settled');
  if (event.fresh === null) return refuse(state, 'runtime_unavailable');
  const own = state.config.settledTemplate;
  const text = settledText(language, own, factsOf(event.fresh, row), pending.panes, pending.missed);
  const consumed = withBinding(state, { ...row, activity: { ...row.activity, pending: null } });
  const given = { id: `settled:${event.id}`, kind: 'settled' as const, conversation, text, manual: true, rows: [row] };
  const claims = { keys: wakesOf(row) };
  const planned = plan(consumed, { ...given, claims, restore: { pending: { [row.id]: pending } } }, now);
  return { ...advance(planned, conversation, now), reply: DONE };
}
