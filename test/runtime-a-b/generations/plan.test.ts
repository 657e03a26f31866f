/** What the supervisor decides, without a process: one step for each way that things can stand. */
import { describe, expect, it } from 'vitest';
import type { Observed } from '../../../runtime-a-b/generations/index.ts';
import { backoffMs } from '../../../runtime-a-b/generations/supervisor/endings.ts';
import { nextStep } from '../../../runtime-a-b/generations/supervisor/plan.ts';
import type { Decision, View } from '../../../runtime-a-b/generations/supervisor/view.ts';

const child = (
  name: Observed['children'][number]['name'],
  revision: string,
  more = {},
): Observed['children'][number] => ({
  name,
  revision,
  process: { pid: 1, start: 'x' },
  failures: 0,
  ...more,
});

type Some = { [Field in keyof Observed]?: Observed[Field] | undefined };

const observed = (more: Some = {}): Observed => {
  const standard: Observed = {
    schema: 1,
    up: { pid: 1, start: '', version: '1', since_ms: 0 },
    updated_at_ms: 0,
    change: 1,
    state: 'running',
    herdr: { embedded: false, socket: '/h', version: '0.8.0' },
    active: { revision: 'r1', generation: 'a', since_ms: 0 },
    children: [child('runtime-a', 'r1')],
    refused: [],
  };
  return { ...standard, ...more } as Observed;
};

const known = { knows: 3, oldest_reader: 1 };
const view = (more: Omit<Partial<View>, 'observed'> & { observed?: Some } = {}): View => ({
  nowMs: 1_000,
  desired: { schema: 1, change: 1, running: true, active: 'r1' },
  standing: { 'runtime-a': 'ready', 'runtime-b': 'none', link: 'none', herdr: 'none' },
  pointer: { schema: 1, generation: 'a', port: 1, revision: 1 },
  port: { a: 1, b: 2 },
  revision: (revision) => ({
    ...{ schema: 1, revision, version: '1', contract_epoch: 5, contract_hash: 'h', state: known },
    ...{ content: 'c', source: '/', staged_at_ms: 0 },
  }),
  oldestReader: 1,
  link: 'unpaired',
  jobs: new Set(),
  unreadable: undefined,
  ending: false,
  restarts: true,
  ...more,
  observed: observed(more.observed),
});

const candidate = (phase: NonNullable<Observed['candidate']>['phase']) => ({
  candidate: { revision: 'r2', generation: 'b' as const, phase, gates: [] },
});
const both = { 'runtime-a': 'ready', 'runtime-b': 'ready', link: 'none', herdr: 'none' } as const;
const two = [child('runtime-a', 'r1'), child('runtime-b', 'r2')];
const moving = (phase: NonNullable<Observed['transition']>['phase']) => ({
  ...candidate('ready'),
  children: two,
  transition: {
    ...{ change: 2, phase, began_ms: 0 },
    ...{ from: { revision: 'r1', generation: 'a' as const }, to: { revision: 'r2', generation: 'b' as const } },
  },
});
const promoting = { schema: 1, change: 2, running: true, active: 'r2' } as const;
const none = { 'runtime-a': 'none', 'runtime-b': 'none', link: 'none', herdr: 'none' } as const;

/** The decision in a few words. */
function said(decision: Decision): string {
  switch (decision.do) {
    case 'start':
      return `start ${decision.child} ${decision.revision}`;
    case 'stop':
    case 'forget':
      return `${decision.do} ${decision.child}`;
    case 'job':
      return `job ${decision.job}`;
    case 'point':
      return `point ${decision.generation}`;
    case 'remember':
      return `remember ${decision.what}`;
    default:
      return decision.do;
  }
}

