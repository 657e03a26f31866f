import { CURRENT_RUNTIME, isAcceptedRuntime } from '../../contract/epochs/index.ts';
import { CLOSE, type FrameOf, LINK_PROTOCOL } from '../../contract/link/index.ts';

export interface HelloRefusal {
  reason: FrameOf<'refuse'>['reason'];
  close: number;
  message: string;
}

/** How a suspended device's link is turned away: a policy's refusal (RFC 6455), and what it is comes in the frame. */
export const SUSPENDED: HelloRefusal = {
  reason: 'suspended',
  close: 1008,
  message: 'This device is suspended. Restore it from another workstation: herdr-mcp worker restore.',
};

const REVOKED: HelloRefusal = { reason: 'revoked', close: CLOSE.revoked, message: 'This device was revoked.' };

/**
 * Whether this hello may serve: the device may act, the protocol is ours, and the runtime's contract, epoch and hash
 * together, is in the window.
 */
export function judgeHello(
  hello: FrameOf<'hello'>,
  device: { revoked: boolean; suspended: boolean },
): HelloRefusal | undefined {
  if (device.revoked) return REVOKED;
  if (device.suspended) return SUSPENDED;
  if (hello.protocol !== LINK_PROTOCOL) {
    return {
      reason: 'protocol',
      close: CLOSE.contract,
      message: `This edge speaks link protocol ${LINK_PROTOCOL}, the link said ${hello.protocol}. Update the older one of the two.`,
    };
  }
  const { runtime } = hello;
  if (runtime && !isAcceptedRuntime(runtime.contract_epoch, runtime.contract_hash)) {
    return {
      reason: 'contract',
      close: CLOSE.contract,
      message: `The runtime's contract (epoch ${runtime.contract_epoch}) is not one that this edge accepts; the current one is epoch ${CURRENT_RUNTIME.epoch}, ${CURRENT_RUNTIME.hash}. Promote a runtime that has it, or update the edge.`,
    };
  }
  return undefined;
}
