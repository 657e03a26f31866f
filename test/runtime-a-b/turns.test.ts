/** Calls that wait for each other: in order, never two at once, and never after their callers gave up. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { OutcomeError } from '../../contract/outcome.ts';
import { TURN_MARGIN_MS } from '../../runtime-a-b/limits.ts';
import { Turns, type Waiting } from '../../runtime-a-b/tools/turns.ts';
import { verifies } from '../verifies.ts';

/** Lets V8 collect its garbage now. */
function collect(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

/** A promise and what ends it. */
function held(): { ended: Promise<void>; end: () => void } {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { ended, end };
}

const waiting = (more: Partial<Waiting> = {}): Waiting => ({
  ...{ signal: new AbortController().signal, nowMs: Date.now, deadlineAtMs: Date.now() + 3_600_000 },
  ...more,
});
/** Its time to wait is over as soon as anybody looks at the clock. */
const hurried = (): Waiting => waiting({ deadlineAtMs: Date.now() + TURN_MARGIN_MS });
const refusal = (promise: Promise<unknown>) =>
  promise.then(
    () => 'it ran',
    (error: unknown) => (error instanceof OutcomeError ? [error.code, error.delivery] : error),
  );

describe('a call that waits for its turn', () => {
  it('runs when all before it have ended, well or badly, and beside those of other places', async () => {
    verifies('link.in-time');
    const turns = new Turns();
    const ran: string[] = [];
    const first = held();
    const work = (name: string) => async () => void ran.push(name);
    const one = turns.take('here', waiting(), async () => {
      await first.ended;
      ran.push('one');
      throw new Error('one failed');
    });
    const two = turns.take('here', waiting(), work('two'));
    await turns.take('there', waiting(), work('elsewhere'));
    expect(ran).toEqual(['elsewhere']);
    first.end();
    await expect(one).rejects.toThrow('one failed');
    await two;
    await turns.take('here', waiting(), work('three'));
    expect(ran).toEqual(['elsewhere', 'one', 'two', 'three']);
  });

  it('is withdrawn in time when its turn does not come, while the one before it still runs, and never begins', async () => {
    verifies('link.in-time');
    const turns = new Turns();
    const ran: string[] = [];
    const first = held();
    const one = turns.take('here', waiting(), () => first.ended);
    const late = turns.take('here', hurried(), async () => void ran.push('late'));
    const next = turns.take('here', waiting(), async () => void ran.push('next'));
    expect(await refusal(late)).toEqual(['request_timeout', 'not_delivered']);
    expect(ran).toEqual([]); // who comes after the withdrawn one waits for the first all the same
    first.end();
    await Promise.all([one, next]);
    expect(ran).toEqual(['next']);
  });

  it('is withdrawn when its caller asks to stop', async () => {
    verifies('link.in-time');
    const turns = new Turns();
    const ran: string[] = [];
    const first = held();
    const one = turns.take('here', waiting(), () => first.ended);
    const abort = new AbortController();
    const stopped = turns.take('here', waiting({ signal: abort.signal }), async () => void ran.push('stopped'));
    abort.abort();
    expect(await refusal(stopped)).toEqual(['cancelled', 'not_delivered']);
    const never = turns.take('here', waiting({ signal: abort.signal }), async () => void ran.push('never'));
    expect(await refusal(never)).toEqual(['cancelled', 'not_delivered']);
    first.end();
    await one;
    await turns.take('here', waiting(), async () => void ran.push('last'));
    expect(ran).toEqual(['last']);
  });

  it('is forgotten with its result when it has had its turn, however long the line behind it goes on', async () => {
    verifies('link.in-time');
    const turns = new Turns();
    const first = held();
    const last = held();
    const begun = turns.take('here', waiting(), () => first.ended);
    const result = (async () => new WeakRef(await turns.take('here', waiting(), async () => ({ large: true }))))();
    const behind = turns.take('here', waiting(), async () => undefined);
    const end = turns.take('here', waiting(), () => last.ended);
    first.end();
    await Promise.all([begun, behind]);
    const seen = await result;
    await new Promise((resolve) => setImmediate(resolve)); // what a WeakRef shows lives to the end of its turn
    collect();
    expect(seen.deref()).toBeUndefined();
    last.end();
    await end;
  });

  it('that comes when nobody is there runs at once, however little time is left', async () => {
    verifies('link.in-time');
    expect(await new Turns().take('here', hurried(), async () => 'done')).toBe('done');
  });
});
