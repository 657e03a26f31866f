/**
 * What is known of one kind of agent, each trait with where it comes from. A trait that is absent is unverified: neither
 * false nor probably true. Live facts (status, directory, pane) are never here; Herdr owns them.
 */
import type { Static } from 'typebox';
import * as Type from 'typebox';
import { TRAIT_CHARS_MAX } from './limits.ts';

/** `self_report`: the program said so in the one form that an adapter trusts. `observed`: this machine shows it. */
const Trait = Type.Object(
  {
    value: Type.Union([Type.Boolean(), Type.String({ maxLength: TRAIT_CHARS_MAX }), Type.Integer({ minimum: 0 })]),
    source: Type.String({ maxLength: TRAIT_CHARS_MAX }),
    authority: Type.Union([Type.Literal('self_report'), Type.Literal('observed')]),
    observed_at_ms: Type.Integer(),
    detail: Type.Optional(Type.String({ maxLength: TRAIT_CHARS_MAX })),
  },
  { additionalProperties: false },
);
export type Trait = Static<typeof Trait>;

export const TRAITS = [
  'binary_version',
  'provider',
  'model',
  'profile',
  'supports_code_edit',
  'supports_shell',
  'supports_vision',
  'reasoning_tier',
  'latency_tier',
  'cost_tier',
  'context_tier',
  'interactive_only',
  'can_run_headless',
  'available_for_start',
] as const;
export type TraitName = (typeof TRAITS)[number];

export const CapabilityRecord = Type.Object(
  {
    agent: Type.String({ pattern: '^[a-z0-9][a-z0-9_.-]{0,63}$' }),
    /** Binary, manifest and adapter: evidence under another fingerprint is not believed. */
    fingerprint: Type.String(),
    /** `none`: installed, not probed. `version`: `--version` was run. `deep`: `--help` too. */
    probe_level: Type.Union([Type.Literal('none'), Type.Literal('version'), Type.Literal('deep')]),
    observed_at_ms: Type.Integer(),
    manifest_version: Type.Union([Type.String({ maxLength: TRAIT_CHARS_MAX }), Type.Null()]),
    binary: Type.Union([
      Type.Object({ path: Type.String(), size: Type.Integer(), mtime_ms: Type.Integer() }),
      Type.Null(),
    ]),
    /** Why a probe gave nothing, when one was tried. */
    problem: Type.Optional(Type.String({ maxLength: TRAIT_CHARS_MAX })),
    traits: Type.Record(Type.String(), Trait),
  },
  { additionalProperties: false },
);
export type CapabilityRecord = Static<typeof CapabilityRecord>;

/** The value of a trait, or undefined: unverified. */
export function traitOf(record: CapabilityRecord | undefined, name: TraitName): Trait['value'] | undefined {
  return record?.traits[name]?.value;
}
