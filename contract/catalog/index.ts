/**
 * The catalog: every tool with its schema and text, and the published lists that are derived from it.
 * A served list is never built from here at run time: it comes from the frozen files in `contract/epochs/`, which
 * `npm run contract:freeze` writes from these functions and a test holds against them.
 */
import { EDGE_TOOLS } from '../tools.ts';
import * as commands from './commands.ts';
import * as files from './files.ts';
import * as state from './state.ts';
import { type PublishedTool, READ, type Tool } from './tool.ts';

export type { PublishedTool, Tool, ToolAnnotations } from './tool.ts';

/** The 18 tools of the workstation, in the order in which they are listed. */
export const TOOLS: readonly Tool[] = [
  state.inspect,
  state.since,
  state.skill,
  files.fsRead,
  files.fsList,
  files.fsGrep,
  files.fsImage,
  files.fsEdit,
  files.fsWrite,
  files.fsPatch,
  commands.git,
  commands.exec,
  commands.execStart,
  commands.execRead,
  commands.execKill,
  commands.prompt,
  state.methods,
  state.call,
];

export const toolByName: ReadonlyMap<string, Tool> = new Map(TOOLS.map((tool) => [tool.name, tool]));

const DEVICES: PublishedTool = {
  name: 'herdr_devices',
  title: 'List workstations',
  description: 'The workstations that this connection may reach, with name, connection and health.',
  inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  annotations: { title: 'List workstations', ...READ },
};

const DEVICE_ARGUMENT = {
  type: 'string',
  description: 'Workstation id or name; needed when several could be meant.',
  maxLength: 128,
};

export type RuntimeEpoch = 2 | 4 | 5;
export type PublicEpoch = 3 | 8;

/** What each public epoch is derived from. */
const PUBLIC_BASE: Record<PublicEpoch, RuntimeEpoch> = { 3: 2, 8: 5 };

/** The tools of a runtime epoch: the catalog without the arguments that came later. */
export function runtimeTools(epoch: RuntimeEpoch): PublishedTool[] {
  return TOOLS.map((tool) => publish(tool, epoch));
}

/** The tools of a public epoch: its runtime base, each with an optional `device`, and `herdr_devices`. */
export function publicTools(epoch: PublicEpoch): PublishedTool[] {
  const tools = runtimeTools(PUBLIC_BASE[epoch]).map((tool) => ({
    ...tool,
    inputSchema: {
      ...tool.inputSchema,
      properties: { ...(tool.inputSchema.properties as Record<string, unknown>), device: DEVICE_ARGUMENT },
    },
  }));
  return [...tools, DEVICES];
}

function publish(tool: Tool, epoch: RuntimeEpoch): PublishedTool {
  const schema = structuredClone(JSON.parse(JSON.stringify(tool.input))) as {
    properties: Record<string, unknown>;
    required?: string[];
  };
  for (const [name, first] of Object.entries(tool.since ?? {})) {
    if (epoch < first) delete schema.properties[name];
  }
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: schema as unknown as Record<string, unknown>,
    annotations: tool.annotations,
  };
}

/** Arguments of a tool that a runtime of this epoch does not know. */
export function argumentsAfter(toolName: string, epoch: number): string[] {
  const since = toolByName.get(toolName)?.since ?? {};
  return Object.entries(since)
    .filter(([, first]) => epoch < first)
    .map(([name]) => name);
}

export function isEdgeTool(name: string): boolean {
  return EDGE_TOOLS.has(name);
}
