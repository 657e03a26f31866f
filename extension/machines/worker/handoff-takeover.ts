/**
 * A person does not wait for a handoff: writing on frees the chat. What was given to the delivery service is ended there, so
 * that it does not happen later; where it may have happened already, that is said. Pure.
 */
import type { DispatchView } from '../../../contract/browser/dispatch.ts';
import { PROVED_UNDELIVERED } from '../../../contract/browser/dispatch.ts';
import { type PageIdentity, projectOf } from '../../page.ts';
import { DELIVER_MS, ENDING_MS, type Handed, type Transfer } from '../handoff/index.ts';
import type { Event } from './events.ts';
import { moved, over, type Run, wrapped } from './handoff-run.ts';
import { CONFIRM_AGAIN_MS } from './limits.ts';
import type { State } from './state.ts';

/**
 * A user turn stands in a chat. A person's own in the source of a handoff that is in doubt, that waits for a service which
 * does not answer, or that has given nothing to anybody yet: the work stays there. Any turn in another chat of the same
 * place: that may be the new one, and its page can say so.
 */
export function wentOn(run: Run, page: PageIdentity, byPerson: boolean, now: number): Run {
  let next = run;
  for (const one of Object.values(run.state.transfers)) {
    const { id, phase, site, projectKey, conversation } = one;
    if (page.conversation === conversation) {
      if (byPerson && mayBeLeft(one, now)) next = left(next, one, now);
    } else if (phase === 'uncertain' && site === page.site && projectKey === (projectOf(page)?.key ?? null)) {
      next = moved(next, id, { type: 'resumed' }, now);
    }
  }
  return next;
}

/** Nothing was given to anybody yet. */
const isOwn = ({ phase }: Transfer): boolean => phase === 'preparing' || phase === 'summarising';

const mayBeLeft = (one: Transfer, now: number): boolean =>
  isOwn(one) || one.phase === 'uncertain' || (one.phase === 'delivering' && now - one.since >= DELIVER_MS);

function left({ state, effects }: Run, one: Transfer, now: number): Run {
  const target = one.target?.conversation ?? null;
  const given = { as: 'failed' as const, copy: null, target, at: now };
  // There is nothing to end.
  if (isOwn(one)) return { state: over(state, one, { ...given, reason: 'taken_over' }), effects };
  const ending: Transfer = { ...one, since: now, askedAt: now };
  const free = over(state, one, { ...given, reason: 'delivery_uncertain' });
  return {
    state: { ...free, endings: { ...free.endings, [one.id]: ending } },
    effects: [...effects, wrapped({ type: 'end', transfer: ending })],
  };
}

/** What the delivery service says of one that was ended. `never`: it could not have taken it at all. */
export function ended(run: Run, { transfer: id, answer }: Extract<Event, { type: 'handoff_ended' }>): Run {
  const ending = run.state.endings[id];
  if (ending === undefined || answer === null) return run;
  if (answer === 'never' || PROVED_UNDELIVERED.has(answer.delivery_state)) {
    const became: Partial<Handed> = { reason: 'taken_over', copy: ending.message };
    return { ...run, state: told(withoutEnding(run.state, id), ending, became) };
  }
  if (answer.delivery_state === 'applied') {
    const became: Partial<Handed> = { reason: 'delivered_before', target: answer.canonical_url };
    return { ...run, state: told(withoutEnding(run.state, id), ending, became) };
  }
  return isSettled(answer) ? { ...run, state: withoutEnding(run.state, id) } : run;
}

/** Its browser has told all that it knows. */
const isSettled = ({ reason }: DispatchView): boolean => reason !== null;

/** Only of what is still shown: the chat may have begun another handoff since. */
function told(state: State, { conversation, since }: Transfer, became: Partial<Handed>): State {
  const shown = state.handed[conversation];
  if (shown?.reason !== 'delivery_uncertain' || shown.at !== since) return state;
  return { ...state, handed: { ...state.handed, [conversation]: { ...shown, ...became } } };
}

/** The service has not answered, or a browser has it and may still say what came of it: it is asked again, for a while. */
export function ending(run: Run, restarted: boolean, now: number): Run {
  let next = run;
  for (const one of Object.values(run.state.endings)) {
    if (now - one.since >= ENDING_MS) next = { ...next, state: withoutEnding(next.state, one.id) };
    else if (restarted || now - one.askedAt >= CONFIRM_AGAIN_MS || now < one.askedAt) {
      const asked = { ...one, askedAt: now };
      next = {
        state: { ...next.state, endings: { ...next.state.endings, [one.id]: asked } },
        effects: [...next.effects, wrapped({ type: 'end', transfer: asked })],
      };
    }
  }
  return next;
}

function withoutEnding(state: State, id: string): State {
  const { [id]: _over, ...endings } = state.endings;
  return { ...state, endings };
}
