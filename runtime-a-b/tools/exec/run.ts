/** `herdr_exec` and `herdr_exec_start`: a command in a project, waited for or not. */
import { RESULT_TEXT_CHARS, WAIT_MS_MAX } from '../../../contract/limits.ts';
import { OutcomeError } from '../../../contract/outcome.ts';
import { echo } from '../../echo.ts';
import { EXEC_WAIT_MS, type SessionState } from '../../exec/index.ts';
import { admit, type Root, type RootTable } from '../../roots/index.ts';
import type { ToolAnswer, ToolContext, ToolHandler } from '../context.ts';
import { fittingPage, roomFor } from '../fit.ts';
import { describeChildren, describeEnd, describeExecution } from './describe.ts';
import { ANSWER_MARGIN_MS, TAIL_BYTES, TAIL_CHARS } from './limits.ts';
import { exactProject, findProject, type Project } from './project.ts';
import { structuredOutput } from './structured.ts';
import { utilityPanes } from './utility-pane.ts';

interface Step {
  program: string;
  args?: string[];
}

interface ExecArgs {
  workspace: string;
  command?: string;
  steps?: Step[];
  project_root?: string;
  timeout_ms?: number;
  intent?: string;
  confirm_busy?: boolean;
}

export const herdrExec: ToolHandler = async (args, context) => {
  const asked = args as unknown as ExecArgs;
  const work = checkWork(asked);
  const project = await findProject(context, asked.workspace, asked.project_root);
  const { workspaceId, root, table } = project;
  const warnings = mayRun(context, table, root, asked.confirm_busy === true);
  const { id } = await begin(project, work, context);
  const patienceMs = Math.min(
    asked.timeout_ms ?? EXEC_WAIT_MS,
    WAIT_MS_MAX,
    Math.max(0, context.deadlineAtMs - context.nowMs() - ANSWER_MARGIN_MS),
  );
  const state = await context.exec.wait(id, patienceMs, context.signal);
  const facts = {
    ...backendOf(state),
    workspace: workspaceId,
    command: echo(state.command),
    session_id: id,
    op_id: id,
    ...(asked.intent === undefined ? {} : { intent: asked.intent }),
    effective_cwd: root.path,
    project_root: root.path,
    ...(root.stale ? { root_stale: true } : {}),
    effective_timeout_ms: patienceMs,
    ...warned(warnings),
    ...describeExecution(state),
  };
  if (state.running) throw stillRunning(context, state, facts, patienceMs);
  return {
    ok: true,
    body: { ...facts, phase: 'completed', ...ending(context, state), ...output(context, state, 'output') },
  };
};

interface StartArgs {
  root: string;
  command: string;
  confirm_busy?: boolean;
}

export const herdrExecStart: ToolHandler = async (args, context): Promise<ToolAnswer> => {
  const { root: path, command, confirm_busy = false } = args as unknown as StartArgs;
  const work = checkWork({ command });
  const project = await exactProject(context, path);
  const { root, table } = project;
  const warnings = mayRun(context, table, root, confirm_busy);
  const { id, pid, startedAtMs } = await begin(project, work, context);
  return {
    ok: true,
    body: {
      session_id: id,
      root: root.path,
      cwd: root.path,
      command: echo(command),
      started_at: new Date(startedAtMs).toISOString(),
      pid,
      ...backendOf(context.exec.look(id)),
      phase: 'started',
      progress: { bytes_read: 0, bytes_total: 0, elapsed_ms: 0 },
      ...warned(warnings),
      next: 'herdr_exec_read with this session_id gives its output and says when it has ended.',
    },
    runningSession: id,
  };
};

type Work = { command: string } | { steps: { program: string; args: string[] }[] };

function begin(project: Project, work: Work, context: ToolContext) {
  const { path } = project.root;
  const request = { root: path, cwd: path, dispatch: context.dispatchId, ...work };
  if (!project.inPane) return context.exec.start(request);
  const place = { workspace: project.workspaceId, cwd: path };
  return utilityPanes(context).with(place, context, (door) => context.exec.startInPane(request, door));
}

const backendOf = (state: SessionState | undefined) =>
  state?.pane === undefined ? { backend: 'native' } : { backend: 'utility_pane', pane: state.pane.id };

