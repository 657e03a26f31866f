/** The work that takes longer than a look. Each gives what is remembered of it, for the memory of that moment. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as Type from 'typebox';
import * as Value from 'typebox/value';
import { statePaths } from '../../../local/paths/index.ts';
import { run } from '../../../local/spawn/index.ts';
import type { Desired } from '../desired.ts';
import { DRAINED_LOOK_MS, MIGRATE_MS, OBSERVATION } from '../limits.ts';
import type { Observed } from '../observed.ts';
import { revisionFolder } from '../revision.ts';
import { askRunningAt } from '../running.ts';
import { failed } from './candidate.ts';
import { realHerdr } from './herdr.ts';
import { promoted, returning } from './transition.ts';
import type { Job, View } from './view.ts';
import { gated, watch } from './watch.ts';

/** How a job changes the memory once it is done; what it was about may have gone meanwhile, and then it changes nothing. */
export type Result = (observed: Observed, desired: Desired) => Observed;

export interface JobContext {
  stateDir: string;
  env: NodeJS.ProcessEnv;
  /** Also when a real Herdr answers: for tests, which must not touch a person's. */
  embeddedHerdr: boolean;
  say: (line: string) => void;
  signal: AbortSignal;
  nowMs: () => number;
}

/** Starts a job about how things stand in `view`. Never rejects for what it looks at. */
export function runJob(job: Job, view: View, context: JobContext): Promise<Result> {
  switch (job) {
    case 'find-herdr':
      return findHerdr(context);
    case 'migrate':
      return migrate(view, context);
    case 'gate':
      return gate(view, context);
    case 'observe':
      return observe(view, context);
    case 'drained':
      return lookAtDraining(view, context);
  }
}

const nothing: Result = (observed) => observed;

async function findHerdr({ stateDir, env, embeddedHerdr, say }: JobContext): Promise<Result> {
  const real = embeddedHerdr ? undefined : await realHerdr(env, say);
  const herdr = real
    ? { embedded: false, ...real }
    : { embedded: true, socket: statePaths(stateDir).herdrSocket, version: '' };
  return (observed) => ({ ...observed, herdr });
}

const Migrated = Type.Object({
  from: Type.Integer(),
  to: Type.Integer(),
  oldest_reader: Type.Integer(),
  backup: Type.Optional(Type.String()),
});

/** By the candidate's own program, which alone knows its steps; it copies the database first. */
async function migrate(view: View, { stateDir, signal, nowMs }: JobContext): Promise<Result> {
  const id = view.observed.candidate?.revision;
  if (id === undefined) return nothing;
  const program = join(revisionFolder(stateDir, id), 'runtime.js');
  const args = [program, '--migrate', '--state-dir', stateDir];
  const { code, stdout, stderr } = await run(process.execPath, args, { timeoutMs: MIGRATE_MS, signal });
  const said = parse(stdout.toString('utf8'));
  const ofCandidate = (then: Result): Result => {
    return (observed, desired) =>
      observed.candidate?.revision === id && observed.candidate.phase === 'migrating'
        ? then(observed, desired)
        : observed;
  };
  if (code !== 0 || !Value.Check(Migrated, said)) {
    const words = stderr.toString('utf8').trim().split('\n').at(-1) || `It ended with ${code ?? 'a signal'}.`;
    return ofCandidate((observed, desired) => failed({ observed, desired }, 'migration_failed', words));
  }
  const { from, to, backup } = said;
  return ofCandidate((observed) => ({
    ...observed,
    ...(from === to
      ? {}
      : { migration: { revision: id, from, to, at_ms: nowMs(), ...(backup === undefined ? {} : { backup }) } }),
    ...(observed.candidate ? { candidate: { ...observed.candidate, phase: 'starting' as const } } : {}),
  }));
}

async function gate(view: View, { stateDir, signal }: JobContext): Promise<Result> {
  const { candidate, active } = view.observed;
  const revision = candidate && view.revision(candidate.revision);
  const port = candidate && view.port[candidate.generation];
  if (!candidate || !revision || port === undefined) return nothing;
  const activePort = active && view.port[active.generation];
  const gates = await gated({ stateDir, revision, port, activePort }, pace(view), signal);
  const bad = gates.find(({ ok }) => !ok);
  return (observed, desired) => {
    const now = observed.candidate;
    if (now?.revision !== candidate.revision || now.phase !== 'gating') return observed;
    if (!bad) return { ...observed, candidate: { ...now, gates, phase: 'ready' } };
    const after = failed({ observed, desired }, `gate_${bad.gate}`, `The gate "${bad.gate}" holds it up: ${bad.fact}.`);
    return after.candidate ? { ...after, candidate: { ...after.candidate, gates } } : after;
  };
}

async function observe(view: View, { stateDir, signal, nowMs }: JobContext): Promise<Result> {
  const { transition, active } = view.observed;
  const revision = transition && view.revision(transition.to.revision);
  const port = transition && view.port[transition.to.generation];
  if (!transition || !revision || port === undefined) return nothing;
  const activePort = active && view.port[active.generation];
  const trouble = await watch({ stateDir, revision, port, activePort }, pace(view), signal);
  if (signal.aborted) return nothing;
  return (observed) => {
    const now = observed.transition;
    if (now?.phase !== 'observing' || now.to.revision !== transition.to.revision) return observed;
    return trouble ? returning(observed, trouble.code, trouble.reason) : promoted(observed, nowMs());
  };
}

const pace = ({ desired }: View) => desired.observation ?? OBSERVATION;

/** What still runs there. Commands are waited for as long as nobody needs the place: any generation can read and end them. */
async function lookAtDraining(view: View, { stateDir, signal }: JobContext): Promise<Result> {
  const { draining, candidate } = view.observed;
  const port = draining && view.port[draining.generation];
  if (!draining) return nothing;
  await sleep(DRAINED_LOOK_MS, undefined, { signal }).catch(() => undefined);
  const now = port === undefined ? undefined : await askRunningAt(stateDir, port);
  const sessions = now?.sessions.filter(({ own }) => own) ?? [];
  const needed = candidate?.phase === 'waiting_for_drain';
  const waits = [
    ...(now && now.calls.length > 0 ? [`${now.calls.length} running calls`] : []),
    ...(sessions.length > 0 && !needed ? [`${sessions.length} running commands`] : []),
  ].join(' and ');
  return (observed) =>
    observed.draining?.generation === draining.generation && observed.draining.revision === draining.revision
      ? { ...observed, draining: { ...observed.draining, waits_for: waits } }
      : observed;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
