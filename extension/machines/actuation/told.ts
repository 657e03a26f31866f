/** What is told of an act, and what is asked for on the way there: evidence holds what was seen, and no more. Pure. */
import type { ActuationCommand, Evidence } from '../../../contract/browser/actuation.ts';
import type { Reason } from '../../messages.ts';
import type { Actuation, ActuationEffect, ActuationStep, Facts } from './state.ts';

export const same = (actuation: Actuation): ActuationStep => ({ actuation, effects: [] });

export const at = (actuation: Actuation, phase: Actuation['phase'], now: number): Actuation => ({
  ...actuation,
  phase,
  since: now,
  askedAt: now,
});

export function name(one: Actuation, facts: Facts): ActuationStep {
  const { command, tab, evidence } = one;
  if (command === null || evidence === null) return same(one);
  if (tab === null || facts.conversation === null) return report(one, { ...evidence, reason: 'no_chat_seen' }, facts);
  const text = evidence.accepted_message_ref === undefined ? command.message : null;
  const { conversation } = facts;
  // Where it was seen stands from now on, whatever the tab shows later.
  const seen = { ...one, evidence: { ...evidence, canonical_url: conversation } };
  return {
    actuation: at(seen, 'naming', facts.now),
    effects: [{ type: 'name', id: one.id, tab, conversation, text, account: one.account }],
  };
}

export function report(one: Actuation, evidence: Evidence, { now }: Pick<Facts, 'now'>): ActuationStep {
  const { id, claimant } = one;
  const closing = evidence.command_accepted === false ? inVain(one) : [];
  return {
    actuation: { ...at(one, 'reporting', now), evidence },
    effects: [{ type: 'report', id, claimant, evidence }, ...closing],
  };
}

/** A tab that was opened for what was certainly not done. */
export function inVain({ tab, openings }: Actuation): ActuationEffect[] {
  return tab !== null && openings > 0 ? [{ type: 'close', tab }] : [];
}

/** It waits, and whoever asked is told why, once for each reason. */
export function defer(one: Actuation, reason: Reason, { now }: Facts): ActuationStep {
  const { id, claimant } = one;
  const waiting = one.phase === 'deferring' ? one : at(one, 'deferring', now);
  if (one.deferred === reason) return { actuation: waiting, effects: [] };
  return { actuation: { ...waiting, deferred: reason }, effects: [{ type: 'defer', id, claimant, reason }] };
}

export const lateness = ({ tab }: Facts): string =>
  tab === 'gone' ? 'tab_closed' : tab === 'elsewhere' ? 'page_elsewhere' : 'page_not_ready';

/** Certain: no control of the site was pressed. */
export function nothing(command: ActuationCommand): Evidence {
  return { observed_generation: command.expected_generation, command_accepted: false };
}

/**
 * Another tab of the chat holds other words, or an older view of it: in none of them anything is done. Decided right after
 * the tabs were asked whether they still show it: at the claim, and when the last question was answered.
 */
export const isAmbiguous = ({ operation }: ActuationCommand, { open }: Facts): boolean =>
  operation !== 'session.create' && open === 'several';

/** Several tabs show the chat; nothing was done in any of them. */
export function ambiguous(command: ActuationCommand): Evidence {
  return { ...nothing(command), refused: 'browser_canonical_url_ambiguous' };
}

/** Whether anything was pressed is not known. */
export function unknown(command: ActuationCommand): Evidence {
  return { observed_generation: command.expected_generation, command_accepted: null };
}

export function word(reason: string | null, otherwise: string): string {
  return reason !== null && /^[a-z][a-z0-9_]{0,95}$/.test(reason) ? reason : otherwise;
}
