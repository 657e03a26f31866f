/**
 * Fleet control over MCP: who plans a chain and who owns a branch. Checked here, decided in the `Fleet` object; nothing
 * goes to a workstation.
 */
import type { TSchema } from 'typebox';
import * as Value from 'typebox/value';
import { canonicalJson, sha256 } from '../../../contract/canonical.ts';
import { CONTROL_METHODS, type ControlMethod } from '../../../contract/fleet/index.ts';
import { isReadMethod } from '../../../contract/methods.ts';
import { type Failure, failureResult, isRetryable, OUTCOME_CODES } from '../../../contract/outcome.ts';
import type { ControlAnswer, ControlCall } from '../../control/index.ts';
import { fleetOf } from '../../fleet/index.ts';
import { ARGUMENT_PROBLEMS_MAX } from '../../limits.ts';
import { keyDigest } from '../caller.ts';
import { okResult } from '../result.ts';
import { type Refused, refused, type ToolAnswer, type ToolCall } from '../tool-call.ts';

export async function answerControl(
  call: ToolCall,
  method: ControlMethod,
  params: Record<string, unknown>,
): Promise<ToolAnswer> {
  if (call.args.device !== undefined) return refused(call, NO_DEVICE);
  if (call.principal.readOnly && !isReadMethod(method)) return refused(call, READ_ONLY);
  const wrong = problemsOf(CONTROL_METHODS[method], params);
  if (wrong) return refused(call, wrong);
  const { id, kind, deviceId } = call.principal;
  const asked = { method, params } as ControlCall;
  const key = await keyOf(call, asked);
  const principal = { id, kind, ...(deviceId === undefined ? {} : { deviceId }) };
  const answer = await fleetOf(call.env).control({ ...asked, principal, ...(key ? { key } : {}) });
  return told(method, answer);
}

/** The key with what it is bound to. */
async function keyOf(
  call: ToolCall,
  asked: ControlCall,
): Promise<{ keyDigest: string; payloadDigest: string } | undefined> {
  const { idempotency_key: key } = call.args;
  if (typeof key !== 'string') return undefined;
  const payloadDigest = await sha256(canonicalJson({ method: asked.method, params: asked.params }));
  return { keyDigest: await keyDigest(call.principal, key), payloadDigest };
}

function problemsOf(schema: TSchema, params: Record<string, unknown>): Refused | undefined {
  if (Value.Check(schema, params)) return undefined;
  const problems = [...Value.Errors(schema, params)]
    .slice(0, ARGUMENT_PROBLEMS_MAX)
    .map(({ instancePath, message }) => `${instancePath === '' ? 'params' : instancePath.slice(1)}: ${message}`);
  return {
    code: 'invalid_params',
    message: `${problems.join('; ')}. Nothing was changed.`,
    next: 'Send params as herdr_methods with the query "work_chain", "planner_lease" or "execution_lane" describes them.',
  };
}

/** The object's answer as a tool result. What it refused after looking did run; its arguments' refusals did not. */
function told(method: ControlMethod, answer: ControlAnswer): ToolAnswer {
  if (answer.ok) return { result: okResult(answer.body), herdr: { delivery: 'delivered' } };
  const { code, message, next, details } = answer;
  const delivery = OUTCOME_CODES[code] === 'tool' ? 'delivered' : 'not_delivered';
  const failure: Failure = {
    ok: false,
    code,
    message,
    delivery,
    retryable: isRetryable(isReadMethod(method) ? 'read' : 'write', code, delivery),
    next,
    ...(details === undefined ? {} : { details }),
  };
  return { result: failureResult(failure), herdr: { delivery } };
}

const NO_DEVICE: Refused = {
  code: 'invalid_params',
  message: 'This method acts on the fleet and is sent to no workstation, so it takes no `device`. Nothing was changed.',
  next: 'Leave `device` out; where a workstation matters it stands in params as device_id.',
};

const READ_ONLY: Refused = {
  code: 'connector_read_only',
  message: 'This connection is approved for reading only. Nothing was changed.',
  next: 'Use the inspect methods, or ask the owner to approve a connection that may also change things.',
};

/** Words by which a caller of `herdr_methods` means these methods. */
const FLEET_WORDS = /work.?chain|planner|lease|execution.?lane|fleet/i;

export function asksForControlMethods(tool: string, args: Record<string, unknown>): boolean {
  return tool === 'herdr_methods' && typeof args.query === 'string' && FLEET_WORDS.test(args.query);
}

/** What the edge answers to `herdr_methods` about itself: no workstation knows these. */
export function controlMethodList(): ToolAnswer {
  const methods = Object.entries(CONTROL_METHODS).map(([method, params]) => ({
    method,
    class: isReadMethod(method) ? 'read' : 'write',
    params,
  }));
  return { result: okResult({ source: 'edge', methods, count: methods.length }), herdr: {} };
}
