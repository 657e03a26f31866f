/** A wake of a local parent as an ordinary dispatch: recorded before it is typed, and never typed twice under its id. */
import type { CallEnvelope } from '../contract/call.ts';
import { CURRENT_RUNTIME } from '../contract/epochs/index.ts';
import type { Dispatcher } from './operations/index.ts';
import { type SendWake, WAKE_MS } from './tasks/index.ts';
import { WAKE_PRINCIPAL } from './tools/index.ts';

export function wakeDispatch(dispatcher: () => Pick<Dispatcher, 'submit'>, deviceId: string): SendWake {
  return async ({ dispatchId, target, text }) => {
    const envelope: CallEnvelope = {
      dispatch_id: dispatchId,
      tool: 'herdr_prompt',
      class: 'write',
      device_id: deviceId,
      principal: WAKE_PRINCIPAL,
      contract_epoch: CURRENT_RUNTIME.epoch,
      deadline_ms: WAKE_MS,
    };
    const { envelope: result } = await dispatcher().submit(envelope, { target, text }, 'write', 'loopback');
    return { delivery: result.delivery, code: result.code };
  };
}
