/**
 * One `tools/call`, whatever brought it: checked, routed, carried to its device, answered as the bytes of a tool result.
 *
 * Decided here: in which order a call is refused, what the edge answers itself, what goes along with a call. Everything
 * that can go wrong with a tool becomes a result with an outcome; only a revoked caller leaves as a 401. A remembered
 * token is enough only for a call that a workstation's object will see, because that object knows who was revoked; before
 * the edge acts, refuses or answers by itself, the caller is asked about again.
 */
import { classify } from '../../contract/call.ts';
import { isEdgeTool } from '../../contract/catalog/index.ts';
import { type Route, route } from '../routing/index.ts';
import { checkCall } from './arguments.ts';
import { devicesOf } from './devices.ts';
import { askEverywhere, asksEverywhere } from './fan-out/index.ts';
import { forward } from './forward.ts';
import { answerAtEdge, edgeMethodOf } from './local/index.ts';
import { type Refused, refused, type ToolAnswer, type ToolCall } from './tool-call.ts';

export async function callTool(call: ToolCall): Promise<ToolAnswer> {
  const startedAtMs = Date.now();
  const args = withTextParams(call.tool, call.args);
  const wrong = checkCall(call.served.contract, call.tool, args);
  if (wrong) return ownAnswer(call, () => refused(call, wrong));
  const callClass = classify(call.tool, args);
  if (isEdgeTool(call.tool) || edgeMethodOf(call.tool, args) !== undefined) {
    return ownAnswer(call, () => answerAtEdge({ ...call, args }));
  }
  if (call.principal.readOnly && callClass === 'write') return ownAnswer(call, () => refused(call, READ_ONLY));
  const everywhere = await asksEverywhere({ ...call, args });
  if (everywhere) return ownAnswer(call, () => askEverywhere({ ...call, args }, everywhere));
  const chosen = await choose(call, args);
  if (!chosen.ok) return ownAnswer(call, () => refused(call, chosen));
  return forward(call, { deviceId: chosen.deviceId, args: chosen.args, callClass, startedAtMs });
}

/** What the edge answers by itself, given only to a caller who is approved at this moment. */
async function ownAnswer(call: ToolCall, answer: () => ToolAnswer | Promise<ToolAnswer>): Promise<ToolAnswer> {
  return (await call.stillApproved()) ? answer() : { revoked: true };
}

/** Where the call goes. A refusal is never given on an old list of devices. */
async function choose(call: ToolCall, args: Record<string, unknown>): Promise<Route> {
  const question = {
    tool: call.tool,
    args,
    boundTo: call.principal.deviceId,
    defaultDevice: call.env.DEFAULT_DEVICE,
  };
  const known = await devicesOf(call.env);
  const chosen = route({ ...question, devices: known.devices });
  if (chosen.ok || known.fresh) return chosen;
  const { devices } = await devicesOf(call.env, { fresh: true });
  return route({ ...question, devices });
}

const READ_ONLY: Refused = {
  code: 'connector_read_only',
  message: 'This connection is approved for reading only. Nothing was sent.',
  next: 'Use reading tools, or ask the owner to approve a connection that may also change things.',
};

/** Some hosts send `herdr_call`'s params as the object that the text would hold; it means the same. */
function withTextParams(tool: string, args: Record<string, unknown>): Record<string, unknown> {
  const { params } = args;
  if (tool !== 'herdr_call' || typeof params !== 'object' || params === null || Array.isArray(params)) return args;
  return { ...args, params: JSON.stringify(params) };
}
