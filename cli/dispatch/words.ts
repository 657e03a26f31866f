import { entryIn } from '../../contract/json.ts';
import { age, oneLine } from '../terminal/index.ts';
import type { Known } from './look-up.ts';
import type { Entry } from './merge.ts';

/** What a delivery means for a person who decides whether to do something again. */
const MEANS: Record<string, string> = {
  delivered: 'delivered: it ran',
  not_delivered: 'not delivered: nothing happened, it may be sent again',
  unknown: 'unknown: it may have happened; look at what it was to change before repeating it',
};

/** Rows of a list, the heading first. */
export function entryRows(entries: readonly Entry[], nowMs: number): string[][] {
  return [
    ['DISPATCH', 'TOOL', 'STATE', 'DELIVERY', 'OUTCOME', 'AGE', 'WHO'],
    ...entries.map((entry) => [
      entry.dispatch_id,
      text(entry.method ?? entry.tool),
      entry.state,
      entry.delivery,
      outcomeOf(entry),
      age(nowMs - beganAt(entry)),
      text(entry.principal ?? ''),
    ]),
  ];
}

/** One dispatch, a fact a line. */
export function detailLines(entry: Entry, nowMs: number): string[] {
  const { dispatch_id, tool, method, state, delivery, result, ...others } = entry;
  const facts = Object.entries(others).filter(([, value]) => value !== undefined && value !== null);
  return [
    `dispatch  ${dispatch_id}`,
    `tool      ${oneLine(text(tool))}${method === undefined ? '' : ` ${oneLine(text(method))}`}`,
    `state     ${oneLine(state)}, ${age(nowMs - beganAt(entry))} ago`,
    `delivery  ${entryIn(MEANS, delivery) ?? oneLine(delivery)}`,
    ...facts.map(([name, value]) => `${name}: ${oneLine(text(value))}`),
    ...(result === undefined ? [] : [`result: ${oneLine(JSON.stringify(result))}`]),
  ];
}

/** What could not be asked, so that a short list is not taken for the whole truth. */
export function notReached({ not_reached }: Pick<Known, 'not_reached'>): string[] {
  return [
    ...(not_reached.ledger === undefined ? [] : [`Only what the edge saw: ${not_reached.ledger}`]),
    ...(not_reached.edge === undefined ? [] : [`Only what this machine knows: ${not_reached.edge}`]),
  ];
}

function outcomeOf({ code, call_ok }: Entry): string {
  if (code !== undefined) return code;
  return call_ok === undefined ? '' : call_ok === true ? 'ok' : 'failed';
}

/** The first 12 digits of an id are its time. */
const beganAt = ({ dispatch_id }: Entry): number => Number.parseInt(dispatch_id.slice(2, 14), 16);

const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
