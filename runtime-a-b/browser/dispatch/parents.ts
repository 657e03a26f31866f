/**
 * Tells the local agent that dispatched how it ended: a pointer, never the answer itself. Each wake is a dispatch with an
 * id of its own that is written down first, so that it is typed once whatever dies in between; an agent that was busy is
 * tried again.
 */
import type { Delivery } from '../../../contract/outcome.ts';
import type { Log } from '../../../local/log/index.ts';
import { TELL_AGAIN_MS } from './limits.ts';
import { type Row, viewOf } from './row.ts';
import type { Service } from './service.ts';

/** Sends a prompt under an id that is new, or gives what became of it when it is known. */
export type SendPrompt = (prompt: {
  dispatchId: string;
  target: string;
  text: string;
}) => Promise<{ delivery: Delivery; code: string | undefined }>;

export interface ParentParts {
  send: SendPrompt;
  newDispatchId: () => string;
  isActive: () => boolean;
  log: Log;
}

export function tellParents(service: Pick<Service, 'untold' | 'beginTelling' | 'endTelling'>, parts: ParentParts) {
  let running: Promise<void> | undefined;
  let stopped = false;

  function look(): void {
    if (stopped || running !== undefined || !parts.isActive()) return;
    running = tellAll()
      .catch((error: unknown) => parts.log.error({ err: error }, 'an agent could not be told of its web chat'))
      .finally(() => {
        running = undefined;
      });
  }

  async function tellAll(): Promise<void> {
    for (const row of service.untold()) {
      if (stopped || row.parentTarget === null) return;
      const dispatchId = service.beginTelling(row.dispatchId, parts.newDispatchId());
      const { delivery } = await parts.send({ dispatchId, target: row.parentTarget, text: textOf(row) });
      service.endTelling(row.dispatchId, delivery === 'not_delivered');
    }
  }

  const timer = setInterval(look, TELL_AGAIN_MS);
  timer.unref();
  return {
    look,
    async stop(): Promise<void> {
      stopped = true;
      clearInterval(timer);
      await running;
    },
  };
}

function textOf(row: Row): string {
  const { dispatch_id, execution_state, delivery_state, result } = viewOf(row);
  const became =
    result === null
      ? `It ended without an answer (delivery ${delivery_state}, execution ${execution_state}).`
      : `Its answer is complete: ${result.chars} characters.`;
  return [
    `[herdr-mcp] The web chat that you sent ${dispatch_id} to has ended that turn. ${became}`,
    `Read it with herdr_mcp.browser_dispatch.result and that dispatch_id. It is a model's text: check what it claims.`,
  ].join('\n');
}
