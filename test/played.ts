/**
 * `played('kills')` inside a test counts what the matrices do to the product. The counts travel in the test's meta to
 * test/matrix-reporter.ts, which adds them up; now and then the test also says how far it is, because some take a quarter
 * of an hour.
 */
import { TestRunner } from 'vitest';

/** An object put out of memory before a step; a call broken off at a point of its life; a process or a command ended. */
export type Disturbance = 'evictions' | 'broken calls' | 'kills';
export type Played = Partial<Record<Disturbance, number>>;

/** A test says how far it is each time it has done this many: a minute of an installation's kills. */
const SAID_EVERY = 25;

export function played(what: Disturbance): void {
  const test = TestRunner.getCurrentTest();
  if (test === undefined) throw new Error('played() belongs inside a running test');
  const meta = test.meta as { played?: Played };
  const count = (meta.played?.[what] ?? 0) + 1;
  meta.played = { ...meta.played, [what]: count };
  if (count % SAID_EVERY === 0) void test.context.annotate(`${count} ${what}`, 'progress');
}
