/**
 * What only an archive has: it waits for the chat to be quiet, its chat leaves the page, and the tab of a Project is put
 * away then. Pure.
 */
import type { ActuationCommand, Evidence } from '../../../contract/browser/actuation.ts';
import type { TabOutcome } from '../../../contract/browser/dispatch.ts';
import { CLOSING_MS, DEFER_MS } from './limits.ts';
import type { Actuation, ActuationEffect, ActuationStep, Facts } from './state.ts';
import { at, defer, lateness, name, nothing, report, same, unknown } from './told.ts';

/** The chat is not quiet yet; a look at it decides. Whoever closes it has left it. */
export function deferred(
  one: Actuation,
  command: ActuationCommand,
  facts: Facts,
  ready: (one: Actuation, command: ActuationCommand, facts: Facts) => ActuationStep,
): ActuationStep {
  if (facts.tab === 'gone' || facts.tab === 'elsewhere')
    return report(one, { ...nothing(command), reason: lateness(facts) }, facts);
  if (facts.unquiet === null && facts.tab !== 'loading') return ready(one, command, facts);
  if (facts.now - one.createdAt > DEFER_MS)
    return report(one, { ...nothing(command), refused: one.deferred ?? 'page_unreadable' }, facts);
  return facts.unquiet === null ? same(one) : defer(one, facts.unquiet, facts);
}

/** It was seen to be archived. The page leaves the chat; which one it was, it was asked for by name. */
export function archived(one: Actuation, command: ActuationCommand, facts: Facts): ActuationStep {
  const seen = named(one, command);
  const asks = putsAway(one, command);
  if (asks.length === 0) return report(one, { ...seen, tab: 'kept' }, facts);
  return { actuation: at({ ...one, evidence: seen }, 'closing', facts.now), effects: asks };
}

/** Only in a Project: elsewhere the site goes on to a page that is nobody's in particular. */
function putsAway({ id, tab, openings }: Actuation, { space }: ActuationCommand): ActuationEffect[] {
  if (tab === null || space === null || space.canonical_url === '') return [];
  return [{ type: 'put_away', id, tab, home: space.canonical_url, opened: openings > 0 }];
}

/** Nobody has said yet what became of the tab. The archive itself is proved, and is told whatever becomes of it. */
export function closing(one: Actuation, command: ActuationCommand, restarted: boolean, facts: Facts): ActuationStep {
  if (facts.now - one.since > CLOSING_MS) return putAway(one, 'kept_home_not_seen', facts);
  return restarted ? { actuation: { ...one, askedAt: facts.now }, effects: putsAway(one, command) } : same(one);
}

export function putAway(one: Actuation, tab: TabOutcome, facts: Facts): ActuationStep {
  return one.evidence === null ? same(one) : report(one, { ...one.evidence, tab }, facts);
}

/** What was pressed was never seen to have its effect: what was seen is told as it is. */
export function doubtful(one: Actuation, command: ActuationCommand, facts: Facts): ActuationStep {
  if (command.operation === 'session.archive') return report(one, named(one, command), facts);
  return name({ ...one, evidence: one.evidence ?? unknown(command) }, facts);
}

function named({ evidence }: Actuation, command: ActuationCommand): Evidence {
  const seen = evidence ?? unknown(command);
  if (command.session === null) return seen;
  const { session_ref, canonical_url } = command.session;
  return { ...seen, session_ref, canonical_url };
}
