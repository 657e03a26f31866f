import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Deadlines } from '../../../edge/workstation/deadlines.ts';
import { verifies } from '../../verifies.ts';

const START = 1_800_000_000_000;
let due: number[];
let deadlines: Deadlines;
beforeEach(() => {
  vi.useFakeTimers({ now: START });
  due = [];
  deadlines = new Deadlines((nowMs) => {
    due.push(nowMs - START);
    return undefined;
  });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('the deadline of a call', () => {
  it('is kept', () => {
    deadlines.arm(START + 1_000, START);
    vi.advanceTimersByTime(5_000);
    expect(due).toEqual([1_000]);
  });

  it('that passed while the process slept leaves the answers that lie there a moment to be heard', () => {
    verifies('link.liveness');
    deadlines.arm(START + 1_000, START);
    vi.setSystemTime(START + 3_600_000);
    vi.advanceTimersByTime(1_000);
    expect(due).toEqual([]);
    deadlines.arm(START + 3_610_000, Date.now()); // a later call does not move it
    vi.advanceTimersByTime(1_999);
    expect(due).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(due).toEqual([3_603_000]);
  });
});