describe('the next step', () => {
  it.each<[string, Parameters<typeof view>[0], string]>([
    ['everything is as wanted', {}, 'idle'],
    ['nobody looked for a Herdr yet', { observed: { herdr: undefined } }, 'job find-herdr'],
    ['the active runtime does not run', { standing: none, observed: { children: [] } }, 'start runtime-a r1'],
    [
      'it ended by itself and waits',
      {
        standing: none,
        observed: {
          state: 'degraded',
          trouble: 'x',
          children: [child('runtime-a', 'r1', { process: undefined, failures: 1, last_end: 'x', next_try_ms: 1_001 })],
        },
      },
      'idle',
    ],
    [
      'it has waited long enough',
      {
        standing: none,
        observed: { children: [child('runtime-a', 'r1', { process: undefined, failures: 1, next_try_ms: 999 })] },
      },
      'start runtime-a r1',
    ],
    ['the pointer names another place', { pointer: { schema: 1, generation: 'b', port: 2, revision: 1 } }, 'point a'],
    ['the pointer names another port', { port: { a: 9 } }, 'point a'],
    ['a link is wanted', { link: 'wanted' }, 'start link r1'],
    ['the device was revoked', { link: 'revoked' }, 'idle'],
    [
      'a build is staged',
      { desired: { schema: 1, change: 2, running: true, active: 'r1', candidate: 'r2' } },
      'remember staged',
    ],
    [
      'its place drains',
      {
        desired: promoting,
        observed: {
          ...candidate('waiting_for_drain'),
          children: two,
          draining: { revision: 'r0', generation: 'b', since_ms: 0, waits_for: 'x' },
        },
        standing: both,
        jobs: new Set(['drained']),
      },
      'idle',
    ],
    ['it is to be migrated', { desired: promoting, observed: candidate('migrating') }, 'job migrate'],
    [
      'the database needs a newer program',
      { desired: promoting, observed: candidate('migrating'), oldestReader: 4 },
      'remember failed',
    ],
    ['it is to be started', { desired: promoting, observed: candidate('starting') }, 'start runtime-b r2'],
    [
      'it runs',
      { desired: promoting, observed: { ...candidate('starting'), children: two }, standing: both },
      'remember gating',
    ],
    [
      'it is to be gated',
      { desired: promoting, observed: { ...candidate('gating'), children: two }, standing: both },
      'job gate',
    ],
    ['it ends while it is gated', { desired: promoting, observed: candidate('gating') }, 'remember failed'],
    [
      'it is ready and only staged',
      {
        desired: { ...promoting, active: 'r1', candidate: 'r2' },
        observed: { ...candidate('ready'), children: two, change: 2 },
        standing: both,
      },
      'idle',
    ],
    [
      'it is ready and promoted',
      { desired: promoting, observed: { ...candidate('ready'), children: two }, standing: both },
      'remember moving',
    ],
    ['the promotion stands in the file', { desired: promoting, observed: moving('moving'), standing: both }, 'point b'],
    [
      'the pointer has moved',
      {
        desired: promoting,
        observed: moving('moving'),
        standing: both,
        pointer: { schema: 1, generation: 'b', port: 2, revision: 2 },
      },
      'remember observing',
    ],
    [
      'it is watched',
      {
        desired: promoting,
        observed: moving('observing'),
        standing: both,
        pointer: { schema: 1, generation: 'b', port: 2, revision: 2 },
      },
      'job observe',
    ],
    [
      'it ends while it is watched',
      {
        desired: promoting,
        observed: moving('observing'),
        pointer: { schema: 1, generation: 'b', port: 2, revision: 2 },
      },
      'remember returning',
    ],
    [
      'it did not do well',
      {
        desired: promoting,
        observed: moving('returning'),
        standing: both,
        pointer: { schema: 1, generation: 'b', port: 2, revision: 2 },
      },
      'point a',
    ],
    ['traffic is back', { desired: promoting, observed: moving('returning'), standing: both }, 'remember rolled back'],
    [
      'traffic goes back to one that ended meanwhile',
      { desired: promoting, observed: { ...moving('returning'), children: [] }, standing: none },
      'start runtime-a r1',
    ],
    [
      'a refused one is promoted again',
      { desired: promoting, observed: { refused: [{ revision: 'r2', code: 'x', reason: 'y', at_ms: 0 }] } },
      'remember refused',
    ],
    [
      'the staged one is withdrawn',
      { observed: { ...candidate('ready'), children: two }, standing: both },
      'stop runtime-b',
    ],
    [
      'the one before has drained',
      {
        observed: { children: two, draining: { revision: 'r2', generation: 'b', since_ms: 0, waits_for: '' } },
        standing: both,
      },
      'stop runtime-b',
    ],
    [
      'the user stopped it',
      { desired: { schema: 1, change: 2, running: false }, observed: { state: 'stopping' } },
      'stop runtime-a',
    ],
    [
      'the link still ends',
      {
        desired: { schema: 1, change: 2, running: false },
        observed: { state: 'stopping' },
        standing: { ...both, link: 'ending' },
      },
      'idle',
    ],
    [
      'everything has ended',
      {
        desired: { schema: 1, change: 2, running: false },
        observed: { state: 'stopped', children: [] },
        standing: none,
      },
      'over',
    ],
  ])('when %s', (_, given, expected) => {
    expect(said(nextStep(view(given)))).toBe(expected);
  });

  it('ends in the order in which nothing is lost: link, runtimes, Herdr', () => {
    const standing = { 'runtime-a': 'ready', 'runtime-b': 'ready', link: 'ready', herdr: 'ready' } as Record<
      string,
      string
    >;
    const order: string[] = [];
    for (;;) {
      const decision = nextStep(
        view({ ending: true, standing: standing as View['standing'], observed: { state: 'stopping' } }),
      );
      if (decision.do !== 'stop') break;
      order.push(decision.child);
      standing[decision.child] = 'none';
    }
    expect(order).toEqual(['link', 'runtime-a', 'runtime-b', 'herdr']);
  });

  it('waits from a quarter of a second to a minute between starts', () => {
    expect([1, 2, 3, 8, 9, 40].map(backoffMs)).toEqual([250, 500, 1_000, 32_000, 60_000, 60_000]);
  });
});
