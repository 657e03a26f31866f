/** A change whose answer was lost, and a reply that is written anew under its calls: neither runs a call again. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { call, fenced } from './chat.ts';
import { bridgeWorld } from './world.ts';

const EDIT = { path: '/home/ada/site/a.txt', old_string: 'one', new_string: 'two $1 * _x_' };

describe('a change whose answer was lost', () => {
  const PAUSED = { ok: false, code: 'paused', delivery: 'not_delivered', message: 'Nothing of this call was run.' };
  const DRAINING = { ok: false, code: 'workstation_draining', delivery: 'not_delivered', retryable: true };
  const IN_FLIGHT = { ok: false, code: 'idempotency_in_flight', delivery: 'unknown' };

  async function lost() {
    const world = bridgeWorld({ script: [() => fenced(call('herdr_exec', { command: 'npm publish' })), () => 'ok'] });
    await world.begin();
    world.set({ losesAnswers: true, parks: true });
    await world.say('publish');
    await world.run(20, () => world.ran.length === 1);
    return world;
  }

  it.each([
    ['pauses the workstation', PAUSED],
    ['is handed to the next generation', DRAINING],
    ['still runs it', IN_FLIGHT],
  ])('is not told as refused when the runtime %s: that says nothing of the first try', async (_name, refusal) => {
    verifies('bridge.ledger');
    const world = await lost();
    world.set({ refusal, losesAnswers: false });
    await world.release();
    await world.run(10);
    expect(world.told()).toEqual([]);
    world.set({ refusal: null });
    await world.release();
    await world.run(10, () => world.told().length === 1);
    expect(world.told()[0]).toMatchObject([{ ok: true, result: { ok: true, idempotent_replay: true } }]);
    expect(world.ran).toHaveLength(1);
  });

  it('is told to be uncertain when the refusals do not end', async () => {
    verifies('bridge.ledger');
    const world = await lost();
    world.set({ refusal: PAUSED, losesAnswers: false, parks: false });
    await world.release();
    await world.run(10, () => world.told().length === 1);
    expect(world.told()[0]).toMatchObject([{ ok: false, error: 'delivery_unknown' }]);
    expect(JSON.stringify(world.told()[0])).not.toContain('not_delivered');
  });

  it('while the first try’s own refusal is told as it is', async () => {
    verifies('bridge.ledger');
    const world = bridgeWorld({ script: [() => fenced(call('herdr_exec', { command: 'npm publish' })), () => 'ok'] });
    await world.begin();
    world.set({ refusal: PAUSED });
    await world.say('publish');
    await world.run(20, () => world.told().length === 1);
    expect(world.told()[0]).toMatchObject([{ ok: false, result: { code: 'paused', delivery: 'not_delivered' } }]);
    expect(world.ran).toEqual([]);
  });
});

describe('a reply that is written anew after its calls have begun', () => {
  const edit = (path: string) => call('herdr_fs_edit', { ...EDIT, path });

  async function rewritten(text: string) {
    const world = bridgeWorld({ script: [() => fenced(edit('/a')), () => 'ok'] });
    await world.begin();
    await world.say('edit');
    await world.run(4, () => world.thread.length === 2);
    // The results wait for the person's draft; meanwhile they have the site answer anew.
    world.set({ draft: 'mine' });
    await world.run(20, () => world.ran.length === 1);
    world.thread.pop();
    world.answer(text);
    await world.run(10);
    world.set({ draft: '' });
    await world.run(20, () => world.told().length === 1);
    return world;
  }

  it.each([
    ['other calls', fenced(edit('/b'))],
    ['more calls', fenced(edit('/a'), edit('/b'))],
    ['words', 'On second thoughts: no.'],
  ])('with %s: nothing of it runs, and the results say whose they are', async (_name, text) => {
    verifies('bridge.ledger');
    const world = await rewritten(text);
    expect(world.ran.map(({ args }) => JSON.parse(args).path)).toEqual(['/a']);
    const [told = []] = world.told();
    expect(told).toMatchObject([{ ok: true }, { index: 1, tool: 'bridge_protocol', error: 'reply_replaced' }]);
    expect(JSON.stringify(told)).toContain('/a');
  });

  it('is the same reply when only its words differ', async () => {
    verifies('bridge.ledger');
    const world = await rewritten(`Thinking it over.\n${fenced(edit('/a'))}`);
    expect(world.ran).toHaveLength(1);
    expect(world.told()[0]).toHaveLength(1);
  });
});
