/** One act of `herdr-mcp webchat`, from its words to what a person or an agent reads of it. */
import { LocalError } from '../../local/error/index.ts';
import { EXIT, UsageError } from '../exit.ts';
import { type Answer, askOverSocket } from '../runtime/index.ts';
import { note, sayJson } from '../terminal/index.ts';

/** Reads something; throws with the runtime's own sentence when it refuses. */
export async function look(method: string, params: Answer): Promise<Answer> {
  const answer = await askOverSocket(method, params);
  if (answer.ok === true) return answer;
  throw refused(answer);
}

function refused(answer: Answer): LocalError {
  return new LocalError(text(answer.code) || 'refused', text(answer.message) || 'It was refused.', text(answer.next));
}

/**
 * Does something once. What was refused before anything was written down throws; anything else is the dispatch as it
 * stands, proved or not. An answer that was lost is no lost act: the key finds it again.
 */
export async function act(method: string, params: Answer & { idempotency_key: string }): Promise<Answer> {
  try {
    const answer = await askOverSocket(method, params);
    if (answer.ok === true || isDispatch(answer)) return answer;
    throw refused(answer);
  } catch (error) {
    if (!(error instanceof LocalError) || error.code !== 'runtime_silent') throw error;
    const key = params.idempotency_key;
    throw new LocalError(
      error.code,
      error.message,
      `Run the same command again with --key ${key}: what happened is looked up, and nothing is sent twice.`,
      error,
    );
  }
}

/** Whether an answer tells of a dispatch that was written down, whatever became of it. */
export const isDispatch = (answer: Answer): boolean =>
  typeof answer.dispatch_id === 'string' && typeof answer.delivery_state === 'string';

/** An answer for programs, and what a person must know of one that is not proved. The exit code says the same. */
export function tell(answer: Answer, asJson: boolean | undefined, lines: (answer: Answer) => void): void {
  if (answer.ok !== true) process.exitCode = EXIT.failed;
  if (asJson) {
    sayJson(answer);
    return;
  }
  lines(answer);
  if (answer.ok === true) return;
  note(text(answer.message));
  note(text(answer.next));
}

/** A ref of that kind; an address, a selector or anything else names nothing here. */
export function ref(given: string, kind: 'br' | 'bep' | 'bd', what: string): string {
  if (new RegExp(`^${kind}_[0-9a-f]{32,64}$`).test(given)) return given;
  throw new UsageError(`${what} is named by its ref (${kind}_…), as herdr-mcp webchat lists it. Nothing was done.`);
}

export const text = (value: unknown): string => (typeof value === 'string' ? value : '');