/** Exactly one of command and steps, and nothing that a program cannot be given. */
function checkWork(asked: { command?: string; steps?: Step[] }): Work {
  const { command, steps } = asked;
  if ((command === undefined) === (steps === undefined)) throw invalid('Give either command or steps');
  if (command !== undefined) {
    if (command.includes('\0')) throw invalid('command holds a NUL');
    return { command };
  }
  return {
    steps: (steps ?? []).map(({ program, args = [] }) => {
      if ([program, ...args].some((word) => word.includes('\0'))) throw invalid('a step holds a NUL');
      if (program.startsWith('-')) throw invalid('the program of a step begins with a dash, as options do');
      return { program, args };
    }),
  };
}

function mayRun(context: ToolContext, table: RootTable, root: Root, confirmBusy: boolean): Record<string, unknown> {
  return admit({ policy: context.policy, view: context.live.view(), table, root, paths: [root.path], confirmBusy });
}

const warned = (warnings: Record<string, unknown>) => (Object.keys(warnings).length === 0 ? {} : { warnings });

/** The end, and what the command left running. */
function ending(context: ToolContext, state: SessionState): Record<string, unknown> {
  const { done, id } = state;
  if (done === undefined) return {};
  const alive = done.background === true ? context.exec.survivors(id) : [];
  return {
    ...describeEnd(done),
    ...describeChildren(alive),
  };
}

/** The output from its beginning, as far as an answer goes; a long one also shows its end. */
function output(context: ToolContext, state: SessionState, name: 'output' | 'partial_output'): Record<string, unknown> {
  const room = roomFor() - TAIL_CHARS;
  const page = fittingPage((bytes) => context.exec.read(state.id, 'both', 0, bytes), room, room);
  const { nextOffset, bytesTotal } = page;
  const rest = bytesTotal - nextOffset;
  const from = (bytes: number) => Math.max(nextOffset, bytesTotal - bytes);
  const end = (bytes: number) => context.exec.read(state.id, 'both', from(bytes), bytes);
  const tail = rest > 0 ? fittingPage(end, TAIL_BYTES, TAIL_CHARS) : undefined;
  const left = room - JSON.stringify(page.text).length;
  const elapsedMs = (state.done?.endedAtMs ?? context.nowMs()) - state.startedAtMs;
  return {
    [name]: page.text,
    truncated: rest > 0,
    ...(tail === undefined
      ? {}
      : {
          next_offset: nextOffset,
          cut: `${rest} more bytes from offset ${nextOffset} on; herdr_exec_read gives them. tail is the end of the output.`,
          tail: tail.text,
        }),
    progress: { bytes_read: nextOffset, bytes_total: bytesTotal, elapsed_ms: elapsedMs },
    ...(rest === 0 && state.done !== undefined ? structured(context, state.id, page.text, left) : {}),
  };
}

/** The object beside its text, where both fit into the answer: `room` is what the text left. */
function structured(context: ToolContext, id: string, text: string, room: number): Record<string, unknown> {
  if (!text.includes('}')) return {};
  const found = structuredOutput({
    stdout: context.exec.read(id, 'stdout', 0, RESULT_TEXT_CHARS).text,
    stderr: context.exec.read(id, 'stderr', 0, RESULT_TEXT_CHARS).text,
  });
  return JSON.stringify(found).length <= room ? found : {};
}

function stillRunning(
  context: ToolContext,
  state: SessionState,
  facts: Record<string, unknown>,
  waitedMs: number,
): OutcomeError {
  const why = context.signal.aborted ? 'Waiting for it was ended' : `It did not end within ${waitedMs} ms`;
  return new OutcomeError('exec_timeout', `${why}; the command goes on as session ${state.id} and was not ended.`, {
    next: `Follow it with herdr_exec_read {"session_id": "${state.id}"}; do not run it again. herdr_exec_kill ends it.`,
    delivery: 'delivered',
    details: { ...facts, phase: 'running', ...output(context, state, 'partial_output') },
  });
}

function invalid(what: string): OutcomeError {
  return new OutcomeError('invalid_params', `${what}; nothing was run.`, {
    next: 'Correct the arguments and call again.',
  });
}
