/** `herdr_mcp.exec.wait`: output of a command as soon as there is more, for a reader who follows it. */
import * as Type from 'typebox';
import { OutcomeError } from '../../../contract/outcome.ts';
import { READ_BYTES, type View } from '../../exec/index.ts';
import { ANSWER_MARGIN_MS, EXEC_WAIT_LOOK_MS } from '../../limits.ts';
import { fittingPage, roomFor } from '../fit.ts';
import type { LocalMethod } from './local.ts';

/** Waits when nothing is said, and at most: a remote call holds no longer (lesson 49). */
const WAIT_MS_DEFAULT = 10_000;
const WAIT_MS_MAX = 20_000;
const LIMIT_MAX = 262_144;

const VIEWS: readonly View[] = ['stdout', 'stderr', 'both'];

const Params = Type.Object(
  {
    session_id: Type.String({ minLength: 1, maxLength: 128 }),
    stream: Type.Optional(Type.Enum([...VIEWS])),
    offset: Type.Optional(Type.Integer({ minimum: 0 })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMIT_MAX })),
    timeout_ms: Type.Optional(Type.Integer({ minimum: 1, maximum: WAIT_MS_MAX })),
  },
  { additionalProperties: false },
);

export const execWait: LocalMethod = {
  access: 'read',
  description: 'Output of a command from an offset on, as soon as there is some, it has ended, or the time is up.',
  params: Params,
  async run(params, { exec, signal, nowMs, deadlineAtMs }) {
    const id = String(params.session_id);
    const view = VIEWS.find((name) => name === params.stream) ?? 'both';
    const number = (name: string, otherwise: number) => (typeof params[name] === 'number' ? params[name] : otherwise);
    const offset = number('offset', 0);
    const limit = number('limit', READ_BYTES);
    const began = nowMs();
    const effectiveMs = Math.max(
      0,
      Math.min(number('timeout_ms', WAIT_MS_DEFAULT), deadlineAtMs - ANSWER_MARGIN_MS - began),
    );
    for (;;) {
      const state = exec.look(id);
      if (!state) throw notFound(id);
      const page = fittingPage((bytes) => exec.read(id, view, offset, bytes), limit, roomFor(limit));
      const waited = nowMs() - began;
      const timedOut = waited >= effectiveMs;
      if (page.text !== '' || !state.running || timedOut || signal.aborted) {
        return {
          ok: true,
          body: {
            session_id: id,
            running: state.running,
            phase: state.running ? 'running' : 'completed',
            exit_code: state.done?.exitCode ?? null,
            stream: view,
            offset: page.offset,
            next_offset: page.nextOffset,
            bytes_total: page.bytesTotal,
            text: page.text,
            ...(page.dropped ? { dropped: page.dropped } : {}),
            waited_ms: waited,
            wait_timed_out: timedOut && page.text === '' && state.running,
            effective_timeout_ms: effectiveMs,
          },
        };
      }
      await exec.wait(id, Math.min(EXEC_WAIT_LOOK_MS, effectiveMs - waited), signal);
    }
  },
};

function notFound(id: string): OutcomeError {
  return new OutcomeError('session_not_found', `There is no command session ${JSON.stringify(id)}.`, {
    next: 'Use a session_id that herdr_exec or herdr_exec_start gave; herdr_inspect lists the latest ones.',
  });
}
