/**
 * `herdr_control`: what a person does to one pane from the Side Panel. It is no tool of the catalog: only the route of the
 * private socket submits it, as {@link CONTROL_PRINCIPAL}, so that an action stands in the ledger before it happens and the
 * same key never acts twice. Whether the pane still holds what the person chose is looked at here, after that and right
 * before acting.
 */
import { type ControlRequest, type ControlTarget, isReadAction } from '../../../contract/control/index.ts';
import type { PaneInfo } from '../../../contract/herdr/index.ts';
import { OutcomeError } from '../../../contract/outcome.ts';
import { targetRevision } from '../../herdr/index.ts';
import type { ToolAnswer, ToolContext, ToolHandler } from '../context.ts';
import { readDetails, readOutput } from './read.ts';
import { steerAnswer } from './steer.ts';
import { interrupt, typeLine } from './terminal.ts';

/** Who acts from the Side Panel. Keys belong to whoever uses them, so these are nobody else's. */
export const CONTROL_PRINCIPAL = { kind: 'local', id: 'panel', label: 'Side Panel' } as const;
export const CONTROL_TOOL = 'herdr_control';

/** `prompt` takes the way of `herdr_prompt`, with all of its guards. */
export function controlTool({ prompt, bootId }: { prompt: ToolHandler; bootId: string }): ToolHandler {
  return async (args, context) => {
    const request = args as unknown as ControlRequest; // held against the contract when it came in
    const pane = await fenced(request.target, context, bootId);
    const evidence = await act(request, pane, prompt, context);
    return { ok: true, body: { ...evidence, dispatch_id: context.dispatchId } };
  };
}

async function act(
  request: ControlRequest,
  pane: PaneInfo,
  prompt: ToolHandler,
  context: ToolContext,
): Promise<ToolAnswer['body']> {
  if (!isReadAction(request.action)) mayAct(context);
  switch (request.action) {
    case 'details':
      return { outcome: 'read', evidence: readDetails(pane, context) };
    case 'recent_output':
      return { outcome: 'read', evidence: await readOutput(pane, request.args ?? {}, context) };
    case 'steer':
      return steerAnswer(pane);
    case 'agent_prompt': {
      if (pane.agent === undefined) return { outcome: 'no_agent' };
      const { body } = await prompt({ target: pane.pane_id, text: request.args.text }, context);
      const { before, after, turn_start: start, note } = body as Record<string, unknown>;
      const queued = Reflect.get(Object(before), 'agent_status') === 'working';
      return {
        outcome: queued ? 'queued' : 'submitted',
        ...(start === 'seen' ? { observed: true } : {}),
        evidence: { before, after, turn_start: start, note },
      };
    }
    case 'terminal_input':
      return typeLine(pane, request.args.text, context);
    case 'interrupt':
      return interrupt(pane, context);
  }
}

/** The pane as Herdr shows it now, when it still is what was chosen. Nothing is guessed in its place. */
async function fenced(target: ControlTarget, context: ToolContext, bootId: string): Promise<PaneInfo> {
  const view = await context.live.refresh();
  if (view.state !== 'live' || !view.server) {
    throw new OutcomeError('herdr_unavailable', 'Herdr does not answer now. Nothing was done.', {
      delivery: 'not_delivered',
      next: 'Start Herdr on the workstation, then try again.',
    });
  }
  const pane = view.panes.find(({ pane_id: id }) => id === target.pane_id);
  const found = pane && targetRevision(bootId, view.server.key, pane);
  if (pane && found === target.target_revision) return pane;
  throw new OutcomeError(
    'changed_since_read',
    pane
      ? `Pane ${target.pane_id} holds something else than when it was chosen. Nothing was done.`
      : `Pane ${target.pane_id} is gone. Nothing was done.`,
    {
      delivery: 'not_delivered',
      next: 'Look at what is there now and choose again.',
      details: { stale_reason: pane ? 'target_revision_changed' : 'pane_removed' },
    },
  );
}

function mayAct({ policy, live }: ToolContext): void {
  if (policy.readOnly) {
    throw new OutcomeError('readonly_mode', 'The workstation is in read-only mode. Nothing was done.', {
      next: 'End it: herdr-mcp config set read-only off.',
    });
  }
  const { server } = live.view();
  if (server?.support === 'full') return;
  throw new OutcomeError('herdr_too_old', `Herdr ${server?.version ?? ''} can only be read. Nothing was done.`, {
    delivery: 'not_delivered',
    next: 'Update Herdr to 0.7.5 or later.',
  });
}
