/** `herdr_exec_read` and `herdr_exec_kill`: a session by its id, of whichever generation. */
import { OutcomeError } from '../../../contract/outcome.ts';
import { READ_BYTES, type Survivor, type View } from '../../exec/index.ts';
import { writeGate } from '../../roots/index.ts';
import type { ToolHandler } from '../context.ts';
import { fittingPage, roomFor } from '../fit.ts';
import { describeChildren, describeEnd } from './describe.ts';
import { interruptPane } from './utility-pane.ts';

interface ReadArgs {
  session_id: string;
  stream?: View;
  offset?: number;
  limit?: number;
}

export const herdrExecRead: ToolHandler = async (args, context) => {
  const { session_id: id, stream = 'both', offset = 0, limit = READ_BYTES } = args as unknown as ReadArgs;
  const state = context.exec.look(id);
  if (state === undefined) throw notFound(id);
  const page = fittingPage((bytes) => context.exec.read(id, stream, offset, bytes), limit, roomFor(limit));
  const { done } = state;
  const alive = done?.background === true ? context.exec.survivors(id) : [];
  return {
    ok: true,
    body: {
      session_id: id,
      running: state.running,
      phase: state.running ? 'running' : 'completed',
      started_at: new Date(state.startedAtMs).toISOString(),
      ...(done === undefined ? { exit_code: null } : describeEnd(done)),
      ...describeChildren(alive),
      stream,
      offset: page.offset,
      next_offset: page.nextOffset,
      bytes_total: page.bytesTotal,
      truncated: page.nextOffset < page.bytesTotal,
      ...(page.dropped === undefined
        ? {}
        : {
            dropped: {
              ...page.dropped,
              note: 'The output was longer than is kept; these bytes of its middle are gone.',
            },
          }),
      progress: {
        bytes_read: page.nextOffset,
        bytes_total: page.bytesTotal,
        elapsed_ms: (done?.endedAtMs ?? context.nowMs()) - state.startedAtMs,
      },
      text: page.text,
    },
  };
};

export const herdrExecKill: ToolHandler = async (args, context) => {
  const { session_id: id } = args as unknown as { session_id: string };
  const state = context.exec.look(id);
  if (state === undefined) throw notFound(id);
  const refusal = writeGate(context.policy, state.root);
  if (refusal?.code === 'readonly_mode') throw refusal;
  const { pane } = state;
  const interrupt = pane === undefined ? undefined : () => interruptPane(pane, context);
  const { killed, forced, survivors, state: after } = await context.exec.kill(id, interrupt);
  return {
    ok: true,
    body: {
      session_id: id,
      killed,
      ...(forced ? { forced: true } : {}),
      running: after.running,
      ...(after.done === undefined ? {} : describeEnd(after.done)),
      still_running: survivors,
      ...(survivors.length > 0
        ? { next: howToStop(survivors) }
        : after.running && pane !== undefined
          ? {
              next: `It did not listen to Ctrl-C, and this runtime may not signal it. Closing pane ${pane.id} ends it.`,
            }
          : {}),
    },
  };
};

function howToStop(survivors: readonly Survivor[]): string {
  const pids = survivors.map(({ pid }) => pid).join(' ');
  return `These processes left the command's process group and still run. herdr_exec with "kill ${pids}" ends them.`;
}

function notFound(id: string): OutcomeError {
  return new OutcomeError(
    'session_not_found',
    `There is no session ${JSON.stringify(id.slice(0, 128))}; nothing was done.`,
    {
      next: 'Use the session_id of an earlier answer; ended sessions are kept for 24 h.',
    },
  );
}
