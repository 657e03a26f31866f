/**
 * Where the worker's events meet a handoff: who may begin one, what each of them has to know, and the one write in which
 * the line of work moves. Until that write everything stays with the source. Pure.
 */
import type { Reason } from '../../messages.ts';
import type { PageIdentity } from '../../page.ts';
import { asking, type Trigger } from '../handoff/index.ts';
import { autoOf } from './auto.ts';
import { conversationRows } from './binding.ts';
import { DONE, type Event, type Step } from './events.ts';
import { ofAgents } from './handoff-agents.ts';
import { isHandedElsewhere } from './handoff-elsewhere.ts';
import { startObjection, transferOf } from './handoff-guards.ts';
import { factsOf, hex32, joined, moved, type Run, requests, start, wrapped } from './handoff-run.ts';
import { ended, ending, wentOn } from './handoff-takeover.ts';
import { CONFIRM_AGAIN_MS } from './limits.ts';
import { tabOf } from './ready.ts';
import { owned } from './renamed.ts';
import type { State } from './state.ts';

/** What one event means for the handoffs, after everything else that it means. */
export function moving(done: Step, event: Event, now: number): Step {
  let run: Run = { state: done.state, effects: done.effects.filter(({ type }) => type !== 'rollover.due') };
  for (const effect of done.effects) {
    if (effect.type === 'rollover.due') run = automatic(run, effect.conversation, effect.reason, now);
  }
  if (event.type === 'handoff') run = moved(run, event.transfer, event.event, now);
  if (event.type === 'cut_over') run = { ...run, state: withoutCutover(run.state, event) };
  if (event.type === 'actuation') run = told(ofAgents(run, event, now), event, now);
  if (event.type === 'handoff_ended') run = ended(run, event);
  if (event.type === 'turn_accepted' || event.type === 'turn_ended') run = seenAt(run, event.from.page, now);
  if (event.type === 'turn_accepted') run = wentOn(run, event.from.page, event.submitted !== 'extension', now);
  // A person's words in a chat of the bridge go out as a message of ours; they are a person's all the same.
  if (event.type === 'bridge' && event.event.type === 'say' && event.from !== null)
    run = wentOn(run, event.from.page, true, now);
  run = requests(run, now);
  const look = LOOKS[event.type];
  if (look !== undefined) {
    for (const id of Object.keys(run.state.transfers)) run = moved(run, id, { type: look }, now);
    if (event.type !== 'here' && event.type !== 'page')
      run = ending(confirming(run, look === 'restarted', now), look === 'restarted', now);
  }
  return run.state === done.state && run.effects.length === done.effects.length ? done : { ...done, ...run };
}

const LOOKS: Partial<Record<Event['type'], 'look' | 'restarted'>> = {
  started: 'restarted',
  hello: 'look',
  tick: 'look',
  here: 'look',
  page: 'look',
};

/** The one press: begins a handoff, or looks again for one that is in doubt. */
export function pressHandoff(state: State, event: Extract<Event, { type: 'action' }>, now: number): Step {
  const { page, tab } = event.from;
  const running = transferOf(state, page);
  if (running !== undefined) {
    if (running.phase !== 'uncertain') return refuse(state, 'transfer_active');
    return { ...moved({ state, effects: [] }, running.id, { type: 'resumed' }, now), reply: DONE };
  }
  const why = startObjection(state, page, tab, event.fresh);
  if (why !== null) return refuse(state, why);
  const begun = start(state, page, tab, 'manual', event.id.replaceAll('-', ''), now);
  return { ...begun, reply: DONE };
}

const refuse = (state: State, reason: Reason): Step => ({ state, effects: [], reply: { ok: false, reason } });

/** By itself: only from the chat that its Project's messages go to, and only with Auto. */
function automatic(run: Run, conversation: string, trigger: Exclude<Trigger, 'manual'>, now: number): Run {
  const { state } = run;
  const tab = tabOf(state, conversation, null);
  const page = tab === null ? undefined : state.tabs[tab]?.page;
  if (tab === null || page === undefined) return run;
  const elsewhere = conversationRows(Object.values(state.bindings), page).some(
    ({ target }) => target !== null && target.conversation !== conversation,
  );
  if (
    elsewhere ||
    isHandedElsewhere(state, conversation) ||
    !autoOf(state, page).effective ||
    startObjection(state, page, tab, null) !== null
  )
    return run;
  return joined(run, start(state, page, tab, trigger, hex32(`${conversation}\n${now}`), now));
}

/** A turn stands in the new chat, or one of the source is over: now its page can say whether that is what is waited for. */
function seenAt(run: Run, page: Pick<PageIdentity, 'conversation'>, now: number): Run {
  const waiting = Object.values(run.state.transfers).find(
    ({ phase, target, conversation }) =>
      (phase === 'verifying' && target?.conversation === page.conversation) ||
      (phase === 'summarising' && conversation === page.conversation),
  );
  return waiting === undefined ? run : moved(run, waiting.id, { type: 'restarted' }, now);
}

/** This browser has told what it saw: the handoff that waits for it looks at once. */
function told(run: Run, event: Extract<Event, { type: 'actuation' }>, now: number): Run {
  if (event.event.type !== 'reported' || event.event.answer !== 'told' || event.dispatch === undefined) return run;
  const waiting = Object.values(run.state.transfers).find(({ dispatch }) => dispatch === event.dispatch);
  if (waiting === undefined) return run;
  const asked = { ...waiting, askedAt: now };
  return {
    state: { ...run.state, transfers: { ...run.state.transfers, [waiting.id]: asked } },
    effects: [...run.effects, ...asking(asked, factsOf(run.state, asked, now)).map(wrapped)],
  };
}

/** The runtime has not confirmed yet what was moved: it is told again, which is harmless. */
function confirming({ state, effects }: Run, restarted: boolean, now: number): Run {
  const due = Object.values(state.cutovers).filter(({ askedAt }) => restarted || now - askedAt >= CONFIRM_AGAIN_MS);
  if (due.length === 0 || state.link !== 'connected') return { state, effects };
  const asked = Object.fromEntries(due.map((one) => [one.id, { ...one, askedAt: now }]));
  return {
    state: { ...state, cutovers: { ...state.cutovers, ...asked } },
    effects: [...effects, ...due.map((cutover) => ({ type: 'cut_over' as const, cutover }))],
  };
}

/** The runtime has given the open tasks to the new chat: they are acknowledged by that one from now on. */
function withoutCutover(state: State, { id, target }: Extract<Event, { type: 'cut_over' }>): State {
  const { [id]: gone, ...cutovers } = state.cutovers;
  return gone === undefined ? state : { ...owned(state, gone.source, target), cutovers };
}
