/**
 * One act for the delivery service. Each phase is written down before anybody is asked for it. What presses or sends is
 * asked for once; what only asks, opens or looks may be asked again. Evidence holds what was seen and nothing else. Pure.
 */
import type { ActuationCommand, Evidence } from '../../../contract/browser/actuation.ts';
import { closing, deferred, doubtful, putAway } from './archive.ts';
import {
  ASK_AGAIN_MS,
  CLAIMING_MS,
  DEFER_MS,
  KEPT_MS,
  LOADING_MS,
  OPENINGS_MAX,
  PROVE_AGAIN_MS,
  PROVING_MS,
  SENDING_MS,
} from './limits.ts';
import { lookForIt, pressed, proved } from './press.ts';
import { show, showing } from './show.ts';
import type { Actuation, ActuationEffect, ActuationEvent, ActuationStep, Facts } from './state.ts';
import {
  ambiguous,
  at,
  defer,
  inVain,
  isAmbiguous,
  lateness,
  name,
  nothing,
  report,
  same,
  unknown,
  word,
} from './told.ts';

export function begin(id: string, claimant: string, now: number): ActuationStep {
  const actuation: Actuation = {
    id,
    claimant,
    phase: 'claiming',
    command: null,
    tab: null,
    openings: 0,
    account: null,
    deferred: null,
    evidence: null,
    createdAt: now,
    since: now,
    askedAt: now,
  };
  return { actuation, effects: [{ type: 'claim', id, claimant }] };
}

export function actuate(actuation: Actuation, event: ActuationEvent, facts: Facts): ActuationStep {
  // Long over for everybody else; a clock that was put back ends nothing. What was done is told late rather than never.
  const kept = actuation.phase === 'claiming' ? CLAIMING_MS : KEPT_MS;
  if (facts.now - actuation.createdAt > kept) return { actuation: null, effects: [] };
  if (event.type === 'look' || event.type === 'restarted') return look(actuation, event.type === 'restarted', facts);
  switch (actuation.phase) {
    case 'claiming':
      return event.type === 'claimed' ? claimed(actuation, event, facts) : same(actuation);
    case 'opening':
      return event.type === 'opened' ? opened(actuation, event.tab, facts) : same(actuation);
    case 'checking':
      return event.type === 'checked' ? checked(actuation, event, facts) : same(actuation);
    case 'proving':
      // A page that was slow to say it is still the one that knows what it pressed.
      if (event.type === 'pressed') return pressed(actuation, event, facts);
      return event.type === 'proved' ? proved(actuation, event.done, facts) : same(actuation);
    case 'closing':
      return event.type === 'put_away' ? putAway(actuation, event.tab, facts) : same(actuation);
    case 'sending':
      return event.type === 'delivered' ? delivered(actuation, event, facts) : same(actuation);
    case 'pressing':
      return event.type === 'pressed' ? pressed(actuation, event, facts) : same(actuation);
    case 'naming':
      return event.type === 'named' ? named(actuation, event, facts) : same(actuation);
    case 'reporting':
      if (event.type === 'reported') return reported(actuation, event.answer, facts);
      return provedLate(actuation, event, facts);
    case 'doubting':
      return provedLate(actuation, event, facts);
    case 'loading':
    case 'deferring':
    case 'showing':
      return same(actuation);
  }
}

function claimed(
  one: Actuation,
  { command, objection }: Extract<ActuationEvent, { type: 'claimed' }>,
  facts: Facts,
): ActuationStep {
  if (command === 'unknown') return same(one);
  if (command === null) return { actuation: null, effects: [] };
  const known = { ...one, command };
  if (objection !== undefined)
    return report(known, { ...nothing(command), refused: word(objection, 'page_refused') }, facts);
  if (command.operation === 'session.create') return open(known, command, facts);
  if (command.session === null || command.session.canonical_url === '')
    return report(known, { ...nothing(command), resource_available: false, reason: 'address_unknown' }, facts);
  if (facts.open === 'several') return report(known, ambiguous(command), facts);
  return facts.open === null ? open(known, command, facts) : ready({ ...known, tab: facts.open }, command, facts);
}

