import { describe, expect, it } from 'vitest';
import type { Delivery, Heard, LookedUp } from './caller.ts';
import { type Case, judge } from './judge.ts';
import { drawPlan } from './plan.ts';

const call = { n: 4, kind: 'run', pauseMs: 0, asksAgain: false } as const;
const nothing: Heard = { kind: 'nothing', why: 'reset' };
const ran: Heard = { kind: 'answer', ok: true, delivery: 'delivered', code: '', exitCode: 1, output: 'said 4\n' };
const failed = (delivery: Delivery): Heard => ({ kind: 'answer', ok: false, delivery, code: 'interrupted' });
const key = (...deliveries: [string, Delivery][]): LookedUp => ({
  found: deliveries.length > 0,
  dispatches: deliveries.map(([state, delivery], i) => ({ id: `d_${i}`, state, delivery, code: '' })),
});
const done = key(['settled', 'delivered']);
const died = key(['interrupted', 'unknown']);
const none = key();

const table: [string, Partial<Case>, string | undefined][] = [
  ['ran once and was told so', {}, undefined],
  ['ran twice', { times: 2 }, 'doubled'],
  ['was told delivered and is absent', { times: 0 }, 'lie: was told delivered'],
  ['is there with other bytes', { times: -1 }, 'torn'],
  ['got another exit code', { heard: { ...ran, exitCode: 0 } }, 'lie: exit code 0'],
  ['was told not_delivered and is there', { heard: failed('not_delivered') }, 'lie: was told not_delivered'],
  ['was told not_delivered and is absent', { heard: failed('not_delivered'), lookedUp: none, times: 0 }, undefined],
  ['was told unknown though the runtime lived', { heard: failed('unknown'), lookedUp: died }, 'the runtime lived'],
  ['was told unknown by a death', { heard: failed('unknown'), lookedUp: died, runtimeKilled: true }, undefined],
  [
    'was told unknown by a death, and the key stays silent',
    { heard: failed('unknown'), lookedUp: key(['sent', 'unknown']), runtimeKilled: true },
    'knows nothing better',
  ],
  ['heard nothing, the key says delivered', { heard: nothing }, undefined],
  ['heard nothing, the key says delivered, absent', { heard: nothing, times: 0 }, 'lie: its key says delivered'],
  ['heard nothing, the key was never received', { heard: nothing, lookedUp: none, times: 0 }, undefined],
  [
    'heard nothing, never received, and is there',
    { heard: nothing, lookedUp: none },
    'lie: its key says not_delivered',
  ],
  ['asked again and was refused', { heard: failed('not_delivered'), askedAgain: true }, undefined],
  ['heard no tool result', { heard: { kind: 'odd', what: 'HTTP 500' } }, 'no tool result'],
  ['was told delivered, its key says unknown', { lookedUp: died, runtimeKilled: true }, 'its key says unknown'],
];

describe('a call that', () => {
  it.each(table)('%s', (_, change, expected) => {
    const usual: Case = { call, heard: ran, askedAgain: false, lookedUp: done, times: 1, runtimeKilled: false };
    const broken = judge({ ...usual, ...change });
    if (expected === undefined) expect(broken).toEqual([]);
    else expect(broken.join('\n')).toContain(expected);
  });
});

describe('a plan', () => {
  it('is the same for the same seed, and another for another', () => {
    expect(drawPlan(50, 7)).toEqual(drawPlan(50, 7));
    expect(drawPlan(50, 7)).not.toEqual(drawPlan(50, 8));
  });

  it('meets every kind of call and of fault', () => {
    const { calls, faults } = drawPlan(60, 1);
    expect(new Set(calls.map(({ kind }) => kind)).size).toBe(3);
    expect(new Set(faults.map(({ kind }) => kind)).size).toBe(6);
  });
});
