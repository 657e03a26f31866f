/**
 * `herdr_call`: one method by name. Local methods are answered here and never forwarded; Herdr's are checked against its
 * schema and against what they would do to the person's session, and then sent once.
 */

import * as Value from 'typebox/value';
import { isReadMethod } from '../../../contract/methods.ts';
import { type CallClass, OutcomeError } from '../../../contract/outcome.ts';
import { assertKnown, HerdrFailure, type HerdrResult, type HerdrView, herdrOutcome } from '../../herdr/index.ts';
import { ANSWER_MARGIN_MS, HERDR_CALL_MS, REFRESH_AFTER_WRITE_MS, WAIT_SLACK_MS } from '../../limits.ts';
import { writeGateAt } from '../../roots/index.ts';
import { problemsOf } from '../check.ts';
import type { ToolAnswer, ToolContext, ToolHandler } from '../context.ts';
import { actsIn, NEVER_FORWARDED, serverStop, workspaceClosing, worktreeRemoval } from './guards.ts';
import type { LiveSchema } from './live-schema.ts';
import { isLocalName, type LocalMethods } from './local.ts';
import { checkParams, cutWait, parseParams, withPlainIds } from './params.ts';
import { boundedResult, refsIn } from './result.ts';

export interface CallParts {
  schema: LiveSchema;
  local: LocalMethods;
  /** `agent.prompt` takes the way of `herdr_prompt`, with its guards. */
  prompt: (params: Record<string, unknown>, context: ToolContext) => Promise<ToolAnswer>;
}

export function callMethod(parts: CallParts): ToolHandler {
  return async (args, context) => {
    const method = String(args.method);
    const params = parseParams(args.params);
    if (isLocalName(method)) return callLocal(method, params, parts.local, context);
    return callNative(method, params, parts, context);
  };
}

async function callLocal(
  method: string,
  params: Record<string, unknown>,
  local: LocalMethods,
  context: ToolContext,
): Promise<ToolAnswer> {
  const found = Object.hasOwn(local, method) ? local[method] : undefined;
  if (!found) {
    // A name that the contract lists is promised; it only is not there yet.
    if (isReadMethod(method)) {
      throw new OutcomeError(
        'not_yet_available',
        `${method} is not part of this version of herdr-mcp yet. Nothing was run.`,
        {
          next: 'herdr_methods lists what is there.',
        },
      );
    }
    throw new OutcomeError(
      'unknown_local_method',
      `There is no local method ${JSON.stringify(method)}. Nothing was run and nothing was sent to Herdr.`,
      {
        next: 'herdr_methods lists the methods.',
      },
    );
  }
  found.before?.(params);
  if (!Value.Check(found.params, params)) {
    const problems = problemsOf(found.params, params);
    throw new OutcomeError('invalid_params', `${method}: ${problems.join('; ')}. Nothing was run.`, {
      next: `Look the parameters up with herdr_methods and query ${JSON.stringify(method)}.`,
      details: { problems },
    });
  }
  const answer = await found.run(params, context);
  return { ...answer, body: { method, ...answer.body } };
}

async function callNative(
  method: string,
  given: Record<string, unknown>,
  parts: CallParts,
  context: ToolContext,
): Promise<ToolAnswer> {
  const access: CallClass = isReadMethod(method) ? 'read' : 'write';
  const view = await knownView(context);
  const { methods, source } = await parts.schema.current(view);
  if (NEVER_FORWARDED.has(method) || !methods.has(method)) throw unknownMethod(method, source);
  const schema = methods.get(method);
  if (access === 'write') mayChange(method, view, context);
  if (!schema && access === 'write') {
    throw new OutcomeError(
      'not_yet_available',
      `The parameters of ${method} cannot be checked here, so it was not sent.`,
      {
        next: "Install Herdr's own command (or set HERDR_BIN): its schema is then used.",
      },
    );
  }
  const params = withPlainIds(given, view, context.deviceId);
  const unknown = schema ? checkParams(method, schema, params, access) : [];
  if (method === 'agent.prompt') return parts.prompt(params, context);
  await guard(method, params, view, context);

  const left = context.deadlineAtMs - ANSWER_MARGIN_MS - context.nowMs();
  const wait = cutWait(method, params, left);
  const timeoutMs = wait ? wait.effectiveMs + WAIT_SLACK_MS : Math.min(HERDR_CALL_MS, Math.max(left, 1));
  const result = await send(method, wait?.params ?? params, timeoutMs, context);
  if (access === 'write') await refreshed(context);
  return {
    ok: true,
    body: {
      method,
      ...boundedResult(result),
      ...refsIn(result, context.ref),
      ...(wait ? { effective_timeout_ms: wait.effectiveMs } : {}),
      ...(unknown.length > 0 ? { warnings: { unknown_params: unknown } } : {}),
    },
  };
}

