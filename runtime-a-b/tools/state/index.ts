/** Tools about the workstation itself. */
import type { ToolHandlers } from '../context.ts';
import type { ToolParts } from '../parts.ts';
import { inspectTool } from './inspect.ts';
import { sinceTool } from './since.ts';
import { skillTool } from './skill.ts';
import { Touched } from './touched.ts';

export { Touched };

export function stateTools(parts: ToolParts, touched: Touched): ToolHandlers {
  return {
    herdr_inspect: inspectTool(parts, touched),
    herdr_since: sinceTool(parts),
    herdr_skill: skillTool(parts),
  };
}
