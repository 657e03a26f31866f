/**
 * The revision beside the active one, step by step: wait for its place, migrate, start, gate, be ready; or fail and say
 * why. It is the staged one, or the one that a promotion or a rollback goes to. Pure.
 */
import type { Observed } from '../observed.ts';
import { childOf, startStep, stopStep } from './steps.ts';
import { type Decision, otherThan, runtimeOf, type View } from './view.ts';

/** The revision that should serve, after what was refused. */
function target({ desired, observed }: View): string | undefined {
  const { active } = observed;
  if (desired.active === undefined || desired.active === active?.revision) return active?.revision;
  return isRefused(observed, desired.active) ? active?.revision : desired.active;
}

const isRefused = (observed: Observed, revision: string): boolean =>
  observed.refused.some((one) => one.revision === revision);

/** What should run beside the active revision. */
function beside(view: View): string | undefined {
  const { observed, desired } = view;
  const goal = target(view);
  const wanted = goal === observed.active?.revision ? desired.candidate : goal;
  return wanted === observed.active?.revision ? undefined : wanted;
}

export function candidateStep(view: View): Decision | undefined {
  const { observed } = view;
  const { active, candidate } = observed;
  if (!active || observed.transition) return undefined;
  const refusal = refusedPromotion(view);
  if (refusal) return refusal;
  const wanted = beside(view);
  if (wanted === undefined) return candidate ? withdraw(view) : undefined;
  if (candidate?.revision !== wanted) return candidate ? withdraw(view) : begin(view, wanted);
  if (candidate.phase === 'failed') return failedStep(view);
  const child = runtimeOf(candidate.generation);
  switch (candidate.phase) {
    case 'waiting_for_drain':
      return observed.draining ? undefined : phase(view, 'migrating');
    case 'migrating': {
      const why = cannotLive(view, wanted);
      if (why) return fail(view, ...why);
      return view.jobs.has('migrate') ? undefined : { do: 'job', job: 'migrate' };
    }
    case 'starting':
      if (view.standing[child] === 'ready') return phase(view, 'gating');
      if (view.standing[child] !== 'none') return undefined;
      if ((childOf(observed, child)?.failures ?? 0) > 0) {
        return fail(view, 'candidate_did_not_start', childOf(observed, child)?.last_end ?? 'It ended at once.');
      }
      return startStep(view, child, wanted);
    case 'gating':
      if (view.standing[child] === 'none')
        return fail(view, 'candidate_ended', lastEnd(observed, candidate.generation));
      return view.jobs.has('gate') ? undefined : { do: 'job', job: 'gate' };
    case 'ready':
      if (view.standing[child] === 'none')
        return fail(view, 'candidate_ended', lastEnd(observed, candidate.generation));
      return target(view) === wanted ? beginTransition(view) : undefined;
  }
}

/** A promotion to a revision that was rolled back once is answered and changes nothing. */
function refusedPromotion({ desired, observed, nowMs }: View): Decision | undefined {
  const wanted = desired.active;
  if (wanted === undefined || wanted === observed.active?.revision) return undefined;
  const refused = observed.refused.find(({ revision }) => revision === wanted);
  if (!refused || observed.change >= desired.change || observed.last_transition?.change === desired.change)
    return undefined;
  const last_transition = {
    change: desired.change,
    to: wanted,
    outcome: 'refused' as const,
    code: refused.code,
    reason: `It was rolled back before: ${refused.reason}`,
    at_ms: nowMs,
  };
  return { do: 'remember', what: 'refused', observed: { ...observed, last_transition } };
}

function begin(view: View, revision: string): Decision | undefined {
  const { observed } = view;
  const generation = otherThan(observed.active?.generation ?? 'b');
  const child = runtimeOf(generation);
  const draining = observed.draining?.generation === generation ? observed.draining : undefined;
  if (draining?.revision === revision && view.standing[child] === 'ready') {
    // Back to the one that still runs: nothing to start.
    const { draining: _, ...rest } = observed;
    return {
      do: 'remember',
      what: 'staged',
      observed: { ...rest, candidate: { revision, generation, phase: 'gating', gates: [] } },
    };
  }
  if (!draining && view.standing[child] !== 'none') return stopStep(view, child, 'another revision takes its place');
  if (!draining && childOf(observed, child)) return { do: 'forget', child };
  const next = draining ? ('waiting_for_drain' as const) : ('migrating' as const);
  return {
    do: 'remember',
    what: 'staged',
    observed: { ...observed, candidate: { revision, generation, phase: next, gates: [] } },
  };
}

