/** Tools about the workstation itself. */
import type { ToolHandlers } from '../context.ts';
import type { ToolParts } from '../index.ts';
import { inspectTool } from './inspect.ts';
import { Touched } from './touched.ts';

export { Touched };

export function stateTools(parts: ToolParts, touched: Touched): ToolHandlers {
  return {
    herdr_inspect: inspectTool(parts, touched),
  };
}
