import { describe, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { CHAT } from './chat.ts';
import { type Fault, world } from './world.ts';

/** A bound chat with Auto on, one agent that works and settles. */
async function wakeOnce(fault: Fault) {
  const it = world({ fault });
  await it.begin();
  await it.bind();
  await it.press({ name: 'auto', on: true });
  await it.agent('w1:p1', 'working', 1);
  await it.agent('w1:p1', 'done', 2);
  for (let turn = 0; turn < 8; turn += 1) await it.tick();
  return it;
}

/** Two entries queued while an answer comes in; then it ends. */
async function flushOnce(fault: Fault) {
  const it = world({ fault });
  await it.begin();
  await it.page({ busy: true });
  await it.queue('first', 'q1');
  await it.queue('second\n\nwith a blank line', 'q2');
  await it.turnEnded();
  for (let turn = 0; turn < 8; turn += 1) await it.tick();
  return it;
}

async function steps(run: (fault: Fault) => Promise<ReturnType<typeof world>>): Promise<number> {
  return (await run(null)).steps();
}

describe.each(['worker', 'page'] as const)('when the %s ends between any two steps', (who) => {
  it('a settle wakes the chat once, never twice; what may have been sent is shown as uncertain', async () => {
    verifies('extension.wake');
    const last = await steps(wakeOnce);
    expect(last).toBeGreaterThan(20);
    const unsent: number[] = [];
    for (let at = 1; at <= last; at += 1) {
      const it = await wakeOnce({ at, who });
      const bound = Object.keys((await it.state()).bindings).length > 0;
      const { settled, auto } = await it.hud();
      expect(it.turns.length, `step ${at}`).toBeLessThanOrEqual(1);
      expect(it.composer(), `step ${at}`).toBe('');
      // A worker that died while it was told of the press or the bind has not heard it; a person sees that.
      if (it.turns.length === 0 && bound && auto.on) {
        unsent.push(at);
        expect(settled, `step ${at}`).toMatchObject({ uncertain: true });
      }
    }
    // Only a page that ended after the claim was written and before it pressed leaves a doubt.
    expect(unsent.length).toBeLessThanOrEqual(who === 'page' ? 3 : 0);
  });

  it('the Queue loses nothing and sends nothing twice', async () => {
    verifies('extension.queue');
    const last = await steps(flushOnce);
    for (let at = 1; at <= last; at += 1) {
      const it = await flushOnce({ at, who });
      const queue = (await it.state()).queues[CHAT];
      const waiting = queue?.entries.map(({ id }) => id) ?? [];
      const sent = it.turns.join('\n\n');
      for (const [id, text] of [
        ['q1', 'first'],
        ['q2', 'second\n\nwith a blank line'],
      ] as const) {
        expect(sent.split(text).length - 1, `step ${at}`).toBeLessThanOrEqual(1);
        // Sent, or kept and shown; an entry that was never acknowledged is still the draft of the person.
        if (!sent.includes(text) && waiting.includes(id)) expect(queue?.uncertain, `step ${at}`).not.toEqual([]);
      }
    }
  });
});
