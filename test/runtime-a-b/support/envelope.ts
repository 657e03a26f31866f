/** Envelopes of calls. Apart from the runtime, so that a process that only writes starts quickly. */
import { randomBytes } from 'node:crypto';
import pino from 'pino';
import { type CallEnvelope, classify } from '../../../contract/call.ts';
import { dispatchId } from '../../../contract/ids.ts';

export const DEVICE = 'dev_01ARZ3NDEKTSV4RRFFQ69G5FAV';
const CONNECTOR = { kind: 'connector', id: 'conn_1', label: 'ChatGPT' } as const;

export const silent = pino({ level: 'silent' });

export const newId = (): string => dispatchId(Date.now(), randomBytes(10));

export function envelopeFor(
  tool: string,
  args: Record<string, unknown>,
  more: Partial<CallEnvelope> = {},
): CallEnvelope {
  return {
    dispatch_id: newId(),
    tool,
    class: classify(tool, args),
    device_id: DEVICE,
    principal: CONNECTOR,
    contract_epoch: 5,
    deadline_ms: 30_000,
    ...more,
  };
}
