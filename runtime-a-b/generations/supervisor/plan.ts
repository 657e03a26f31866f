/**
 * What the supervisor does next, as a pure function. It reads top to bottom as what matters first: ending, Herdr, the
 * active runtime, a promotion on its way, the candidate, what drains, the link, and last that the change is dealt with.
 *
 * What must survive a kill is remembered before it is done: `transition` stands in the file before the pointer moves, and
 * a revision is refused in the same write that ends its observation. So a supervisor that finds a half-done promotion goes
 * on where it was, and one that was killed after a rollback does not try again.
 */
import type { ChildName, Observed } from '../observed.ts';
import { candidateStep } from './candidate.ts';
import { childOf, pointStep, startStep, stopStep } from './steps.ts';
import { transitionStep } from './transition.ts';
import { type Decision, runtimeOf, type View } from './view.ts';

export function nextStep(view: View): Decision {
  if (view.ending || !view.desired.running) return endingStep(view);
  return (
    herdrStep(view) ??
    activeStep(view) ??
    transitionStep(view) ??
    candidateStep(view) ??
    drainingStep(view) ??
    linkStep(view) ??
    settledStep(view) ?? { do: 'idle' }
  );
}

/** The link first, so that what still runs is answered; then the runtimes; then Herdr. */
function endingStep({ observed, standing, desired, jobs }: View): Decision {
  if (observed.state !== 'stopping' && observed.state !== 'stopped') {
    return { do: 'remember', what: 'stopping', observed: { ...observed, state: 'stopping' } };
  }
  for (const stage of [['link'], ['runtime-a', 'runtime-b'], ['herdr']] as const) {
    const alive = stage.filter((name) => standing[name] !== 'none');
    const next = alive.find((name) => standing[name] !== 'ending');
    if (next) return { do: 'stop', child: next, why: desired.running ? 'everything ends' : 'the user stopped it' };
    if (alive.length > 0) return { do: 'idle' };
  }
  const listed = observed.children.find(({ name }) => standing[name] === 'none');
  if (listed) return { do: 'forget', child: listed.name };
  if (jobs.size > 0) return { do: 'idle' };
  if (observed.state === 'stopped') return { do: 'over' };
  const { draining: _, candidate: __, ...rest } = observed;
  const change = desired.running ? observed.change : desired.change;
  return { do: 'remember', what: 'stopped', observed: { ...rest, state: 'stopped', change } };
}

/** Which Herdr is decided while nothing runs that talks to one; an embedded one is kept up like everything else. */
function herdrStep(view: View): Decision | undefined {
  const { observed, standing, jobs } = view;
  if (!observed.herdr) return jobs.has('find-herdr') ? { do: 'idle' } : { do: 'job', job: 'find-herdr' };
  if (!observed.herdr.embedded) return undefined;
  if (standing.herdr === 'none') {
    const revision = view.desired.programs ?? observed.active?.revision ?? view.desired.active;
    return revision !== undefined && view.revision(revision) ? startStep(view, 'herdr', revision) : undefined;
  }
  // A runtime works without Herdr, but a first start that waits for it needs no second look.
  const failing = (childOf(observed, 'herdr')?.failures ?? 0) > 0;
  return standing.herdr === 'starting' && !failing && !observed.active ? { do: 'idle' } : undefined;
}

/** The generation that serves: runs, and the pointer names it. */
function activeStep(view: View): Decision | undefined {
  const { observed, desired, standing, nowMs } = view;
  if (!observed.active) {
    const first = desired.active;
    if (first === undefined) return troubled(view, 'Nothing is installed here yet: herdr-mcp runtime stage <folder>.');
    if (!view.revision(first)) return troubled(view, `The revision ${first} is not in the state folder.`);
    const active = { revision: first, generation: 'a' as const, since_ms: nowMs };
    return { do: 'remember', what: 'first', observed: { ...observed, active } };
  }
  const { generation, revision } = observed.active;
  const child = runtimeOf(generation);
  const running = childOf(observed, child);
  if (running && running.revision !== revision && standing[child] !== 'none')
    return stopStep(view, child, 'it is not the active revision');
  if (standing[child] === 'none') {
    if (!view.revision(revision)) return troubled(view, `The revision ${revision}, which should serve, is gone.`);
    return startStep(view, child, revision);
  }
  if (standing[child] !== 'ready' || observed.transition) return undefined;
  return pointStep(view, generation);
}

