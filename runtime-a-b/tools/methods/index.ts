/** The two tools behind which Herdr's long tail and the workstation's own methods lie. */
import type { ToolHandlers } from '../context.ts';
import { type CallParts, callMethod } from './call.ts';
import { listMethods } from './list.ts';

export { dispatchStatus } from './dispatch-status.ts';
export { execWait } from './exec-wait.ts';
export { LiveSchema } from './live-schema.ts';
export { asLocal, type LocalMethod, type LocalMethods, type PlainMethod } from './local.ts';

export function methodTools(parts: CallParts): ToolHandlers {
  return { herdr_methods: listMethods(parts.schema, parts.local), herdr_call: callMethod(parts) };
}