async function send(
  method: string,
  params: Record<string, unknown>,
  timeoutMs: number,
  context: ToolContext,
): Promise<HerdrResult> {
  try {
    return await context.herdr.callAny(method, params, { timeoutMs, signal: context.signal });
  } catch (error) {
    if (error instanceof HerdrFailure) throw herdrOutcome(error, method);
    throw error;
  }
}

/** A picture, asked for once more when it is not live. Throws while nothing is known. */
async function knownView(context: ToolContext): Promise<HerdrView> {
  const view = context.live.view();
  const now = view.state === 'live' ? view : await context.live.refresh();
  assertKnown(now);
  return now;
}

function mayChange(method: string, view: HerdrView, context: ToolContext): void {
  if (context.policy.readOnly) {
    throw new OutcomeError('readonly_mode', `The workstation is in read-only mode. ${method} was not sent.`, {
      next: 'Ask the owner to end it: policy.read_only in config.json, or HERDR_MCP_READONLY.',
    });
  }
  if (view.server?.support !== 'full') {
    throw new OutcomeError(
      'herdr_too_old',
      `Herdr ${view.server?.version ?? ''} can only be read. ${method} was not sent.`,
      {
        delivery: 'not_delivered',
        next: 'Update Herdr to 0.7.5 or later.',
      },
    );
  }
}

async function guard(
  method: string,
  params: Record<string, unknown>,
  view: HerdrView,
  context: ToolContext,
): Promise<void> {
  const id = typeof params.workspace_id === 'string' ? params.workspace_id : '';
  const place = context.policy.writeRoots === undefined ? undefined : actsIn(method, params, view);
  if (place !== undefined) {
    const refusal = writeGateAt(context.policy, place === '' ? `The directory of ${method}` : place);
    if (refusal) throw refusal;
  }
  if (method === 'workspace.close') {
    const refusal = workspaceClosing(view, id);
    if (refusal) throw refusal;
  }
  if (method === 'server.stop') {
    const refusal = serverStop(await context.live.refresh());
    if (refusal) throw refusal;
  }
  if (method !== 'worktree.remove') return;
  const now = await context.live.refresh();
  const listed = await context.herdr.call('worktree.list', { workspace_id: id }).catch((error: unknown) => {
    if (error instanceof HerdrFailure) return { worktrees: [] };
    throw error;
  });
  const refusal = worktreeRemoval(now, id, listed.worktrees);
  if (refusal) throw refusal;
}

function unknownMethod(method: string, source: string): OutcomeError {
  const stream = NEVER_FORWARDED.has(method);
  return new OutcomeError(
    'unknown_method',
    stream
      ? `${method} is a stream and cannot be called. Nothing was sent.`
      : `Herdr has no method ${JSON.stringify(method)}. Nothing was sent.`,
    {
      next: stream ? 'herdr_since gives the events after a cursor.' : 'herdr_methods lists the methods.',
      details: { schema: source },
    },
  );
}

/** What follows should see what this call changed; a slow Herdr is not waited for. */
async function refreshed(context: ToolContext): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, REFRESH_AFTER_WRITE_MS);
  });
  await Promise.race([context.live.refresh(), limit]);
  clearTimeout(timer);
}
