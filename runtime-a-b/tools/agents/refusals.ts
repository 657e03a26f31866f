/** Why a prompt was not sent. */
import type { AgentInfo } from '../../../contract/herdr/index.ts';
import { OutcomeError } from '../../../contract/outcome.ts';
import { echo } from '../../echo.ts';
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

/** Text stands in the box. `own` when it is an earlier prompt of ours, which typing on would run together with this one. */
export function boxNotEmpty(
  agent: AgentInfo,
  box: Extract<Composer, { state: 'draft' }>,
  whose: 'own' | 'somebody',
): OutcomeError {
  const own = whose === 'own';
  const what = own ? 'the text of an earlier prompt' : 'text that somebody typed and has not sent';
  return new OutcomeError(
    'agent_input_not_empty',
    `The input box of the agent in ${agent.pane_id} holds ${what}. Nothing was sent and the text was left alone.`,
    {
      delivery: 'not_delivered',
      next: own
        ? 'Look with herdr_call pane.read. If the earlier prompt stands there, herdr_call agent.send_keys with ["enter"] submits it; do not send it again.'
        : 'Look with herdr_call pane.read whether the text is still there, and prompt again once the person at the workstation has sent or cleared it. Until then go on with work that does not need this agent.',
      details: {
        resolved_pane: agent.pane_id,
        whose: own ? 'an earlier prompt through herdr_prompt' : 'probably a person at the workstation',
        evidence: echo(box.row),
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
