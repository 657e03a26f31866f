/** Why a call to Herdr failed, and the one mapper from there to the outcome that a caller sees. */
import { type Delivery, OutcomeError } from '../../contract/outcome.ts';
import { echo } from '../echo.ts';

/** The ways in which the socket itself can fail; everything else is a code that Herdr answered. */
const SOCKET_FAILURES = [
  'socket_missing',
  'connection_refused',
  'timeout',
  'socket_error',
  'unexpected_eof',
  'response_too_large',
  'parse_error',
  'encode_error',
  'aborted',
] as const;
export type SocketFailure = (typeof SOCKET_FAILURES)[number];

/** Thrown by the client. `answered` tells a code of Herdr's own from a failure on the way. */
export class HerdrFailure extends Error {
  readonly code: string;
  readonly answered: boolean;
  /** What the request's fate is, by evidence: only a socket that nobody serves proves that nothing arrived. */
  readonly delivery: Delivery;

  constructor(code: string, message: string, answered: boolean, cause?: unknown) {
    super(message, { cause });
    this.name = 'HerdrFailure';
    this.code = code;
    this.answered = answered;
    this.delivery = answered ? 'delivered' : NEVER_SENT.has(code) ? 'not_delivered' : 'unknown';
  }
}

/** `encode_error` fails before a connection is opened; the other two are the kernel's word that nobody listens. */
const NEVER_SENT: ReadonlySet<string> = new Set<SocketFailure>([
  'socket_missing',
  'connection_refused',
  'encode_error',
]);

/** Herdr names in its words what it was asked, which may be long; its own sentences stay far below this. */
const HERDR_WORDS_CHARS = 1_000;

/** Codes of Herdr that our closed list has too, with the same meaning. */
const SAME_CODE = {
  workspace_not_found: 'Call herdr_inspect for the workspaces that are open now.',
  agent_not_found: 'Call herdr_inspect for the agents that run now.',
  agent_target_ambiguous: 'Name the pane id instead; herdr_inspect lists it.',
  agent_not_ready: 'Wait until the agent is up (herdr_since reports it), then try again.',
} as const;

const hasSameCode = (code: string): code is keyof typeof SAME_CODE => Object.hasOwn(SAME_CODE, code);

/**
 * The outcome of a failed call to Herdr. Herdr's own code and words are kept in `details.herdr_code` and
 * `details.herdr_message`; they were written by another program and are facts about it, not instructions.
 */
export function herdrOutcome(failure: HerdrFailure, method: string): OutcomeError {
  const words = echo(failure.message, HERDR_WORDS_CHARS);
  const details = { method, herdr_code: echo(failure.code), herdr_message: words };
  if (failure.answered) {
    if (hasSameCode(failure.code)) {
      return new OutcomeError(failure.code, `Herdr refused ${method}: ${words}`, {
        next: SAME_CODE[failure.code],
        details,
        cause: failure,
      });
    }
    return new OutcomeError('herdr_error', `Herdr refused ${method} with ${echo(failure.code)}: ${words}`, {
      next: 'Look at herdr_code; herdr_inspect shows the present state, herdr_methods the parameters.',
      details,
      cause: failure,
    });
  }
  if (failure.code === 'encode_error') {
    return new OutcomeError('payload_too_large', words, {
      next: 'Send less in one call.',
      details,
      cause: failure,
    });
  }
  const nothing =
    failure.delivery === 'not_delivered' ? ' Nothing was sent.' : ' Whether it was carried out is not known.';
  return new OutcomeError('herdr_unavailable', `Herdr did not answer ${method}: ${words}.${nothing}`, {
    next:
      failure.delivery === 'not_delivered'
        ? 'Start Herdr on the workstation, or herdr-mcp again (npm start), which brings a Herdr of its own; then try again. Files and Git work without it.'
        : 'Look at the result with herdr_inspect or pane.read before anything is repeated.',
    delivery: failure.delivery,
    details,
    cause: failure,
  });
}
