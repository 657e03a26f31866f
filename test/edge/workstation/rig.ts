/** A fresh edge with one paired device, one approved connector, and the device's object in reach. */

import { env } from 'cloudflare:workers';
import { sha256 } from '../../../contract/canonical.ts';
import { dispatchId } from '../../../contract/ids.ts';
import { CALL_MS_MAX } from '../../../contract/limits.ts';
import type { CallClass } from '../../../contract/outcome.ts';
import type { Env } from '../../../edge/env.ts';
import { forgetDevices } from '../../../edge/mcp/index.ts';
import type { CallInput, CallReply, Workstation } from '../../../edge/workstation/index.ts';
import { Client, Device } from '../auth/harness.ts';
import { reset } from '../evictions.ts';

export const bindings = env as unknown as Env;

export interface Rig {
  device: Device;
  token: string;
  object: () => DurableObjectStub<Workstation>;
}

export async function freshEdge(approval: Record<string, unknown> = {}): Promise<Rig> {
  await reset();
  forgetDevices();
  const device = await Device.first();
  if (device.deviceId === '') throw new Error('the first device could not be paired');
  const { access_token: token } = await (await Client.register()).connect(device, approval);
  return { device, token, object: () => bindings.WORKSTATION.getByName(device.deviceId) };
}

export const PRINCIPAL = { kind: 'connector', id: 'conn_of_the_test', label: 'Test Host' } as const;

export interface Wish {
  class?: CallClass;
  tool?: string;
  args?: Record<string, unknown>;
  deadlineInMs?: number;
  keyDigest?: string;
  principalId?: string;
  id?: string;
}

/** Of a call that nobody answers: it is sent, on a busy machine too, and its end is not waited for long. */
export const LONG_ENOUGH_TO_BE_SENT_MS = 1_500;

/** A call as the Worker hands it to the object. */
export async function callInput(rig: Rig, wish: Wish = {}): Promise<CallInput> {
  const callClass = wish.class ?? 'read';
  const args = new TextEncoder().encode(JSON.stringify(wish.args ?? { path: '/home/me/a.txt' }));
  return {
    call: {
      dispatch_id: wish.id ?? freshDispatchId(),
      tool: wish.tool ?? (callClass === 'read' ? 'herdr_fs_read' : 'herdr_fs_write'),
      class: callClass,
      device_id: rig.device.deviceId,
      principal: { ...PRINCIPAL, ...(wish.principalId === undefined ? {} : { id: wish.principalId }) },
    },
    args,
    deadlineAtMs: Date.now() + (wish.deadlineInMs ?? CALL_MS_MAX),
    ...(callClass === 'write' ? { argsDigest: await sha256(args) } : {}),
    ...(wish.keyDigest === undefined ? {} : { keyDigest: wish.keyDigest }),
  };
}

export function freshDispatchId(): string {
  return dispatchId(Date.now(), crypto.getRandomValues(new Uint8Array(10)));
}

/** The JSON of a successful reply's first text block, or the failure. */
export function told(reply: CallReply): Record<string, unknown> {
  if (reply.kind === 'revoked') return { revoked: true };
  if (reply.kind === 'failure') return reply.failure as unknown as Record<string, unknown>;
  const result = JSON.parse(new TextDecoder().decode(reply.body)) as { content: [{ text: string }] };
  return JSON.parse(result.content[0].text) as Record<string, unknown>;
}

/** Polls until the condition holds; only a failure takes long. */
export async function eventually<T>(look: () => Promise<T | undefined> | T | undefined, what: string): Promise<T> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    const seen = await look();
    if (seen !== undefined) return seen;
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** What the edge keeps of a call of {@link PRINCIPAL}; undefined when it keeps nothing. */
export async function receiptOf(rig: Rig, id: string) {
  const answer = await rig.object().lookUp({ dispatchId: id }, PRINCIPAL.id);
  return 'receipts' in answer ? answer.receipts[0] : undefined;
}
