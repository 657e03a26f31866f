/** Tools about the workstation itself: what is open, what changed, what can be called. */
import { args, flag, idempotencyKey, optional, text, whole } from './arguments.ts';
import { READ, type Tool, WRITE } from './tool.ts';

export const inspect: Tool = {
  name: 'herdr_inspect',
  title: 'Inspect workstation',
  description:
    'Live workspaces, panes, agents and project roots of the workstation, most relevant first. Git facts in it are hints with observed_at_ms; herdr_git reads the truth. Starting point of a conversation.',
  input: args({
    workspace: optional(text('Only this workspace: id, label or ref.', { maxLength: 512 })),
    cursor: optional(text('Continues a cut answer: its next_cursor.', { maxLength: 512 })),
  }),
  since: { workspace: 5, cursor: 5 },
  annotations: { title: 'Inspect workstation', ...READ },
};

export const since: Tool = {
  name: 'herdr_since',
  title: 'Changes since a cursor',
  description:
    'Workspace, pane and agent events after a cursor, and the current agents. A new boot_id means that the runtime restarted and the cursor began again.',
  input: args({
    cursor: whole('Cursor of the last answer; 0 gives the latest events.', 0),
    workspace: optional(text('Only this workspace: id, label or ref.', { maxLength: 512 })),
  }),
  annotations: { title: 'Changes since a cursor', ...READ },
};

export const skill: Tool = {
  name: 'herdr_skill',
  title: 'Workstation guide',
  description: 'Guide to working with this workstation: how the tools fit together, and the policy of its owner.',
  input: args({
    refresh: flag('Reads the guide anew instead of from the cache.'),
    include_native_reference: flag("Appends Herdr's own reference. Default true."),
  }),
  annotations: { title: 'Workstation guide', ...READ, openWorldHint: true },
};

export const methods: Tool = {
  name: 'herdr_methods',
  title: 'List methods',
  description:
    "Methods that herdr_call accepts, with their parameters: Herdr's own and those of this workstation. query filters by a part of the name.",
  input: args({ query: optional(text('Part of a method name, any case.', { maxLength: 128 })) }),
  annotations: { title: 'List methods', ...READ },
};

export const call: Tool = {
  name: 'herdr_call',
  title: 'Call a method',
  description:
    'Calls one method that herdr_methods lists. Parameters are checked before anything is sent; a method that changes something refuses unknown ones. herdr_mcp.dispatch.status with dispatch_id or idempotency_key tells what became of an earlier call.',
  input: args({
    method: text('Name of the method.', { minLength: 1, maxLength: 128 }),
    params: optional(text('Its parameters: a JSON object as text. Default {}.')),
    idempotency_key: idempotencyKey,
  }),
  since: { idempotency_key: 5 },
  annotations: { title: 'Call a method', ...WRITE, openWorldHint: true },
};
