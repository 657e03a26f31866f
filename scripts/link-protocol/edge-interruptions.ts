/** The rows of the page about what the edge decides, computed by the functions that decide there. */
import { FRAME_BYTES_MAX, IN_FLIGHT_BYTES_MAX, RESULT_BYTES_MAX } from '../../contract/limits.ts';
import type { CallClass, Failure } from '../../contract/outcome.ts';
import { judgeMissing, type MissingFacts } from '../../edge/workstation/decide.ts';
import * as told from '../../edge/workstation/failures.ts';

type Told = (context: told.FailureContext) => Failure;

/** Every failure that the edge tells, by the point at which the call was interrupted. */
const FAILURES: readonly [string, Told][] = [
  ['the link is away for long', (context) => told.workstationOffline(context, undefined)],
  ['the link is away, was there moments ago, and does not come back in time', told.reconnecting],
  ['the link is stopping, and no other comes in time', told.draining],
  ['the runtime is away or being started, and does not come in time', told.runtimeUnavailable],
  ['too many calls to this workstation are under way', (context) => told.queueFull(context, 0)],
  ['the arguments do not fit into a frame', (context) => told.payloadTooLarge(context, FRAME_BYTES_MAX)],
  [
    'the connected runtime lacks an argument that guards the call',
    (context) => told.guardNotInContract(context, [], 4),
  ],
  ['the device is paused', told.devicePaused],
  ['the device is suspended before the call is sent', told.deviceSuspended],
  ['the device is revoked before the call is sent', told.deviceRevoked],
  ['the device is revoked or suspended under the call', (context) => told.cutOff(context, 'device_revoked')],
  ['the deadline comes before the call was sent', (context) => told.timedOut(context, false)],
  ['the deadline comes after it was sent', (context) => told.timedOut(context, true)],
  ['the caller goes away before it was sent', (context) => told.cancelled(context, false)],
  ['the caller goes away after it was sent', (context) => told.cancelled(context, true)],
  ['the receipt is of an older edge and does not name the runtime that had the call', told.interrupted],
  ['the object cannot be reached until the deadline', told.uncertain],
  ['the object was reset after the answer was given', (context) => told.resultLost(context, 'delivered', null)],
  ['the result is larger than 16 MiB', (context) => told.tooLarge(context, 0, RESULT_BYTES_MAX)],
  ['the result has no room beside others', (context) => told.crowdedOut(context, 0, IN_FLIGHT_BYTES_MAX)],
];

export function edgeInterruptions(): string[] {
  return FAILURES.map(([where, failure]) => {
    const read = failure({ dispatchId: '…', callClass: 'read' });
    const write = failure({ dispatchId: '…', callClass: 'write' });
    const next = read.next === write.next ? write.next : `Of a read: ${read.next} Of a write: ${write.next}`;
    const may = ({ retryable }: Failure) => (retryable ? 'yes' : 'no');
    return `| ${where} | \`${write.code}\` | \`${write.delivery}\` | ${may(read)} | ${may(write)} | ${next} |`;
  });
}

const died: Omit<MissingFacts, 'callClass'> = {
  sameBoot: false,
  accepted: true,
  sameRuntime: true,
  runtimeKnown: true,
  sends: 1,
};

/** What happened to a call that was sent, when the link says hello again and does not list it. */
const RETURNS: readonly [string, Omit<MissingFacts, 'callClass'>][] = [
  ['the socket was cut before the link had the call', { ...died, sameBoot: true, accepted: false }],
  ['the link’s process died; its runtime lives', died],
  ['the link’s process died; no runtime is there yet', { ...died, sameRuntime: false, runtimeKnown: false }],
  ['the link’s process and the runtime’s died', { ...died, sameRuntime: false }],
  ['the same link had it and lists it no more', { ...died, sameBoot: true }],
  ['a read was lost with its process twice', { ...died, sameRuntime: false, sends: 2 }],
];

const THEN: Record<ReturnType<typeof judgeMissing>, string> = {
  send: 'sent again under the same id: the ledger joins what it knows',
  wait: 'the next hello, which knows a runtime, decides',
  ask: '`settle`: the ledger says what became of it, or that it never came and never will run',
  unknown: '`interrupted`, `unknown`',
};

export function returns(): string[] {
  const then = (facts: Omit<MissingFacts, 'callClass'>, callClass: CallClass) =>
    callClass === 'write' && facts.sends > 1 ? 'as before' : THEN[judgeMissing({ ...facts, callClass })];
  return RETURNS.map(([where, facts]) => `| ${where} | ${then(facts, 'read')} | ${then(facts, 'write')} |`);
}