function open(one: Actuation, command: ActuationCommand, { now }: Facts): ActuationStep {
  // An answer that nobody can see is not stopped by opening its chat.
  if (command.operation === 'generation.stop')
    return report(one, { ...nothing(command), resource_available: false, reason: 'no_tab' }, { now });
  const next = { ...at(one, 'opening', now), openings: one.openings + 1 };
  return { actuation: next, effects: [{ type: 'open', id: one.id, command }] };
}

function opened(one: Actuation, tab: number | null, facts: Facts): ActuationStep {
  const { command } = one;
  if (command === null) return same(one);
  if (tab === null) return report(one, { ...nothing(command), reason: 'tab_not_opened' }, facts);
  return { actuation: { ...at(one, 'loading', facts.now), tab }, effects: [] };
}

/** The page is there. What would end the chat waits until it is quiet; anything else may begin when the last question is answered. */
function ready(one: Actuation, command: ActuationCommand, facts: Facts): ActuationStep {
  const { tab, id, claimant } = one;
  if (tab === null) return same(one);
  if (command.operation === 'session.archive' && facts.unquiet !== null) return defer(one, facts.unquiet, facts);
  return { actuation: at(one, 'checking', facts.now), effects: [{ type: 'check', id, claimant, tab, command }] };
}

function checked(before: Actuation, event: Extract<ActuationEvent, { type: 'checked' }>, facts: Facts): ActuationStep {
  const { command, tab, id } = before;
  const { answer, account } = event;
  if (command === null || tab === null || answer === 'later') return same(before);
  if (answer === 'over') return { actuation: null, effects: inVain(before) };
  const refuse = (reason: string) =>
    report(before, { ...nothing(command), refused: word(reason, 'not_confirmed') }, facts);
  if (answer === 'refused') return refuse(event.reason);
  // What is meant for an account is never sent without one to hold the page to.
  if (command.account_ref !== null && account === null) return refuse('account_unknown');
  if (isAmbiguous(command, facts)) return report(before, ambiguous(command), facts);
  // A turn may have begun while it was asked.
  if (command.operation === 'session.archive' && facts.unquiet !== null) return defer(before, facts.unquiet, facts);
  const one = { ...before, account };
  switch (command.operation) {
    case 'session.create':
    case 'composer.submit':
      return { actuation: at(one, 'sending', facts.now), effects: [{ type: 'send', id, tab, command, account }] };
    case 'generation.stop':
    case 'session.archive':
      return { actuation: at(one, 'pressing', facts.now), effects: [{ type: 'press', id, tab, command, account }] };
    case 'session.open':
      return show(one, command, facts);
  }
}

function delivered(one: Actuation, event: Extract<ActuationEvent, { type: 'delivered' }>, facts: Facts): ActuationStep {
  const { command } = one;
  if (command === null) return same(one);
  const seen: Evidence = { observed_generation: command.expected_generation, command_accepted: null };
  if (event.as === 'blocked')
    return report(one, { ...nothing(command), refused: word(event.reason, 'page_refused') }, facts);
  if (event.as === 'uncertain')
    return report(one, { ...seen, reason: word(event.reason, 'delivery_uncertain') }, facts);
  const sent: Evidence = {
    ...seen,
    command_accepted: true,
    message_baseline_advanced: true,
    generation_status: 'generating',
    ...(event.messageId === null ? {} : { accepted_message_ref: event.messageId }),
  };
  return name({ ...one, evidence: sent }, { ...facts, conversation: event.conversation ?? facts.conversation });
}

function named(one: Actuation, event: Extract<ActuationEvent, { type: 'named' }>, facts: Facts): ActuationStep {
  const { evidence, command } = one;
  if (evidence === null || command === null) return same(one);
  // Without a runtime there is nobody to name it, and nobody to tell either: it is asked again.
  if (event.ref === null || event.generation === null) return same(one);
  const sends = command.message !== null;
  const seen: Evidence = {
    ...evidence,
    session_ref: event.ref,
    ...(evidence.lifecycle === undefined ? { lifecycle: 'active' as const } : {}),
    ...(sends && evidence.accepted_message_ref === undefined && event.message !== null
      ? { accepted_message_ref: event.message }
      : {}),
  };
  return report(one, seen, facts);
}

function reported(one: Actuation, answer: 'told' | 'over' | null, { now }: Facts): ActuationStep {
  if (answer === null) return same(one);
  const doubt = one.command?.message != null && one.evidence?.command_accepted === null;
  return { actuation: answer === 'told' && doubt ? at(one, 'doubting', now) : null, effects: [] };
}

