/** The task of a prompt: who is told what becomes of it, and its part of the answer. */
import * as Type from 'typebox';
import type { AgentInfo } from '../../../contract/herdr/index.ts';
import { IDEMPOTENCY_KEY_CHARS_MAX, WAIT_MS_MAX } from '../../../contract/limits.ts';
import { OutcomeError } from '../../../contract/outcome.ts';
import type { Callers } from '../../browser/index.ts';
import { findAgent, findNow } from '../../herdr/index.ts';
import type { BegunTask, NewDispatch, Parent } from '../../tasks/index.ts';
import type { ToolContext } from '../context.ts';
import type { AgentState } from './turn.ts';

/** What prompting needs of tasks and of the browser registry. */
export interface TaskDoor {
  settleEarlier(agent: AgentInfo, serverKey: string): Promise<boolean>;
  begin(dispatch: NewDispatch): BegunTask;
  callers: Callers;
}

/** Whom the caller names as the one to be told. */
export interface NamedParent {
  parentTarget?: string;
  conversationUrl?: string;
}

export interface PromptTask {
  submitted(after: AgentState, started: boolean): void;
  /** Settles the task after a failed submission and gives the error to throw, with the task named in it. */
  failed(error: unknown): unknown;
  /** The call is about to answer: joins its caller to a conversation when that is proved now. */
  finish(): void;
  facts(): Record<string, unknown>;
}

export interface Register {
  /** Lets the end of an earlier task be seen first. True when it waited, and the agent has to be looked at anew. */
  settleEarlier(agent: AgentInfo): Promise<boolean>;
  /** Writes the task of a prompt for this agent down. Throws when that fails: then nothing may be typed. */
  begin(agent: AgentInfo): PromptTask;
}

/** Finds out who is told before anything is typed; throws when the named agent is not there or is the target itself. */
export async function registerFor(
  target: string,
  named: NamedParent,
  context: ToolContext,
  door: TaskDoor,
): Promise<Register> {
  const receivedAt = context.nowMs();
  const parent = await parentOf(named, context, door);
  const serverKey = () => context.live.view().server?.key ?? 'unknown';
  const begin = (agent: AgentInfo): PromptTask => {
    if (parent.kind === 'agent' && parent.agent.terminal_id === agent.terminal_id) throw ownParent(agent);
    const { dispatchId, deviceId, principal, callerSession } = context;
    const key = serverKey();
    const task = door.begin({ dispatchId, deviceId, principal, callerSession, target, serverKey: key, agent, parent });
    return promptTask(task, parent, () => proved(named, receivedAt, context, door));
  };
  return { begin, settleEarlier: (agent) => door.settleEarlier(agent, serverKey()) };
}

function promptTask(task: BegunTask, parent: Parent, prove: () => string | null): PromptTask {
  const facts = () => {
    const { task_id, turn_id, exact_native_turn, lifecycle, reason, notification_state } = task.view();
    return { task_id, turn_id, task: { lifecycle, reason, exact_native_turn, notification_state } };
  };
  return {
    submitted: (after, started) => task.submitted({ status: after.agent_status, seq: after.state_change_seq, started }),
    failed(error) {
      if (error instanceof OutcomeError && error.delivery === 'not_delivered') {
        task.refused();
        return error;
      }
      task.uncertain();
      return error instanceof OutcomeError ? withDetails(error, facts()) : error;
    },
    finish() {
      if (parent.kind !== 'none') return;
      const sessionRef = prove();
      if (sessionRef !== null) task.adopt({ kind: 'session', sessionRef });
    },
    facts,
  };
}

async function parentOf(named: NamedParent, context: ToolContext, door: TaskDoor): Promise<Parent> {
  const { parentTarget } = named;
  if (parentTarget !== undefined) {
    const agent = await findNow(context.live, (view) => findAgent(view, parentTarget, context.deviceId));
    return { kind: 'agent', target: parentTarget, agent };
  }
  const { principal, callerSession } = context;
  const sessionRef = callerSession === undefined ? null : door.callers.sessionOf({ principal, callerSession });
  return sessionRef === null ? { kind: 'none' } : { kind: 'session', sessionRef };
}

/** The caller's conversation: by its own address in the call, or by what the extension saw while the call ran. */
function proved(
  { conversationUrl }: NamedParent,
  receivedAt: number,
  context: ToolContext,
  { callers }: TaskDoor,
): string | null {
  const { principal, callerSession } = context;
  const now = context.nowMs();
  return callers.prove({ principal, callerSession }, { from: receivedAt, to: now, url: conversationUrl }, now);
}

function withDetails(error: OutcomeError, more: Record<string, unknown>): OutcomeError {
  const { code, message, next, delivery, details } = error;
  return new OutcomeError(code, message, { next, delivery, details: { ...details, ...more }, cause: error });
}

function ownParent(agent: AgentInfo): OutcomeError {
  return new OutcomeError(
    'invalid_params',
    `parent_target and target are the same agent (${agent.pane_id}). Nothing was sent.`,
    { next: 'Name the agent that dispatches as parent_target, or leave it out.' },
  );
}

/** Parameters of `herdr_mcp.agent.task.dispatch`. */
export const DispatchParams = Type.Object(
  {
    target: Type.String({ description: 'Agent name, pane id or pane ref.', minLength: 1, maxLength: 512 }),
    text: Type.String({ description: 'The prompt.', minLength: 1, maxLength: 65_536 }),
    parent_target: Type.Optional(
      Type.String({
        description: 'A local agent that is told when it has ended: its name, pane id or ref.',
        minLength: 1,
        maxLength: 256,
      }),
    ),
    conversation_url: Type.Optional(
      Type.String({
        description: 'Full address of the conversation that dispatches, so that the browser can wake it.',
        minLength: 1,
        maxLength: 2_048,
      }),
    ),
    wait: Type.Optional(
      Type.Object(
        {
          until: Type.Optional(
            Type.Array(Type.Enum(['idle', 'working', 'blocked', 'done', 'unknown']), { minItems: 1, maxItems: 5 }),
          ),
          timeout_ms: Type.Optional(Type.Integer({ minimum: 1, maximum: WAIT_MS_MAX })),
        },
        { additionalProperties: false, description: 'Waits for one of these statuses after the turn began.' },
      ),
    ),
    idempotency_key: Type.Optional(
      Type.String({
        description: 'The same key and arguments give the first answer instead of sending again.',
        minLength: 1,
        maxLength: IDEMPOTENCY_KEY_CHARS_MAX,
      }),
    ),
  },
  { additionalProperties: false },
);
