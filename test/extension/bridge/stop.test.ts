/** What ends the loop or holds it back: Stop, a switch, an old chat, a person’s own messages. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { begun, EXEC, READ, view } from './begun.ts';
import { CHAT, fenced, zaiChat } from './chat.ts';
import { bridgeWorld } from './world.ts';

describe('Stop', () => {
  it('stops: what runs is not taken back, nothing more runs and nothing is sent', async () => {
    verifies('bridge.bounds');
    let stopping: Promise<unknown> | undefined;
    const holding = bridgeWorld({
      script: [() => fenced(EXEC('one'), EXEC('two'), EXEC('three'))],
      tool: () => {
        stopping ??= holding.take({
          type: 'bridge',
          event: { type: 'control', site: 'zai', conversation: CHAT, what: 'stop' },
          from: holding.from(),
        });
        return {};
      },
    });
    await holding.begin();
    await holding.say('do it');
    await holding.run(40);
    await stopping;
    await holding.pass(60_000);
    await holding.restartWorker();
    await holding.run(40);
    expect(holding.ran).toHaveLength(1);
    expect(holding.told()).toEqual([]);
    expect(await view(holding)).toMatchObject({ paused: 'stopped' });
    // Going on is a person's, too: the rest runs, and everything is told once.
    await holding.control('resume');
    await holding.run(6, () => holding.told().length === 1);
    expect(holding.ran).toHaveLength(3);
    expect(holding.told()[0]).toHaveLength(3);
  });

  it('holds back a call that waits to be sent again', async () => {
    verifies('bridge.bounds');
    const world = await begun([() => fenced(EXEC('one'))]);
    world.set({ answersCalls: false });
    await world.run(5);
    expect((await world.ledger())?.round?.calls[0]?.state).toBe('executing');
    await world.control('stop');
    world.set({ answersCalls: true });
    await world.release();
    await world.pass(120_000);
    await world.restartWorker();
    await world.run(20);
    expect(world.ran).toEqual([]);
    // Whether it ran before the Stop nobody knows: that is what a person who goes on tells the model.
    await world.control('resume');
    await world.run(20, () => world.told().length === 1);
    expect(world.told()[0]).toMatchObject([{ ok: false, error: 'delivery_unknown' }]);
    expect(world.ran).toEqual([]);
  });

  it('is not needed to change the mind: a new message ends what has not begun, and says so beside it', async () => {
    verifies('bridge.bounds');
    let said = false;
    const world = bridgeWorld({
      script: [() => fenced(EXEC('one'), EXEC('two')), () => 'ok'],
      tool: () => {
        if (!said) void world.say('no, wait');
        said = true;
        return {};
      },
    });
    await world.begin();
    await world.say('do it');
    await world.run(60, () => world.told().length === 1);
    expect(world.ran.map(({ args }) => args)).toEqual(['{"command":"one"}']);
    expect(world.told()[0]).toMatchObject([{ ok: true }, { ok: false, error: 'cancelled' }]);
    expect(world.thread.filter(({ role }) => role === 'user').at(-1)?.text).toMatch(/USER_TASK:\nno, wait$/);
  });
});

describe('a reply that is read only much later', () => {
  it('runs nothing because an old chat was opened: a person lets it go on', async () => {
    verifies('bridge.bounds');
    const world = await begun([() => fenced(EXEC('npm publish')), () => 'ok']);
    await world.run(2, () => world.thread.length === 2);
    await world.pass(2 * 3_600_000);
    await world.reloadPage();
    await world.run(10);
    expect(world.ran).toEqual([]);
    expect(await view(world)).toMatchObject({ paused: 'stopped' });
    await world.control('resume');
    await world.run(20, () => world.told().length === 1);
    expect(world.ran).toHaveLength(1);
  });
});

describe('the switch of a chat and of a site', () => {
  it('off: nothing is taken over, nothing runs, nothing is sent; on: it goes on with the next message', async () => {
    verifies('bridge.bounds');
    const world = await begun([() => fenced(EXEC('one')), () => fenced(EXEC('two')), () => 'ok']);
    await world.run(2, () => world.thread.length === 2);
    await world.control('off');
    await world.run(30);
    expect(world.ran).toEqual([]);
    expect(await world.say('more')).toMatchObject({ ok: false, reason: 'bridge_off' });
    await world.control('on');
    expect(await world.say('again')).toMatchObject({ ok: true });
    await world.run(60, () => world.told().length === 2);
    expect(world.ran.map(({ args }) => args)).toEqual(['{"command":"two"}']);
  });

  it('a site that is switched off in the Options runs nothing, also what it was about to', async () => {
    verifies('bridge.bounds');
    const world = await begun([() => fenced(EXEC('one'))]);
    await world.take({ type: 'config', config: { sites: [] } });
    await world.run(30);
    await world.restartWorker();
    expect(world.ran).toEqual([]);
    expect(await view(world)).toBeNull();
  });
});

describe('beside the loop', () => {
  it('a message that overtakes a reply says that no call of it was run', async () => {
    verifies('bridge.ledger');
    const world = await begun([() => fenced(EXEC('npm publish')), () => 'ok']);
    await world.run(2, () => world.thread.length === 2);
    await world.control('stop');
    await world.say('no, wait');
    await world.run(10, () => world.thread.length === 4);
    expect(world.ran).toEqual([]);
    expect(world.told()).toMatchObject([[{ tool: 'bridge_protocol', ok: false, error: 'not_run' }]]);
    expect(world.thread[2]?.text).toMatch(/USER_TASK:\nno, wait$/);
  });

  it('a person’s message while results wait goes out with them', async () => {
    verifies('bridge.json');
    const world = await begun([() => fenced(READ('/a'), EXEC('b')), () => 'ok']);
    await world.run(2, () => world.thread.length === 2);
    world.set({ draft: 'and mind' });
    await world.run(20);
    expect(world.ran).toHaveLength(2);
    expect(world.told()).toEqual([]);
    world.set({ draft: '' });
    await world.say('and mind the tests');
    await world.run(20, () => world.told().length === 1);
    const last = world.thread.filter(({ role }) => role === 'user').at(-1)?.text ?? '';
    expect(last).toMatch(/\nTOOL_RESULT:\n\[.*\]\n\nUSER_TASK:\nand mind the tests$/);
    expect(world.thread.filter(({ role }) => role === 'user')).toHaveLength(2);
  });

  it('a person’s draft is never touched: results wait for it', async () => {
    verifies('bridge.bounds');
    const world = await begun([() => fenced(READ('/a')), () => 'ok']);
    await world.run(6, () => world.thread.length === 2);
    world.set({ draft: 'my own words' });
    await world.run(40);
    expect(world.told()).toEqual([]);
    world.set({ draft: '' });
    await world.run(20);
    expect(world.told()).toHaveLength(1);
  });

  it('another chat in the same tab runs nothing and gets nothing', async () => {
    verifies('bridge.bounds');
    const world = await begun([() => fenced(EXEC('one'))]);
    await world.run(4, () => world.thread.length === 2);
    world.set({ place: zaiChat('https://chat.z.ai/c/2222') });
    await world.take({
      type: 'here',
      from: world.from(),
      state: { busy: false, draft: false, card: false, visible: true },
    });
    await world.run(30);
    const told = (await world.state()).deliveries;
    expect(Object.values(told).every(({ conversation }) => conversation === CHAT)).toBe(true);
    expect((await world.state()).bridge.loops['https://chat.z.ai/c/2222']).toBeUndefined();
  });
});
