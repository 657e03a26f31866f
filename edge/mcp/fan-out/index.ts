/**
 * A question about continuity that names no workstation, asked of each of them (issue 9: here this beats the default
 * device). A chain lives on one workstation and the caller need not know which.
 *
 * Decided here: who is asked, for how long, and who is named as not asked. What the answers mean together is `merge`.
 */
import { isReadMethod } from '../../../contract/methods.ts';
import { type Failure, failureResult } from '../../../contract/outcome.ts';
import type { FleetDevice } from '../../http/index.ts';
import { FAN_OUT_DEVICES_MAX, FAN_OUT_MS } from '../../limits.ts';
import { isAway } from '../../presence/index.ts';
import { namesDevice } from '../../routing/index.ts';
import { devicesOf } from '../devices.ts';
import { forward } from '../forward.ts';
import { bodyIn, okResult } from '../result.ts';
import type { ToolAnswer, ToolCall } from '../tool-call.ts';
import type { Heard, NotAsked } from './heard.ts';
import { mergeAnswers } from './merge.ts';

/**
 * Whether this call goes to every workstation. Only reads do, only of a caller who may reach several, and only when
 * nothing in the call names one.
 */
export async function asksEverywhere(call: ToolCall): Promise<readonly FleetDevice[] | undefined> {
  const { method } = call.args;
  if (call.tool !== 'herdr_call' || typeof method !== 'string' || !method.startsWith('continuity.')) return undefined;
  if (!isReadMethod(method) || call.principal.deviceId !== undefined || namesDevice(call.tool, call.args)) {
    return undefined;
  }
  const { devices } = await devicesOf(call.env, { fresh: true });
  const living = devices.filter(({ authorization }) => authorization !== 'revoked');
  return living.length > 1 ? living : undefined;
}

export async function askEverywhere(call: ToolCall, devices: readonly FleetDevice[]): Promise<ToolAnswer> {
  const startedAtMs = Date.now();
  const { asked, notAsked } = whoIsAsked(devices, startedAtMs);
  const answers = await Promise.all(asked.map((device) => ask(call, device, startedAtMs)));
  if (answers.some((answer) => answer === 'revoked')) return { revoked: true };
  const heard = answers.filter((answer): answer is Heard => answer !== 'revoked');
  const merged = mergeAnswers(String(call.args.method), heard, notAsked);
  if (merged.ok) return { result: okResult(merged.body), herdr: { delivery: 'delivered' } };
  return { result: failureResult(merged.failure), herdr: { delivery: merged.failure.delivery } };
}

/** Nobody is asked who takes no calls or is certainly away; beyond the bound the rest is named. */
function whoIsAsked(devices: readonly FleetDevice[], nowMs: number): { asked: FleetDevice[]; notAsked: NotAsked[] } {
  const asked: FleetDevice[] = [];
  const notAsked: NotAsked[] = [];
  for (const device of devices) {
    const why = reasonNotToAsk(device, nowMs) ?? (asked.length >= FAN_OUT_DEVICES_MAX ? 'too_many_devices' : undefined);
    if (why === undefined) asked.push(device);
    else notAsked.push({ device_id: device.device_id, name: device.name, why });
  }
  return { asked, notAsked };
}

function reasonNotToAsk(device: FleetDevice, nowMs: number): string | undefined {
  if (device.authorization === 'suspended') return 'device_suspended';
  if (device.paused) return 'device_paused';
  return isAway(device, nowMs) ? 'workstation_offline' : undefined;
}

async function ask(call: ToolCall, device: FleetDevice, startedAtMs: number): Promise<Heard | 'revoked'> {
  const to = { deviceId: device.device_id, args: call.args, callClass: 'read', startedAtMs } as const;
  const answer = await forward(call, { ...to, deadlineAtMs: startedAtMs + FAN_OUT_MS });
  if (answer.revoked) return 'revoked';
  const about = { device_id: device.device_id, name: device.name };
  const body = bodyIn(answer.result);
  if (body?.ok === true) return { ...about, ok: true, body };
  return { ...about, ok: false, failure: body === undefined ? UNREADABLE : failureIn(body) };
}

/** On the wire the facts of a failure stand beside its members. */
function failureIn(body: Record<string, unknown>): Failure {
  const { ok: _, code, message, delivery, retryable, next, dispatch_id: __, reason: ___, ...details } = body;
  return { ok: false, code, message, delivery, retryable, next, details } as unknown as Failure;
}

/** A result that is none: the workstation could not be asked. */
const UNREADABLE: Failure = {
  ok: false,
  code: 'internal_error',
  message: 'The workstation answered with something that is no result.',
  delivery: 'delivered',
  retryable: true,
  next: 'Ask again.',
};
