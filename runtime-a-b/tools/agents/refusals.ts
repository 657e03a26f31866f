/** Why a prompt was not sent. */
import type { AgentInfo } from '../../../contract/herdr/index.ts';
import { OutcomeError } from '../../../contract/outcome.ts';
import type { Composer } from './composer.ts';

/** Errors that Herdr gives before it types anything (protocol 3.8, 6.6). */
export const REFUSED_BEFORE_TYPING: ReadonlySet<string> = new Set([
  'agent_not_found',
  'agent_target_ambiguous',
  'agent_not_ready',
  'empty_agent_prompt',
  'invalid_request',
  'invalid_params',
  'pane_not_found',
]);

/** The same refusal, known to have come before anything was typed. */
export function unsent(error: OutcomeError): OutcomeError {
  return new OutcomeError(error.code, `${error.message} Nothing was sent.`, {
    delivery: 'not_delivered',
    next: error.next,
    ...(error.details ? { details: error.details } : {}),
    cause: error,
  });
}

export function boxNotEmpty(agent: AgentInfo, box: Extract<Composer, { state: 'draft' }>): OutcomeError {
  return new OutcomeError(
    'agent_input_not_empty',
    `The input box of the agent in ${agent.pane_id} holds text that somebody typed and has not sent. Nothing was sent and the text was left alone.`,
    {
      delivery: 'not_delivered',
      next: 'Ask the person at the workstation to send or clear it, then prompt again.',
      details: {
        resolved_pane: agent.pane_id,
        whose: 'a person at the workstation, or an earlier prompt that was not submitted',
        evidence: box.row,
      },
    },
  );
}

/** A prompt typed into a question would answer it, perhaps with "yes". */
export function agentAsks(agent: AgentInfo): OutcomeError {
  return new OutcomeError(
    'agent_not_ready',
    `The agent in ${agent.pane_id} waits for a decision, and a prompt would be taken for the answer. Nothing was sent.`,
    {
      delivery: 'not_delivered',
      next: 'Read the question with herdr_call pane.read; a person decides, or herdr_call agent.send_keys answers it.',
      details: { resolved_pane: agent.pane_id, agent_status: 'blocked' },
    },
  );
}
