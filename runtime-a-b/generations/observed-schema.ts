/** The shape of `observed.json`. What it is for stands in observed.ts. */
import type { Static } from 'typebox';
import * as Type from 'typebox';
import { RevisionId } from './desired.ts';

const Text = Type.String({ maxLength: 2048 });
const Ms = Type.Integer();
const GenerationName = Type.Union([Type.Literal('a'), Type.Literal('b')]);

/** What a supervisor starts. `herdr` is the embedded one; a person's own Herdr is nobody's child here. */
export const ChildName = Type.Union([
  Type.Literal('runtime-a'),
  Type.Literal('runtime-b'),
  Type.Literal('link'),
  Type.Literal('herdr'),
]);
export type ChildName = Static<typeof ChildName>;

/** A process of ours that runs, or should. */
export const ObservedChild = Type.Object({
  name: ChildName,
  revision: RevisionId,
  /** Absent between an ending and the next start. */
  process: Type.Optional(Type.Object({ pid: Type.Integer({ minimum: 1 }), start: Type.String({ maxLength: 128 }) })),
  started_at_ms: Type.Optional(Ms),
  /** Since when it is ready; absent while it is starting. */
  ready_at_ms: Type.Optional(Ms),
  /** Endings in a row that nobody asked for, each soon after its start; drives the back-off. */
  failures: Type.Integer({ minimum: 0 }),
  /** How it last ended by itself, one sentence. */
  last_end: Type.Optional(Text),
  /** When it is started again. */
  next_try_ms: Type.Optional(Ms),
});
export type ObservedChild = Static<typeof ObservedChild>;

/** One gate of a candidate, as it was last looked at. */
export const GateResult = Type.Object({ gate: Type.String({ maxLength: 64 }), ok: Type.Boolean(), fact: Text });
export type GateResult = Static<typeof GateResult>;

export const Observed = Type.Object({
  schema: Type.Literal(1),
  /** The supervisor that wrote this. Whether it still runs says the lock: `readObserved`. */
  up: Type.Object({ pid: Type.Integer(), start: Type.String(), version: Text, since_ms: Ms }),
  updated_at_ms: Ms,
  /** The last change of `desired.json` that was dealt with, well or badly. */
  change: Type.Integer({ minimum: 0 }),
  state: Type.Union([
    Type.Literal('starting'),
    /** Everything that is wanted runs and is ready. */
    Type.Literal('running'),
    /** Something that is wanted does not run at the moment: `trouble` and the children say what. */
    Type.Literal('degraded'),
    Type.Literal('stopping'),
    Type.Literal('stopped'),
  ]),
  /** Why it is degraded, or why `desired.json` cannot be followed; one sentence. */
  trouble: Type.Optional(Text),
  children: Type.Array(ObservedChild),
  /** Which Herdr the runtimes talk to. */
  herdr: Type.Optional(Type.Object({ embedded: Type.Boolean(), socket: Text, version: Text })),
  /** Serves calls; the pointer file names its generation. */
  active: Type.Optional(Type.Object({ revision: RevisionId, generation: GenerationName, since_ms: Ms })),
  /** Where `runtime rollback` goes. */
  previous: Type.Optional(RevisionId),
  /** The generation that was active before and still has calls or commands of its own to end. */
  draining: Type.Optional(
    Type.Object({ revision: RevisionId, generation: GenerationName, since_ms: Ms, waits_for: Text }),
  ),
  /** The staged revision: on its way, ready, or why not. */
  candidate: Type.Optional(
    Type.Object({
      revision: RevisionId,
      /** Where it runs. */
      generation: GenerationName,
      phase: Type.Union([
        Type.Literal('waiting_for_drain'),
        Type.Literal('migrating'),
        Type.Literal('starting'),
        Type.Literal('gating'),
        Type.Literal('ready'),
        Type.Literal('failed'),
      ]),
      gates: Type.Array(GateResult),
      /** Of `failed`: a code and a sentence. */
      code: Type.Optional(Text),
      reason: Type.Optional(Text),
    }),
  ),
  /** The change at which the candidate failed; a later change tries it again. */
  failed_change: Type.Optional(Type.Integer()),
  /** A promotion on its way: written before the pointer moves, taken away after the observation. */
  transition: Type.Optional(
    Type.Object({
      change: Type.Integer(),
      from: Type.Optional(Type.Object({ revision: RevisionId, generation: GenerationName })),
      to: Type.Object({ revision: RevisionId, generation: GenerationName }),
      phase: Type.Union([Type.Literal('moving'), Type.Literal('observing'), Type.Literal('returning')]),
      began_ms: Ms,
      /** Of `returning`: why. */
      code: Type.Optional(Text),
      reason: Type.Optional(Text),
    }),
  ),
  /** How the last change of the active revision ended. */
  last_transition: Type.Optional(
    Type.Object({
      change: Type.Integer(),
      from: Type.Optional(RevisionId),
      to: RevisionId,
      /** `refused`: it was rolled back once and is never tried again. `failed`: a gate held it up, nothing moved. */
      outcome: Type.Union([
        Type.Literal('promoted'),
        Type.Literal('rolled_back'),
        Type.Literal('refused'),
        Type.Literal('failed'),
      ]),
      /** Of `promoted`: it went back to the one before. */
      back: Type.Optional(Type.Boolean()),
      code: Type.Optional(Text),
      reason: Type.Optional(Text),
      at_ms: Ms,
    }),
  ),
  /** Revisions that were rolled back by themselves. They stay refused: stage another one. */
  refused: Type.Array(Type.Object({ revision: RevisionId, code: Text, reason: Text, at_ms: Ms })),
  /** The last migration of `state.db`, and the copy from before it. */
  migration: Type.Optional(
    Type.Object({
      revision: RevisionId,
      from: Type.Integer(),
      to: Type.Integer(),
      backup: Type.Optional(Text),
      at_ms: Ms,
    }),
  ),
});
export type Observed = Static<typeof Observed>;
