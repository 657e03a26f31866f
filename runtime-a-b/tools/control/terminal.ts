/** Keys into a terminal: a line where no agent is, and Ctrl-C where one works. Each is sent once. */
import type { HerdrParams, PaneInfo } from '../../../contract/herdr/index.ts';
import { OutcomeError } from '../../../contract/outcome.ts';
import { directoryOf, HerdrFailure, herdrOutcome } from '../../herdr/index.ts';
import { writeGateAt } from '../../roots/index.ts';
import type { ToolAnswer, ToolContext } from '../context.ts';

/** A shell gets a line and Enter. */
export async function typeLine(pane: PaneInfo, text: string, context: ToolContext): Promise<ToolAnswer['body']> {
  if (pane.agent !== undefined) {
    throw refusal('An agent runs in this pane, so nothing is typed into its terminal.', 'Send it a prompt instead.');
  }
  if (context.policy.writeRoots !== undefined) {
    const gate = writeGateAt(context.policy, directoryOf(pane) ?? 'The directory of this pane');
    if (gate) throw gate;
  }
  await once('pane.send_input', { pane_id: pane.pane_id, text, keys: ['enter'] }, context);
  return { outcome: 'submitted', evidence: { typed: true, enter: true } };
}

/** Only an agent that works has something to interrupt; in another pane Ctrl-C would mean something else. */
export async function interrupt(pane: PaneInfo, context: ToolContext): Promise<ToolAnswer['body']> {
  if (pane.agent === undefined) return { outcome: 'no_agent', evidence: { status: null } };
  if (pane.agent_status !== 'working') return { outcome: 'no_active_turn', evidence: { status: pane.agent_status } };
  await once('pane.send_keys', { pane_id: pane.pane_id, keys: ['ctrl+c'] }, context);
  return { outcome: 'submitted', evidence: { key: 'ctrl+c', provider_interrupt: false } };
}

async function once<M extends 'pane.send_input' | 'pane.send_keys'>(
  method: M,
  params: HerdrParams[M],
  context: ToolContext,
): Promise<void> {
  try {
    await context.herdr.call(method, params, { signal: context.signal });
  } catch (error) {
    if (!(error instanceof HerdrFailure)) throw error;
    const outcome = herdrOutcome(error, method);
    if (!error.answered || error.code !== 'pane_not_found') throw outcome;
    // The one answer that certainly comes before anything is typed.
    throw new OutcomeError('changed_since_read', 'The pane is gone. Nothing was typed.', {
      delivery: 'not_delivered',
      next: 'Look at what is there now and choose again.',
      details: { stale_reason: 'pane_removed' },
      cause: error,
    });
  }
}

const refusal = (message: string, next: string): OutcomeError =>
  new OutcomeError('agent_not_ready', `${message} Nothing was typed.`, { delivery: 'not_delivered', next });
