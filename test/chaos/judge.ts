/** Holds what a caller heard and what its key says against the files. Pure. */
import { type Delivery, exitCodeOf, type Heard, type LookedUp } from './caller.ts';
import type { PlannedCall } from './plan.ts';

export interface Case {
  call: PlannedCall;
  /** The last thing it heard; a caller that asked again was told again. */
  heard: Heard;
  /** It had heard nothing before and asked with its key again, so `not_delivered` speaks of the second sending alone. */
  askedAgain: boolean;
  lookedUp: LookedUp;
  /** How many times its effect is in the files; -1 when only a part of it is. */
  times: number;
  /** Whether the process that runs calls was killed between its begin and its end. */
  runtimeKilled: boolean;
}

/** One sentence per broken promise; none for a call that was treated well. */
export function judge(record: Case): string[] {
  const { heard, times, call } = record;
  const broken: string[] = [];
  if (times < 0) broken.push('torn: the file is there with other bytes');
  if (times > 1) broken.push(`doubled: its effect is there ${times} times`);
  if (heard.kind === 'odd') broken.push(`no tool result: ${heard.what}`);
  if (heard.kind === 'answer') {
    const aboutSecond = record.askedAgain && heard.delivery === 'not_delivered';
    if (!aboutSecond) broken.push(...held('was told', heard.delivery, record));
    if (heard.ok && call.kind !== 'write') broken.push(...words(heard, call));
  }
  const known = deliveryOf(record.lookedUp);
  broken.push(...held('its key says', known, record));
  if (heard.kind === 'answer' && heard.delivery === 'delivered' && known !== 'delivered') {
    broken.push(`was told delivered, its key says ${known}`);
  }
  return broken;
}

function held(who: string, delivery: Delivery, { times, runtimeKilled, lookedUp, heard }: Case): string[] {
  const code = heard.kind === 'answer' ? ` ${heard.code}` : '';
  const states = lookedUp.dispatches.map(({ state, delivery, code }) => `${state}/${delivery}/${code}`).join(', ');
  const story = `(heard${code || ' nothing'}; dispatches: ${states || 'none'})`;
  if (delivery === 'delivered' && times === 0) return [`lie: ${who} delivered, and it is not there ${story}`];
  if (delivery === 'not_delivered' && times > 0) return [`lie: ${who} not_delivered, and it is there ${story}`];
  if (delivery === 'unknown' && !runtimeKilled) return [`${who} unknown, and the runtime lived ${story}`];
  if (delivery === 'unknown' && lookedUp.dispatches.every(({ state }) => state === 'sent' || state === 'running')) {
    return [`${who} unknown, and the dispatch's status knows nothing better ${story}`];
  }
  return [];
}

/** What all dispatches of one key say together: once delivered is delivered. */
function deliveryOf({ found, dispatches }: LookedUp): Delivery {
  if (!found || dispatches.every(({ delivery }) => delivery === 'not_delivered')) return 'not_delivered';
  return dispatches.some(({ delivery }) => delivery === 'delivered') ? 'delivered' : 'unknown';
}

function words(heard: Extract<Heard, { kind: 'answer' }>, call: PlannedCall): string[] {
  const code = call.kind === 'run' ? exitCodeOf(call) : 0;
  const output = call.kind === 'run' ? `said ${call.n}\n` : '';
  if (heard.exitCode === code && heard.output === output) return [];
  return [`lie: exit code ${heard.exitCode} and output ${JSON.stringify(heard.output)}, not ${code} and ${output}`];
}
