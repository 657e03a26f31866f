/** Tools that run things: Git facts, shell commands, prompts to agents. */
import * as Type from 'typebox';
import { args, confirmBusy, flag, idempotencyKey, optional, root, text, whole, word } from './arguments.ts';
import { READ, type Tool, WRITE } from './tool.ts';

export const git: Tool = {
  name: 'herdr_git',
  title: 'Read Git',
  description: 'Git facts of a root: status, diff, log, show or blame. Reads only and takes no lock.',
  input: args({
    root,
    action: word(['status', 'diff', 'log', 'show', 'blame'], 'What to read.'),
    path: optional(text('Only this file; required for blame.', { maxLength: 4096 })),
    staged: flag('diff: what is staged.'),
    rev: optional(text('diff, log, show, blame: a revision or range.', { maxLength: 256 })),
    max_count: whole('log: commits. Default 20.', 1, 100),
    max_bytes: whole('At most this much output. Default 65536.', 1, 512_000),
    offset: whole('Continues cut output: its next_offset.', 0),
  }),
  since: { rev: 5, offset: 5 },
  annotations: { title: 'Read Git', ...READ },
};

const step = Type.Object(
  {
    program: Type.String({ minLength: 1, maxLength: 4096 }),
    args: Type.Optional(Type.Array(Type.String({ maxLength: 32_768 }), { maxItems: 128 })),
  },
  { additionalProperties: false },
);

export const exec: Tool = {
  name: 'herdr_exec',
  title: 'Run command',
  description:
    "Runs a shell command in a project as the workstation's user and waits for it, 30 s by default; the shell reaches everything that the user can. A command that takes longer goes on, and herdr_exec_read follows it by session_id. exit_code is the shell's. stdin is closed.",
  input: args({
    workspace: text('Workspace id, label or ref.', { minLength: 1, maxLength: 512 }),
    command: optional(text('Shell command. Either this or steps.', { minLength: 1 })),
    steps: Type.Optional(
      Type.Array(step, {
        description: 'Programs with literal arguments, run in order until one fails.',
        minItems: 1,
        maxItems: 16,
      }),
    ),
    project_root: optional(text('Needed when the workspace holds several projects.', { maxLength: 4096 })),
    timeout_ms: whole(
      'How long to wait. Waits above 40000 are cut; the answer states effective_timeout_ms.',
      1,
      60_000,
    ),
    intent: optional(word(['read_only', 'idempotent_write', 'non_idempotent_write'], 'What the command does.')),
    confirm_busy: confirmBusy,
    idempotency_key: idempotencyKey,
  }),
  since: { idempotency_key: 5, intent: 4, steps: 4 },
  annotations: { title: 'Run command', ...WRITE, openWorldHint: true },
};

export const execStart: Tool = {
  name: 'herdr_exec_start',
  title: 'Start command',
  description:
    "Starts a shell command in a root as the workstation's user and returns its session_id at once. herdr_exec_read pages its output, also after it ended.",
  input: args({
    root,
    command: text('Shell command.', { minLength: 1 }),
    confirm_busy: confirmBusy,
    idempotency_key: idempotencyKey,
  }),
  since: { idempotency_key: 5 },
  annotations: { title: 'Start command', ...WRITE, openWorldHint: true },
};

export const execRead: Tool = {
  name: 'herdr_exec_read',
  title: 'Read command output',
  description: 'Output of a command by byte offset, and whether it still runs. next_offset continues.',
  input: args({
    session_id: text('From herdr_exec or herdr_exec_start.', { minLength: 1, maxLength: 128 }),
    stream: optional(word(['stdout', 'stderr', 'both'], 'Default both.')),
    offset: whole('First byte.', 0),
    limit: whole('Bytes. Default 65536.', 1, 262_144),
  }),
  annotations: { title: 'Read command output', ...READ },
};

export const execKill: Tool = {
  name: 'herdr_exec_kill',
  title: 'Stop command',
  description: 'Stops a running command and its process group. The answer lists what still runs.',
  input: args({
    session_id: text('From herdr_exec or herdr_exec_start.', { minLength: 1, maxLength: 128 }),
    idempotency_key: idempotencyKey,
  }),
  since: { idempotency_key: 5 },
  annotations: { title: 'Stop command', ...WRITE, idempotentHint: true },
};

export const prompt: Tool = {
  name: 'herdr_prompt',
  title: 'Prompt agent',
  description:
    'Sends a text to a coding agent in its pane, once. The answer tells whether its turn was seen to begin; an idle agent is no proof of success. herdr_since reports when it settles.',
  input: args({
    target: text('Agent name, pane id or pane ref.', { minLength: 1, maxLength: 512 }),
    text: text('The prompt.', { minLength: 1, maxLength: 65_536 }),
    wait: Type.Optional(
      Type.Object(
        {
          until: Type.Optional(
            Type.Array(word(['idle', 'working', 'blocked', 'done', 'unknown'], 'A status.'), {
              minItems: 1,
              maxItems: 5,
            }),
          ),
          timeout_ms: whole('Default 25000. Waits above 40000 are cut.', 1, 60_000),
        },
        { additionalProperties: false, description: 'Waits for one of these statuses after the turn began.' },
      ),
    ),
    idempotency_key: idempotencyKey,
  }),
  since: { idempotency_key: 5 },
  annotations: { title: 'Prompt agent', ...WRITE, openWorldHint: true },
};
