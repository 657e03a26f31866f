/** Rows of the page's table of interruptions, computed by the functions that decide. */
import { isRetryable, type OutcomeError } from '../../contract/outcome.ts';
import * as outcomes from '../../link/forward/attempts.ts';

const began = { maybeSent: false, attempts: 0, triedMs: 0, remainingMs: 20_000 };
const long = { attempts: 9, triedMs: 60_000, remainingMs: -60_000 };
const gone = { kind: 'not_sent', message: 'nobody listens' } as const;
const noRoom = { kind: 'no_room', size: 0, delivery: 'delivered' } as const;
const lost = { kind: 'lost', message: 'the connection broke' } as const;

const situations: [string, outcomes.Step | OutcomeError][] = [
  ['the link’s queue is full', outcomes.queueFull(0)],
  ['the link is stopping', outcomes.draining()],
  ['cancelled while it waited in the link', outcomes.cancelledWhileWaiting()],
  ['its time is over before it could begin', outcomes.tooLate()],
  ['it names another device', outcomes.wrongDevice()],
  ['no runtime listens, for a moment', outcomes.afterAnswer(gone, began)],
  ['no runtime listens', outcomes.afterAnswer(gone, { ...long, maybeSent: false })],
  [
    'the generation is starting or stopping',
    outcomes.afterAnswer({ kind: 'refused', status: 503, message: '' }, began),
  ],
  ['the connection to the runtime breaks under the call', outcomes.afterAnswer(lost, began)],
  ['the process that had the call is gone', outcomes.afterAnswer(gone, { ...began, maybeSent: true })],
  ['and no other generation can say what became of it', outcomes.afterAnswer(gone, { ...long, maybeSent: true })],
  ['there is no room for the result beside others', outcomes.afterAnswer(noRoom, began)],
  ['and none comes until the deadline', outcomes.afterAnswer(noRoom, { ...long, maybeSent: true })],
  [
    'the result is larger than 16 MiB',
    outcomes.afterAnswer({ kind: 'too_large', size: 0, delivery: 'delivered' }, began),
  ],
];

export function interruptions(): string[] {
  return situations.map(([where, what]) => {
    if ('do' in what && what.do === 'again') {
      const whom = what.at === 'same' ? 'the same process is' : 'the active generation is';
      return `| ${where} | ${whom} asked again for the same dispatch id: it joins, replays, or runs it for the first time | | | | |`;
    }
    if ('do' in what && what.do === 'finish') throw new Error(`${where} is no interruption`);
    const error = 'do' in what ? what.error : what;
    const { code, delivery } = error;
    const [read, write] = (['read', 'write'] as const).map((callClass) => outcomes.adviceFor(error, callClass, '…'));
    const next = read === write ? read : `Of a read: ${read} Of a write: ${write}`;
    const retry = (callClass: 'read' | 'write') => (isRetryable(callClass, code, delivery) ? 'yes' : 'no');
    return `| ${where} | \`${code}\` | \`${delivery}\` | ${retry('read')} | ${retry('write')} | ${next} |`;
  });
}