/** Ends its process, then forgets it. */
function withdraw(view: View): Decision | undefined {
  const { observed } = view;
  const child = observed.candidate && runtimeOf(observed.candidate.generation);
  const drains = observed.draining?.generation === observed.candidate?.generation;
  if (child && !drains && view.standing[child] !== 'none') return stopStep(view, child, 'it is not wanted any more');
  if (child && !drains && childOf(observed, child)) return { do: 'forget', child };
  const { candidate: _, ...rest } = observed;
  return { do: 'remember', what: 'withdrawn', observed: rest };
}

/** A failed one does not run. It is told to whoever wanted it promoted; asking again, with a new change, tries again. */
function failedStep(view: View): Decision | undefined {
  const { observed, desired, nowMs } = view;
  const { candidate, active, last_transition: last } = observed;
  if (!candidate) return undefined;
  const isNew = observed.change < desired.change;
  if (isNew && observed.failed_change === desired.change && target(view) === candidate.revision) {
    if (last?.change !== desired.change) {
      const { code, reason } = candidate;
      const last_transition = {
        change: desired.change,
        ...(active ? { from: active.revision } : {}),
        to: candidate.revision,
        outcome: 'failed' as const,
        ...(code === undefined ? {} : { code }),
        ...(reason === undefined ? {} : { reason }),
        at_ms: nowMs,
      };
      return { do: 'remember', what: 'not promoted', observed: { ...observed, last_transition } };
    }
  }
  const child = runtimeOf(candidate.generation);
  if (view.standing[child] !== 'none') return stopStep(view, child, candidate.code ?? 'it failed');
  if (childOf(observed, child)) return { do: 'forget', child };
  return isNew && observed.failed_change !== desired.change ? withdrawn(observed) : undefined;
}

function withdrawn(observed: Observed): Decision {
  const { candidate: _, failed_change: __, ...rest } = observed;
  return { do: 'remember', what: 'tried again', observed: rest };
}

function phase(view: View, next: NonNullable<Observed['candidate']>['phase']): Decision {
  const { candidate } = view.observed;
  if (!candidate) return { do: 'idle' };
  return { do: 'remember', what: next, observed: { ...view.observed, candidate: { ...candidate, phase: next } } };
}

/** What the candidate did not pass. */
export function failed(view: Pick<View, 'observed' | 'desired'>, code: string, reason: string): Observed {
  const { observed, desired } = view;
  if (!observed.candidate) return observed;
  return {
    ...observed,
    failed_change: desired.change,
    candidate: { ...observed.candidate, phase: 'failed', code, reason },
  };
}

function fail(view: View, code: string, reason: string): Decision {
  return { do: 'remember', what: 'failed', observed: failed(view, code, reason) };
}

const lastEnd = (observed: Observed, generation: 'a' | 'b'): string =>
  childOf(observed, runtimeOf(generation))?.last_end ?? 'Its process ended.';

/** A schema that one of the two could not live with, before anything is touched. */
function cannotLive({ revision, observed, oldestReader }: View, id: string): [string, string] | undefined {
  const next = revision(id);
  if (!next) return ['revision_gone', `The folder of revision ${id} is gone or changed; stage it again.`];
  if (next.state.knows < oldestReader) {
    return [
      'schema_too_new',
      `The database needs a program that knows schema ${oldestReader}, and ${id} knows ${next.state.knows}. Put a copy from backups/ back to go that far.`,
    ];
  }
  const now = observed.active && revision(observed.active.revision);
  if (now && now.state.knows < next.state.oldest_reader) {
    return [
      'schema_breaks_rollback',
      `After ${id} has migrated, ${now.revision} could not read the database (it knows schema ${now.state.knows}, ${next.state.oldest_reader} is needed). Promote a revision in between first.`,
    ];
  }
  return undefined;
}

function beginTransition({ observed, desired, nowMs }: View): Decision {
  const { active, candidate } = observed;
  if (!candidate) return { do: 'idle' };
  const transition = {
    change: desired.change,
    ...(active ? { from: { revision: active.revision, generation: active.generation } } : {}),
    to: { revision: candidate.revision, generation: candidate.generation },
    phase: 'moving' as const,
    began_ms: nowMs,
  };
  return { do: 'remember', what: 'moving', observed: { ...observed, transition } };
}
