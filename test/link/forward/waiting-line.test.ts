/** The line of calls that wait for a place at the link. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Dispatch } from '../../../link/forward/dispatches.ts';
import { WaitingLine } from '../../../link/forward/waiting-line.ts';
import { WITHDRAW_MS } from '../../../link/limits.ts';
import { verifies } from '../../verifies.ts';

let nowMs: number;
let late: string[];
let line: WaitingLine;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  nowMs = 1_000_000;
  late = [];
  line = new WaitingLine(
    () => nowMs,
    ({ id }) => void late.push(id),
  );
});
afterEach(() => vi.useRealTimers());

const dispatch = (id: string, waitsMs: number | undefined): Dispatch => ({
  ...{ id, class: 'write', state: 'waiting', receivedMs: nowMs },
  ...(waitsMs === undefined
    ? {}
    : { call: { envelope: { deadline_ms: waitsMs + WITHDRAW_MS } as never, args: new Uint8Array() } }),
});
const add = (id: string, waitsMs?: number): Dispatch => {
  const one = dispatch(id, waitsMs);
  line.push(one);
  line.watch();
  return one;
};
async function pass(ms: number): Promise<void> {
  nowMs += ms;
  await vi.advanceTimersByTimeAsync(ms);
}

describe('the line', () => {
  it('gives out who came first, and takes out each whose time is over, in whatever order they came', async () => {
    verifies('link.in-time');
    add('slow', 9_000);
    add('quick', 1_000);
    add('asked for', undefined);
    await pass(999);
    expect(late).toEqual([]);
    await pass(1);
    expect(late).toEqual(['quick']);
    expect(line.shift()?.id).toBe('slow');
    await pass(60_000);
    expect([late, line.length]).toEqual([['quick'], 1]); // who only asks what became of a call waits as long as it takes
  });

  it('does not take out who was taken out before, and looks no more once it is closed', async () => {
    verifies('link.in-time');
    const gone = add('gone', 1_000);
    expect([line.remove(gone), line.remove(gone)]).toEqual([true, false]);
    add('stays', 2_000);
    line.close();
    await pass(10_000);
    expect(late).toEqual([]);
  });

  it('looks seldom for a call whose frame names a time beyond all measure', async () => {
    verifies('link.in-time');
    const looks = vi.spyOn(globalThis, 'setTimeout');
    add('patient', Number.MAX_SAFE_INTEGER / 2);
    await pass(60_000);
    expect([late, looks.mock.calls.length]).toEqual([[], 2]);
  });
});
