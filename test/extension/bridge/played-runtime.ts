/** A runtime as the bridge calls it: it keeps what it did under each key, and may be away, refuse, or lose its answers. */
import type { CallOutcome } from '../../../extension/machines/bridge/index.ts';

export type Tool = (tool: string, args: Record<string, unknown>) => unknown;

export class PlayedRuntime {
  /** What really happened, in order. */
  readonly ran: { tool: string; args: string }[] = [];
  readonly asked: { tool: string; key: string | null }[] = [];
  up = true;
  answersCalls = true;
  /** It takes calls, and their answers get lost. */
  losesAnswers = false;
  /** What it answers in place of doing anything, as while it is paused; null: it does what it is asked. */
  refusal: unknown = null;
  readonly #kept = new Map<string, unknown>();
  readonly #tool: Tool | undefined;

  constructor(tool: Tool | undefined) {
    this.#tool = tool;
  }

  call(tool: string, args: Record<string, unknown>): CallOutcome {
    if (!this.up || !this.answersCalls) return { kind: 'unknown', why: 'extension_ipc_unavailable' };
    if (this.refusal !== null) return answered(this.refusal);
    const { idempotency_key: given, ...rest } = args;
    const key = typeof given === 'string' ? given : null;
    this.asked.push({ tool, key });
    const known = key === null ? undefined : this.#kept.get(key);
    const result = known === undefined ? this.#act(tool, rest) : { ...(known as object), idempotent_replay: true };
    if (key !== null) this.#kept.set(key, known ?? result);
    return this.losesAnswers ? { kind: 'unknown', why: 'native_stream_failed' } : answered(result);
  }

  #act(tool: string, args: Record<string, unknown>): unknown {
    this.ran.push({ tool, args: JSON.stringify(args) });
    return { ok: true, ...(this.#tool?.(tool, args) as object | undefined), number: this.ran.length };
  }
}

const answered = (result: unknown): CallOutcome => ({
  kind: 'answered',
  answer: { content: [{ type: 'text', text: JSON.stringify(result) }] },
});

/** What becomes of a call that nobody wants any more. */
export const UNWANTED: CallOutcome = { kind: 'unknown', why: 'stopped' };
