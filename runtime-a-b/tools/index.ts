/**
 * The tools of the workstation, by family. A call that arrives here is recorded already; what is decided here is only
 * which handler gets it and with what around it.
 */
import { OutcomeError } from '../../contract/outcome.ts';
import { encodeRef } from '../../contract/refs.ts';
import { HerdrFailure, herdrOutcome } from '../herdr/index.ts';
import type { Call } from '../operations/index.ts';
import { promptTools } from './agents/index.ts';
import type { ToolAnswer, ToolContext, ToolHandlers } from './context.ts';
import { CONTROL_TOOL, controlTool } from './control/index.ts';
import { execTools } from './exec/index.ts';
import { fileTools, homeTextMethods } from './files/index.ts';
import { gitTools } from './git/index.ts';
import { asLocal, dispatchStatus, execWait, LiveSchema, type LocalMethods, methodTools } from './methods/index.ts';
import type { ToolParts } from './parts.ts';
import { protectedRoute } from './protected/index.ts';
import { stateTools, Touched } from './state/index.ts';

export { type TaskDoor, WAKE_PRINCIPAL } from './agents/index.ts';
export { checkCall } from './check.ts';
export type { ToolAnswer, ToolContext, ToolHandler, ToolHandlers, ToolPolicy } from './context.ts';
export { CONTROL_PRINCIPAL, CONTROL_TOOL } from './control/index.ts';
export type { PlainMethod } from './methods/index.ts';
export type { ToolParts } from './parts.ts';

/** Runs one checked call. Throws an {@link OutcomeError}. */
export type Perform = (call: Call) => Promise<ToolAnswer>;

export function createTools(parts: ToolParts): Perform {
  const touched = new Touched();
  const { prompt, dispatch } = promptTools(parts.tasks);
  const routed = protectedRoute(parts.policy);
  const local: LocalMethods = {
    ...asLocal(parts.methods),
    'herdr_mcp.agent.task.dispatch': dispatch,
    ...homeTextMethods,
    'herdr_mcp.exec.wait': execWait,
    'herdr_mcp.dispatch.status': dispatchStatus(parts),
  };
  const handlers: ToolHandlers = {
    ...stateTools(parts, touched),
    ...fileTools,
    ...gitTools,
    ...execTools,
    ...methodTools({ schema: new LiveSchema(parts.herdrCommand, parts.nowMs), local, prompt }),
    herdr_prompt: prompt,
    [CONTROL_TOOL]: controlTool({ prompt, bootId: parts.runtime.bootId }),
  };
  return async (call) => {
    const { tool } = call.envelope;
    const handler = handlers[tool];
    if (!handler) throw notYet(tool);
    try {
      const context = contextFor(call, parts);
      return await (routed(tool, call.args, context) ?? handler(call.args, context));
    } catch (error) {
      if (error instanceof HerdrFailure) throw herdrOutcome(error, tool);
      throw error;
    } finally {
      if (call.callClass === 'write') touched.note(placeOf(call.args));
    }
  };
}

function contextFor(call: Call, parts: ToolParts): ToolContext {
  const { envelope, door, callClass, deadlineAtMs, signal, intend } = call;
  const { live, herdr, roots, exec, policy, log, nowMs } = parts;
  const device = envelope.device_id;
  const wrap = (id: string) => `${live.view().server?.key ?? 'unknown'}/${id}`;
  return {
    dispatchId: envelope.dispatch_id,
    principal: envelope.principal,
    callerSession: envelope.caller_session,
    callClass,
    door,
    deviceId: device,
    nowMs,
    deadlineAtMs,
    signal,
    live,
    herdr,
    roots,
    exec,
    policy,
    log,
    ref: {
      workspace: (id) => encodeRef({ device, workspace: wrap(id) }),
      pane: (id) => encodeRef({ device, pane: wrap(id) }),
    },
    intend,
  };
}

/** The absolute path that a write names; null when it may change anything. */
function placeOf(args: Record<string, unknown>): string | null {
  const place = args.path ?? args.root;
  return typeof place === 'string' ? place : null;
}

function notYet(tool: string): OutcomeError {
  return new OutcomeError(
    'not_yet_available',
    `${tool} is in the contract, but this version of herdr-mcp does not do it yet. Nothing was run.`,
    {
      next: 'Use the other tools; herdr_exec runs a shell command that may do the same.',
    },
  );
}
