/** `herdr_mcp.agent.task.status`, `.inbox` and `.ack` as methods of `herdr_call`. */
import { and } from 'drizzle-orm/sql';
import type { Static, TObject } from 'typebox';
import * as Type from 'typebox';
import * as Value from 'typebox/value';
import type { Principal } from '../../contract/call.ts';
import type { AgentInfo } from '../../contract/herdr/index.ts';
import { type CallClass, OutcomeError } from '../../contract/outcome.ts';
import { findAgent, type LiveHerdr, plainId } from '../herdr/index.ts';
import type { InboxParts } from './inbox.ts';
import { readInbox } from './inbox.ts';
import { INBOX_DEFAULT, INBOX_MAX } from './limits.ts';
import { nextStep } from './next-step.ts';
import { type Asker, isChildOf, isPerson, maySee, scopeOf, scopeOfAgent, scopeOfSession } from './parents.ts';
import { shownLifecycle, type TaskRow } from './row.ts';
import { taskView } from './view.ts';

/** The part of a tool's context that a method needs; every `ToolContext` is one. */
export interface TaskContext {
  principal: Pick<Principal, 'kind' | 'id'>;
  callerSession: string | undefined;
  deviceId: string;
  nowMs(): number;
  live: LiveHerdr;
}

export interface TaskMethod {
  access: CallClass;
  description: string;
  params: TObject;
  run(params: Record<string, unknown>, context: TaskContext): Promise<Record<string, unknown>>;
}

export interface MethodParts extends InboxParts {
  /** The conversation that a caller was proved to be. */
  sessionOf(caller: Pick<TaskContext, 'principal' | 'callerSession'>): string | null;
}

const closed = { additionalProperties: false } as const;
const taskId = Type.String({ description: 'The task (its dispatch id).', minLength: 1, maxLength: 128 });
const parentTarget = Type.Optional(
  Type.String({
    description: 'The local agent that dispatched: its name, pane id or ref.',
    minLength: 1,
    maxLength: 256,
  }),
);

const StatusParams = Type.Object({ task_id: taskId, parent_target: parentTarget }, closed);
const AckParams = StatusParams;
const InboxParams = Type.Object(
  {
    workspace_id: Type.Optional(
      Type.String({ description: 'Only children in this workspace: id or ref.', minLength: 1, maxLength: 512 }),
    ),
    parent_target: parentTarget,
    parent_session_ref: Type.Optional(
      Type.String({ description: 'The conversation that dispatched.', minLength: 1, maxLength: 96 }),
    ),
    include_acknowledged: Type.Optional(Type.Boolean({ description: 'Also what was acknowledged.' })),
    advisory: Type.Optional(
      Type.Boolean({ description: 'Asks once for advice on up to 16 children, at most 1.5 s. Default false.' }),
    ),
    limit: Type.Optional(Type.Integer({ description: 'Default 50.', minimum: 1, maximum: INBOX_MAX })),
  },
  closed,
);

export function taskMethods(parts: MethodParts): Record<string, TaskMethod> {
  const askerOf = ({ principal, callerSession }: TaskContext): Asker => ({
    principal,
    callerSession,
    sessionRef: parts.sessionOf({ principal, callerSession }),
  });

  function taskFor(params: Static<typeof StatusParams>, context: TaskContext): TaskRow {
    const row = parts.store.find(params.task_id);
    if (!row) throw notFound();
    const target = params.parent_target;
    const ofParent = target === undefined || isChildOf(row, target, agentNamed(target, context));
    if (!maySee(askerOf(context), row) || !ofParent) throw mismatch();
    return row;
  }

  return {
    'herdr_mcp.agent.task.status': method(
      'read',
      'What became of one dispatched task.',
      StatusParams,
      async (params, context) => {
        const row = taskFor(params, context);
        return {
          task: { ...taskView(row), next: nextStep(shownLifecycle(row)), parent_kind: row.parentKind },
          observed_at_ms: context.nowMs(),
        };
      },
    ),
    'herdr_mcp.agent.task.inbox': method(
      'read',
      'Your dispatched tasks that have ended and are not acknowledged, the worst first.',
      InboxParams,
      async (params, context) => {
        const asker = askerOf(context);
        const inbox = await readInbox(
          {
            scope: and(scopeOf(asker), namedScope(params, asker, context)),
            workspaceId:
              params.workspace_id === undefined
                ? undefined
                : plainId(context.live.view(), params.workspace_id, context.deviceId, 'workspace'),
            limit: params.limit ?? INBOX_DEFAULT,
            includeAcknowledged: params.include_acknowledged ?? false,
            advisory: params.advisory ?? false,
          },
          parts,
        );
        const { ok: _, ...answer } = inbox;
        return { ...answer, browser_session_ref: asker.sessionRef, observed_at_ms: context.nowMs() };
      },
    ),
    'herdr_mcp.agent.task.ack': method(
      'write',
      'Says that the end of a task was taken note of; it leaves the inbox.',
      AckParams,
      async (params, context) => {
        const row = taskFor(params, context);
        if (row.terminalAt === null) throw notTerminal(row);
        return { task_id: row.taskId, already: !parts.store.acknowledge(row.taskId, context.nowMs()) };
      },
    ),
  };
}

function namedScope(params: Static<typeof InboxParams>, asker: Asker, context: TaskContext) {
  const { parent_session_ref: session, parent_target: target } = params;
  if (session !== undefined && !isPerson(asker.principal) && session !== asker.sessionRef) throw mismatch();
  return and(
    session === undefined ? undefined : scopeOfSession(session),
    target === undefined ? undefined : scopeOfAgent(target, agentNamed(target, context)),
  );
}

/** The local agent as Herdr knows it now; undefined when there is none of that name any more. */
function agentNamed(target: string, { live, deviceId }: TaskContext): AgentInfo | undefined {
  try {
    return findAgent(live.view(), target, deviceId);
  } catch (error) {
    if (error instanceof OutcomeError) return undefined;
    throw error;
  }
}

function method<const Params extends TObject>(
  access: CallClass,
  description: string,
  params: Params,
  run: (params: Static<Params>, context: TaskContext) => Promise<Record<string, unknown>>,
): TaskMethod {
  return {
    access,
    description,
    params,
    run: (given, context) => {
      if (!Value.Check(params, given)) throw new Error('parameters that nobody has checked');
      return run(given as Static<Params>, context);
    },
  };
}

function notFound(): OutcomeError {
  return new OutcomeError('agent_task_not_found', 'No task with this id is known here; ended ones are kept 7 days.', {
    next: 'Use a task_id that a dispatch gave; herdr_mcp.agent.task.inbox lists yours.',
  });
}

function mismatch(): OutcomeError {
  return new OutcomeError(
    'agent_task_parent_mismatch',
    'That belongs to another parent. Nothing was shown or changed.',
    {
      next: 'Ask for your own tasks: herdr_mcp.agent.task.inbox without a parent.',
    },
  );
}

function notTerminal(row: TaskRow): OutcomeError {
  return new OutcomeError(
    'agent_task_not_terminal',
    `The task has not ended (${shownLifecycle(row)}). Nothing was acknowledged.`,
    { delivery: 'not_delivered', next: 'Acknowledge it when it has ended and its result was taken note of.' },
  );
}