/** Ends the generation before when nothing of it is left to wait for. */
function drainingStep(view: View): Decision | undefined {
  const { observed, standing, jobs } = view;
  const { draining } = observed;
  if (!draining) return undefined;
  const child = runtimeOf(draining.generation);
  if (standing[child] === 'none') {
    if (childOf(observed, child)) return { do: 'forget', child };
    const { draining: _, ...rest } = observed;
    return { do: 'remember', what: 'drained', observed: rest };
  }
  if (standing[child] === 'ending') return undefined;
  if (draining.waits_for === '') return { do: 'stop', child, why: 'it has drained' };
  return jobs.has('drained') ? undefined : { do: 'job', job: 'drained' };
}

function linkStep(view: View): Decision | undefined {
  const { observed, desired, standing, link } = view;
  if (link !== 'wanted') return undefined;
  const serves = observed.active && standing[runtimeOf(observed.active.generation)] === 'ready';
  const revision = desired.programs ?? childOf(observed, 'link')?.revision ?? observed.active?.revision;
  if (!revision) return undefined;
  const usable = view.revision(revision) ? revision : observed.active?.revision;
  if (standing.link === 'none') return serves && usable ? startStep(view, 'link', usable) : undefined;
  const runs = childOf(observed, 'link');
  return runs && usable && runs.revision !== usable
    ? stopStep(view, 'link', 'another revision of it is wanted')
    : undefined;
}

/** Everything that was asked for is done, or it is said why not. */
function settledStep(view: View): Decision | undefined {
  const { observed, desired } = view;
  const waiting =
    observed.transition !== undefined ||
    (observed.candidate !== undefined && !['ready', 'failed'].includes(observed.candidate.phase)) ||
    (observed.active !== undefined && !hasTried(view, runtimeOf(observed.active.generation)));
  const change = waiting ? observed.change : desired.change;
  const ill = wantedChildren(view).find((name) => view.standing[name] !== 'ready');
  const state =
    ill === undefined
      ? 'running'
      : observed.state === 'starting' && !childOf(observed, ill)?.last_end
        ? 'starting'
        : 'degraded';
  const trouble = view.unreadable ?? (ill === undefined ? undefined : troubleOf(observed, ill));
  if (observed.change === change && observed.state === state && observed.trouble === trouble) return undefined;
  const { trouble: _, ...rest } = observed;
  return {
    do: 'remember',
    what: 'settled',
    observed: { ...rest, change, state, ...(trouble === undefined ? {} : { trouble }) },
  };
}

/** Ready, or it has failed at least once: the first start has been tried out. */
function hasTried({ observed, standing }: View, child: ChildName): boolean {
  return standing[child] === 'ready' || (childOf(observed, child)?.failures ?? 0) > 0;
}

function wantedChildren({ observed, link }: View): ChildName[] {
  const { active, herdr } = observed;
  return [
    ...(active ? [runtimeOf(active.generation)] : []),
    ...(herdr?.embedded ? (['herdr'] as const) : []),
    ...(link === 'wanted' ? (['link'] as const) : []),
  ];
}

function troubleOf(observed: Observed, name: ChildName): string {
  const end = childOf(observed, name)?.last_end;
  return end ?? `${name} is not ready yet`;
}

/** Nothing can be started: said, and the change counts as dealt with. */
function troubled({ observed, desired }: View, trouble: string): Decision {
  if (observed.trouble === trouble && observed.change === desired.change) return { do: 'idle' };
  return {
    do: 'remember',
    what: 'troubled',
    observed: { ...observed, trouble, state: 'degraded', change: desired.change },
  };
}
