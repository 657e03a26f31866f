/**
 * `POST /extension/control/action` on the private socket: what a person does to one pane from the Side Panel. Every action
 * names the pane and what was in it when the person chose it; the runtime acts only when that is still so. What changes
 * something carries a key: the same key gives the first outcome and never acts twice, and {@link LookupRequest} asks what
 * became of it without acting.
 */
import type { Static } from 'typebox';
import * as Type from 'typebox';
import { IDEMPOTENCY_KEY_CHARS_MAX } from '../limits.ts';

const closed = { additionalProperties: false } as const;

/** Rows and characters of one read of a pane: enough to see where it stands, small enough to show. */
export const READ_LINES = { default: 40, max: 80 } as const;
export const READ_CHARS = { default: 4_096, min: 256, max: 8_192 } as const;
/** A prompt, as `herdr_prompt` takes it; and what a person types into a shell. */
export const PROMPT_CHARS_MAX = 65_536;
export const INPUT_CHARS_MAX = 4_096;

/** What may be done to a pane now. Reading always; the rest by what is in it. */
const CAPABILITIES = ['read', 'agent_prompt', 'steer', 'interrupt', 'terminal_input'] as const;
export type Capability = (typeof CAPABILITIES)[number];

export function capabilitiesOf(pane: { agent?: string | undefined; agent_status: string }): readonly Capability[] {
  if (pane.agent === undefined) return ['read', 'terminal_input'];
  return pane.agent_status === 'working'
    ? ['read', 'agent_prompt', 'steer', 'interrupt']
    : ['read', 'agent_prompt', 'steer'];
}

const TargetRevision = Type.String({ pattern: '^btr1_[0-9a-f]{32}$' });
export const ControlTarget = Type.Object(
  { pane_id: Type.String({ minLength: 1, maxLength: 128 }), target_revision: TargetRevision },
  closed,
);
export type ControlTarget = Static<typeof ControlTarget>;

const Key = Type.String({ minLength: 1, maxLength: IDEMPOTENCY_KEY_CHARS_MAX });
const none = Type.Object({}, closed);
const write = { target: ControlTarget, idempotency_key: Key };

/** The actions that are carried out, each with what it takes. */
export const CONTROL_ACTIONS = {
  details: Type.Object({ action: Type.Literal('details'), target: ControlTarget, args: Type.Optional(none) }, closed),
  recent_output: Type.Object(
    {
      action: Type.Literal('recent_output'),
      target: ControlTarget,
      args: Type.Optional(
        Type.Object(
          {
            lines: Type.Optional(Type.Integer({ minimum: 1, maximum: READ_LINES.max })),
            chars: Type.Optional(Type.Integer({ minimum: READ_CHARS.min, maximum: READ_CHARS.max })),
          },
          closed,
        ),
      ),
    },
    closed,
  ),
  /** Says whether the running turn could be steered. It never becomes a prompt. */
  steer: Type.Object({ action: Type.Literal('steer'), target: ControlTarget, args: Type.Optional(none) }, closed),
  agent_prompt: Type.Object(
    {
      action: Type.Literal('agent_prompt'),
      ...write,
      args: Type.Object({ text: Type.String({ minLength: 1, maxLength: PROMPT_CHARS_MAX }) }, closed),
    },
    closed,
  ),
  /** Types one line and presses Enter; only where no agent is. */
  terminal_input: Type.Object(
    {
      action: Type.Literal('terminal_input'),
      ...write,
      args: Type.Object(
        { text: Type.String({ minLength: 1, maxLength: INPUT_CHARS_MAX, pattern: '^[^\\u0000-\\u001f\\u007f]+$' }) },
        closed,
      ),
    },
    closed,
  ),
  /** Ctrl-C, once, to an agent that works. `confirmed`: the person was asked and said yes. */
  interrupt: Type.Object(
    {
      action: Type.Literal('interrupt'),
      ...write,
      args: Type.Object({ confirmed: Type.Literal(true) }, closed),
    },
    closed,
  ),
} as const;
export type ControlAction = keyof typeof CONTROL_ACTIONS;

export const isControlAction = (name: unknown): name is ControlAction =>
  typeof name === 'string' && Object.hasOwn(CONTROL_ACTIONS, name);

const READS: ReadonlySet<ControlAction> = new Set(['details', 'recent_output', 'steer']);
/** Whether it changes nothing. */
export const isReadAction = (action: ControlAction): boolean => READS.has(action);

export type ControlRequest = { [A in ControlAction]: Static<(typeof CONTROL_ACTIONS)[A]> }[ControlAction];

/** Keys and text straight into a terminal that an agent owns: refused, whatever is asked. */
export const RAW_CONTROL: ReadonlySet<string> = new Set(['terminal_text', 'terminal_keys']);

/** `POST /extension/control/lookup`: what became of the action with this key. Acts on nothing. */
export const LookupRequest = Type.Object({ idempotency_key: Key }, closed);
export type LookupRequest = Static<typeof LookupRequest>;

/** How far it came, by evidence. `uncertain`: it may have arrived and is never sent again by us. */
export type DeliveryPhase = 'not_submitted' | 'submitted' | 'observed' | 'uncertain';

/**
 * `read`, `submitted`, `queued` (typed while the agent still worked), `rejected` (certainly nothing was typed), `failed`
 * (it was typed and did not work), `uncertain`; `stale_target` (another thing is in the pane now); the four answers to
 * steer; `raw_terminal_control_disabled`; `preview` (described, never carried out).
 */
export const CONTROL_OUTCOMES = [
  'read',
  'submitted',
  'queued',
  'rejected',
  'failed',
  'uncertain',
  'stale_target',
  'session_not_resolved',
  'no_active_turn',
  'unsupported_provider',
  'no_agent',
  'raw_terminal_control_disabled',
  'preview',
] as const;
export type ControlOutcome = (typeof CONTROL_OUTCOMES)[number];

export interface ControlAnswer {
  /** What was asked for was done, or read. */
  ok: boolean;
  action: string;
  outcome: ControlOutcome;
  delivery_phase: DeliveryPhase;
  target: ControlTarget | null;
  dispatch_id?: string;
  /** Why not: a code of `contract/outcome.ts`, its sentence, and what to do next. */
  code?: string;
  message?: string;
  next?: string;
  /** Facts of the action: what was read, what was seen, the descriptor of a preview. */
  evidence?: Record<string, unknown>;
}

/** `running`: it goes on, ask again. `unknown`: no action with this key was ever received. */
export type LookupAnswer =
  | { ok: true; state: 'running' | 'unknown' }
  | { ok: true; state: 'settled'; answer: ControlAnswer };

/** What an action does at most, for whoever is asked whether it may. */
export type Risk = 'READ' | 'MUTATION' | 'TERMINAL_MUTATION' | 'PROVIDER_STEER' | 'UNKNOWN';

export const RISK_OF: Readonly<Record<ControlAction, Risk>> = {
  details: 'READ',
  recent_output: 'READ',
  steer: 'PROVIDER_STEER',
  agent_prompt: 'MUTATION',
  terminal_input: 'TERMINAL_MUTATION',
  interrupt: 'TERMINAL_MUTATION',
};
