/** A promotion on its way: the pointer moves, the new generation is watched, and stays or goes back. Pure. */
import type { Observed } from '../observed.ts';
import { childOf, pointStep } from './steps.ts';
import { type Decision, runtimeOf, type View } from './view.ts';

export function transitionStep(view: View): Decision | undefined {
  const { observed, standing, jobs } = view;
  const { transition } = observed;
  if (!transition) return undefined;
  const child = runtimeOf(transition.to.generation);
  if (transition.phase === 'returning') return returnStep(view);
  if (standing[child] === 'none' || childOf(observed, child)?.revision !== transition.to.revision) {
    const reason = childOf(observed, child)?.last_end ?? 'Its process ended.';
    return { do: 'remember', what: 'returning', observed: returning(observed, 'candidate_ended', reason) };
  }
  if (transition.phase === 'moving') {
    const move = pointStep(view, transition.to.generation);
    if (move) return move;
    return {
      do: 'remember',
      what: 'observing',
      observed: { ...observed, transition: { ...transition, phase: 'observing' } },
    };
  }
  return jobs.has('observe') ? undefined : { do: 'job', job: 'observe' };
}

/** Traffic first, then the memory that it must not be tried again, in one write with the end of the promotion. */
function returnStep(view: View): Decision | undefined {
  const { observed, standing, nowMs } = view;
  const { transition, active } = observed;
  if (!transition || !active) return undefined;
  // The one before is kept up by the plan; without it there is nothing to go back to yet.
  if (standing[runtimeOf(active.generation)] !== 'ready') return undefined;
  const back = pointStep(view, active.generation);
  if (back) return back;
  const { transition: _, candidate: __, ...rest } = observed;
  const code = transition.code ?? 'observation_failed';
  const reason = transition.reason ?? 'It did not pass the observation.';
  const refused = [
    ...observed.refused.filter(({ revision }) => revision !== transition.to.revision),
    { revision: transition.to.revision, code, reason, at_ms: nowMs },
  ].slice(-REFUSED_KEPT);
  const last_transition = {
    change: transition.change,
    from: active.revision,
    to: transition.to.revision,
    outcome: 'rolled_back' as const,
    code,
    reason,
    at_ms: nowMs,
  };
  const draining = { ...transition.to, since_ms: nowMs, waits_for: 'calls that it had taken' };
  return { do: 'remember', what: 'rolled back', observed: { ...rest, refused, last_transition, draining } };
}

/** Revisions that stay refused; far more than anybody builds in a day. */
const REFUSED_KEPT = 64;

export function returning(observed: Observed, code: string, reason: string): Observed {
  const { transition } = observed;
  return transition ? { ...observed, transition: { ...transition, phase: 'returning', code, reason } } : observed;
}

/**
 * It passed: it is the active one, the one before is where a rollback goes, and drains. Going back to where a rollback
 * goes leaves none: a rollback that is run twice, because it was killed, must not go forward again.
 */
export function promoted(observed: Observed, nowMs: number): Observed {
  const { transition, candidate: _, draining: __, previous, ...rest } = observed;
  if (!transition) return observed;
  const { from, to } = transition;
  const back = previous === to.revision;
  return {
    ...rest,
    active: { ...to, since_ms: nowMs },
    ...(from && !back ? { previous: from.revision } : {}),
    ...(from ? { draining: { ...from, since_ms: nowMs, waits_for: 'calls that it had taken' } } : {}),
    last_transition: {
      change: transition.change,
      ...(from ? { from: from.revision } : {}),
      to: to.revision,
      outcome: 'promoted',
      ...(back ? { back } : {}),
      at_ms: nowMs,
    },
  };
}