/** That it may have arrived was told, or is being told; now its turn was seen, in whichever tab of the chat. */
function provedLate(one: Actuation, event: ActuationEvent, facts: Facts): ActuationStep {
  const doubt = event.type === 'delivered' && event.as === 'sent' && one.evidence?.command_accepted === null;
  return doubt
    ? delivered({ ...one, tab: typeof facts.open === 'number' ? facts.open : one.tab }, event, facts)
    : same(one);
}

/** Nobody has spoken of it for a while, or the worker that asked is gone. */
function look(one: Actuation, restarted: boolean, facts: Facts): ActuationStep {
  const { now } = facts;
  const { command, evidence, id, claimant } = one;
  const due = restarted || now - one.askedAt >= ASK_AGAIN_MS || now < one.askedAt;
  const asked = { ...one, askedAt: now };
  if (one.phase === 'claiming')
    return due ? { actuation: asked, effects: [{ type: 'claim', id, claimant }] } : same(one);
  if (command === null) return same(one);
  const over = now - one.since >= LOADING_MS;
  switch (one.phase) {
    case 'opening':
      if (restarted && one.openings < OPENINGS_MAX) return open(one, command, facts);
      return restarted || over ? report(one, { ...nothing(command), reason: 'tab_not_opened' }, facts) : same(one);
    case 'loading':
      if (facts.tab === 'ready') return ready(one, command, facts);
      if (over || facts.tab === 'gone') return report(one, { ...nothing(command), reason: lateness(facts) }, facts);
      return same(one);
    case 'deferring':
      return deferred(one, command, facts, ready);
    case 'checking':
      if (facts.tab !== 'ready' && isAmbiguous(command, facts)) return report(one, ambiguous(command), facts);
      if (facts.tab !== 'ready' && facts.open !== one.tab && command.session !== null) {
        // Its tab does not show the chat any more, and nothing was done in it: another one does, or is opened.
        if (typeof facts.open === 'number') return ready({ ...one, tab: facts.open }, command, facts);
        if (one.openings < OPENINGS_MAX) return open(one, command, facts);
      }
      if (facts.tab === 'gone' || (over && !mayWaitFor(command)) || now - one.createdAt > DEFER_MS)
        return report(one, { ...nothing(command), reason: 'not_confirmed' }, facts);
      return due && one.tab !== null
        ? { actuation: asked, effects: [{ type: 'check', id, claimant, tab: one.tab, command }] }
        : same(one);
    case 'proving': {
      if (now - one.since >= PROVING_MS) return doubtful(one, command, facts);
      const again = restarted || now - one.askedAt >= PROVE_AGAIN_MS || now < one.askedAt;
      return again ? { actuation: asked, effects: lookForIt(one, command) } : same(one);
    }
    case 'showing':
      return showing(one, command, restarted, facts);
    case 'closing':
      return closing(one, command, restarted, facts);
    case 'sending':
      // The delivery machine says what became of it. One that has lost it altogether proves nothing.
      if (now - one.since < 3 * SENDING_MS) return same(one);
      return report(one, { ...unknown(command), reason: 'no_outcome' }, facts);
    case 'pressing':
      if (!restarted && !over) return same(one);
      // Asked for once: whether it was pressed is not known any more.
      return pressed(one, { type: 'pressed', pressed: null, stopped: false, reason: 'page_gone' }, facts);
    case 'naming': {
      const conversation = evidence?.canonical_url ?? null;
      if (evidence === null || one.tab === null || conversation === null || now - one.since >= SENDING_MS)
        return report(one, { ...(evidence ?? unknown(command)), reason: 'no_session_seen' }, facts);
      const text = evidence.accepted_message_ref === undefined ? command.message : null;
      const again: ActuationEffect = { type: 'name', id, tab: one.tab, conversation, text, account: one.account };
      return due ? { actuation: asked, effects: [again] } : same(one);
    }
    case 'reporting':
      return due && evidence !== null
        ? { actuation: asked, effects: [{ type: 'report', id, claimant, evidence }] }
        : same(one);
    case 'doubting':
      return same(one);
  }
}

/** An archive may be asked about for as long as it may wait at all. */
const mayWaitFor = ({ operation }: ActuationCommand): boolean => operation === 'session.archive';
