/** Showing a chat: its tab comes to the front, and only its page knows whether anybody can see it. Pure. */
import type { ActuationCommand, Evidence } from '../../../contract/browser/actuation.ts';
import { SHOWING_MS } from './limits.ts';
import type { Actuation, ActuationStep, Facts } from './state.ts';
import { at, name, nothing, report, same } from './told.ts';

export function show(one: Actuation, command: ActuationCommand, facts: Facts): ActuationStep {
  if (one.tab === null) return same(one);
  const effect = { type: 'show', tab: one.tab } as const;
  if (!facts.visible) return { actuation: at(one, 'showing', facts.now), effects: [effect] };
  const named = shown(one, command, facts);
  return { ...named, effects: [effect, ...named.effects] };
}

/** A window that is minimised or covered shows nothing: then it was not done. */
export function showing(one: Actuation, command: ActuationCommand, restarted: boolean, facts: Facts): ActuationStep {
  if (facts.visible && facts.tab !== 'elsewhere' && facts.tab !== 'gone') return shown(one, command, facts);
  if (facts.now - one.since > SHOWING_MS) return report(one, { ...nothing(command), reason: 'not_visible' }, facts);
  return restarted && one.tab !== null ? { actuation: one, effects: [{ type: 'show', tab: one.tab }] } : same(one);
}

function shown(one: Actuation, command: ActuationCommand, facts: Facts): ActuationStep {
  const evidence: Evidence = { observed_generation: command.expected_generation, command_accepted: true };
  return name({ ...one, evidence }, facts);
}
