/** A control that was pressed, once, and what came of it: only what was seen is told. Pure. */
import type { ActuationCommand, Evidence } from '../../../contract/browser/actuation.ts';
import { archived } from './archive.ts';
import type { Actuation, ActuationEffect, ActuationEvent, ActuationStep, Facts } from './state.ts';
import { at, name, nothing, report, same, word } from './told.ts';

export function pressed(
  one: Actuation,
  event: Extract<ActuationEvent, { type: 'pressed' }>,
  facts: Facts,
): ActuationStep {
  const { command } = one;
  if (command === null) return same(one);
  if (event.pressed === false && !event.stopped)
    return report(one, { ...nothing(command), refused: word(event.reason, 'page_refused') }, facts);
  const stop = command.operation === 'generation.stop';
  const seen: Evidence = {
    observed_generation: command.expected_generation,
    command_accepted: event.pressed === null ? null : true,
    ...(event.stopped && stop ? { generation_stopped: true, generation_status: 'idle' as const } : {}),
    ...(event.stopped && !stop ? { lifecycle: 'archived' as const } : {}),
    ...(event.reason === null ? {} : { reason: word(event.reason, 'not_seen') }),
  };
  if (event.stopped) return done({ ...one, evidence: seen }, command, facts);
  return { actuation: at({ ...one, evidence: seen }, 'proving', facts.now), effects: lookForIt(one, command) };
}

const done = (one: Actuation, command: ActuationCommand, facts: Facts): ActuationStep =>
  command.operation === 'session.archive' ? archived(one, command, facts) : name(one, facts);

export const lookForIt = ({ id, tab }: Actuation, command: ActuationCommand): ActuationEffect[] =>
  tab === null ? [] : [{ type: 'prove', id, tab, command }];

/** It was pressed once, or may have been. What it was to bring about is looked for, and is what counts. */
export function proved(one: Actuation, is: boolean | null, facts: Facts): ActuationStep {
  const { command, evidence } = one;
  if (command === null || evidence === null || is !== true) return same(one);
  const { reason: _doubt, ...seen } = evidence;
  const whole: Evidence =
    command.operation === 'session.archive'
      ? { ...seen, lifecycle: 'archived' }
      : { ...seen, generation_stopped: true, generation_status: 'idle' };
  return done({ ...one, evidence: whole }, command, facts);
}
