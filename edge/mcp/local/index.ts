/**
 * What the edge answers itself: the list of devices, the receipts of writes, fleet control, and the administration that
 * no connector may do.
 */

import { isControlMethod } from '../../../contract/fleet/index.ts';
import { objectIn } from '../params.ts';
import { type Refused, refused, type ToolAnswer, type ToolCall } from '../tool-call.ts';
import { administrationOf } from './administration.ts';
import { answerControl, asksForControlMethods, controlMethodList } from './control.ts';
import { listForCaller } from './devices.ts';
import { dispatchStatus } from './dispatch-status.ts';

const STATUS = 'herdr_mcp.dispatch.status';
const LIST = 'herdr_methods';

/** The method that the edge answers itself, if this call is one: of `herdr_call`, or about its own in `herdr_methods`. */
export function edgeMethodOf(tool: string, args: Record<string, unknown>): string | undefined {
  if (asksForControlMethods(tool, args)) return LIST;
  if (tool !== 'herdr_call' || typeof args.method !== 'string') return undefined;
  const { method } = args;
  return method === STATUS || administrationOf(method) || isControlMethod(method) ? method : undefined;
}

export function answerAtEdge(call: ToolCall): Promise<ToolAnswer> | ToolAnswer {
  const method = edgeMethodOf(call.tool, call.args);
  if (method === undefined) return listForCaller(call);
  const administration = administrationOf(method);
  if (administration) return refused(call, { ...ADMINISTRATION, next: administration });
  if (method === LIST) return controlMethodList();
  const params = objectIn(call.args.params);
  if (params === undefined) return refused(call, NO_OBJECT);
  return isControlMethod(method) ? answerControl(call, method, params) : dispatchStatus(call, params);
}

const NO_OBJECT: Refused = {
  code: 'invalid_params_json',
  message: '`params` is not a JSON object as text. Nothing was sent.',
  next: 'Give params as text such as {"dispatch_id":"d_…"}.',
};

const ADMINISTRATION: Omit<Refused, 'next'> = {
  code: 'fleet_admin_required',
  message: 'Devices and connections are administered at a paired workstation, never over MCP. Nothing was changed.',
};
