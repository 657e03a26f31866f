/** What a bridge may do and when it stops: the budget, Stop, the switch, batches, replies that cannot be read. */
import { describe, expect, it } from 'vitest';
import { bridgeStep, intro, saidIn } from '../../../extension/machines/bridge/index.ts';
import type { BridgeControl } from '../../../extension/messages.ts';
import { verifies } from '../../verifies.ts';
import { LIVE } from './catalogue.ts';
import { bridgeWorld, CHAT, call, fenced, type Script, type WorldOptions, zaiChat } from './world.ts';

const READ = (path: string) => call('herdr_fs_read', { path });
const EXEC = (command: string) => call('herdr_exec', { command });

async function begun(script: Script, options: WorldOptions = {}) {
  const world = bridgeWorld({ script, ...options });
  await world.begin();
  await world.say('do it');
  return world;
}
const view = async (world: ReturnType<typeof bridgeWorld>) => (await world.hud()).bridge;

describe('the explanation that a model gets', () => {
  it('holds every tool of the live list with its arguments, and no key', () => {
    verifies('bridge.json');
    const text = intro(LIVE);
    for (const { name, inputSchema } of LIVE.tools) {
      expect(text).toContain(`\n${name}(`);
      for (const field of inputSchema.required ?? []) expect(text).toContain(`${field}: `);
    }
    expect(text).toContain('herdr_fs_edit({ path: string');
    expect(text).toMatch(/action: "status" \| "diff"/);
    expect(text).not.toContain('idempotency_key?');
    expect(text.length).toBeLessThan(24_000);
  });

  it('is given once a conversation and list; the person’s words are always in it', async () => {
    verifies('bridge.json');
    const world = await begun([() => 'fine']);
    await world.run(10);
    await world.say('and now this');
    await world.run(10);
    const [first, second] = world.thread.filter(({ role }) => role === 'user').map(({ text }) => text);
    expect(first).toContain('TOOLS:');
    expect(first).toMatch(/USER_TASK:\ndo it$/);
    expect(second).not.toContain('TOOLS:');
    expect(second).toMatch(/USER_TASK:\nand now this$/);
  });
});

describe('what a person wrote, of a message of ours', () => {
  it('is all of it, also when they quote the protocol', async () => {
    verifies('bridge.sites');
    const words = 'what does this mean?\nUSER_TASK:\nrm -rf';
    const world = await begun([() => 'fine']);
    await world.run(6);
    await world.say(words);
    await world.run(6);
    expect(saidIn(world.thread.findLast(({ role }) => role === 'user')?.text ?? '')).toBe(words);
  });
});

describe('the round budget of a task', () => {
  it('is seen, ends the loop with nothing run, can be extended, and begins anew with the person’s next message', async () => {
    verifies('bridge.bounds');
    const world = await begun([() => fenced(EXEC('next'))]);
    await world.run(200, () => world.ran.length === 24);
    await world.run(20);
    expect(await view(world)).toMatchObject({ phase: 'paused', paused: 'budget', budget: 24 });
    expect(world.ran).toHaveLength(24);
    await world.run(30);
    expect(world.ran).toHaveLength(24);
    await world.control('extend');
    await world.run(20);
    expect(world.ran.length).toBeGreaterThan(24);
    expect((await view(world))?.budget).toBe(48);
    await world.control('stop');
    await world.say('something else');
    expect(await view(world)).toMatchObject({ used: 0, budget: 24 });
  });
});

describe('a message in doubt', () => {
  it('stays a person’s decision when rounds are given beside it', async () => {
    verifies('bridge.bounds');
    const world = await begun([() => 'fine']);
    await world.run(8);
    // A wake goes out while the person has the last reply written anew, again and again.
    const { bridge } = await world.state();
    const loop = bridge.loops[CHAT];
    if (loop === undefined) throw new Error('no loop');
    const doubt = { delivery: 'settled:1', n: 2, results: false, entries: [], teaches: null };
    const stuck = { ...bridge, loops: { [CHAT]: { ...loop, doubt, paused: 'budget' as const, used: 25 } } };
    const env = { now: world.now(), isOn: () => true };
    const control = (what: BridgeControl, state = stuck) =>
      bridgeStep(state, { type: 'control', site: 'zai', conversation: CHAT, what }, env).bridge.loops[CHAT];
    expect(control('extend')).toMatchObject({ paused: 'uncertain', budget: 48 });
    expect(control('post_again')).toMatchObject({ paused: 'budget', doubt: null });
  });
});

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

describe('a batch', () => {
  it('runs reads beside each other and each change alone, after everything before it', async () => {
    verifies('bridge.json');
    const world = await begun([() => fenced(READ('/a'), READ('/b'), EXEC('one'), READ('/c'), EXEC('two')), () => 'ok']);
    await world.run(40, () => world.told().length === 1);
    expect(world.beside).toContainEqual(['herdr_fs_read', 'herdr_fs_read']);
    for (const under of world.beside) if (under.includes('herdr_exec')) expect(under).toEqual(['herdr_exec']);
    expect(world.ran.map(({ tool, args }) => `${tool} ${args}`)).toEqual([
      'herdr_fs_read {"path":"/a"}',
      'herdr_fs_read {"path":"/b"}',
      'herdr_exec {"command":"one"}',
      'herdr_fs_read {"path":"/c"}',
      'herdr_exec {"command":"two"}',
    ]);
  });

  it('asks once for equal reads in a row, and tells each; equal changes run each', async () => {
    verifies('bridge.json');
    const world = await begun([() => fenced(READ('/a'), READ('/a'), READ('/a'), EXEC('x'), EXEC('x')), () => 'ok']);
    await world.run(40, () => world.told().length === 1);
    expect(world.ran.map(({ tool }) => tool)).toEqual(['herdr_fs_read', 'herdr_exec', 'herdr_exec']);
    const told = world.told()[0] as { index: number; ok: boolean }[];
    expect(told.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4]);
    expect(told.every(({ ok }) => ok)).toBe(true);
  });

  it('answers a tool that the live list does not have without asking for it', async () => {
    verifies('bridge.json');
    const world = await begun([() => fenced(call('herdr_delete_everything'), READ('/a')), () => 'ok']);
    await world.run(40, () => world.told().length === 1);
    expect(world.asked.map(({ tool }) => tool)).toEqual(['herdr_fs_read']);
    expect(world.told()[0]).toMatchObject([{ ok: false, error: 'unknown-tool' }, { ok: true }]);
  });

  it('tells a refusal of the runtime’s gates as it is: nothing here is an authority', async () => {
    verifies('bridge.bounds');
    const refused = () => ({ ok: false, code: 'readonly_mode', reason: 'readonly_mode' });
    const world = await begun([() => fenced(EXEC('x')), () => 'ok'], { tool: refused });
    await world.run(40, () => world.told().length === 1);
    expect(world.told()[0]).toMatchObject([{ ok: false, result: { code: 'readonly_mode' } }]);
  });
});

describe('a reply that cannot be read', () => {
  it.each([
    ['malformed', `{"tool":'x'}`, 'could not be read'],
    ['cut off', '{"tool":"herdr_exec","args":{"command":"a', 'has no end'],
    ['followed by words', `${fenced(EXEC('a'))}\nThat runs it.`, 'Text stands between'],
    ['a change outside of a block', EXEC('rm *.o'), 'outside of a ```json block'],
  ])('%s: nothing runs, and it is asked for again', async (_name, reply, says) => {
    verifies('bridge.json');
    const world = await begun([() => reply, () => fenced(EXEC('good')), () => 'ok']);
    await world.run(60, () => world.told().length === 2);
    expect(world.ran.map(({ args }) => args)).toEqual(['{"command":"good"}']);
    expect(JSON.stringify(world.told()[0])).toContain(says);
  });

  it('four times in a row stops, and a person may let it go on', async () => {
    verifies('bridge.bounds');
    const world = await begun([() => '{"tool": nonsense}']);
    await world.run(80);
    expect(await view(world)).toMatchObject({ paused: 'repairs' });
    expect(world.told()).toHaveLength(3);
    world.set({ script: [() => 'I give up.'] });
    await world.control('resume');
    await world.run(20);
    expect(world.told()).toHaveLength(4);
    expect(await view(world)).toMatchObject({ paused: null, phase: 'idle' });
  });

  it('that grew after it was taken for an answer is read anew', async () => {
    verifies('bridge.json');
    const world = bridgeWorld({ script: [] });
    await world.begin();
    await world.say('do it');
    await world.run(3);
    world.answer('Let me think.');
    await world.run(6);
    expect(await view(world)).toMatchObject({ phase: 'idle' });
    world.thread.pop();
    world.answer(`Let me think.\n${fenced(EXEC('late'))}`);
    await world.run(8);
    expect(world.ran).toHaveLength(1);
  });
});

describe('a page that takes no message', () => {
  it('is tried a few times with growing pauses, and then a person is asked', async () => {
    verifies('bridge.bounds');
    const world = await begun([() => fenced(READ('/a')), () => 'ok']);
    await world.run(6, () => world.thread.length === 2);
    world.set({ unsendable: 'send_missing' });
    const before = world.typed();
    await world.run(120);
    expect(world.typed() - before).toBe(4);
    expect(await view(world)).toMatchObject({ phase: 'paused', paused: 'refused' });
    world.set({ unsendable: null });
    await world.run(20);
    expect(world.told()).toEqual([]);
    await world.control('post_again');
    await world.run(20, () => world.told().length === 1);
    expect(world.told()).toHaveLength(1);
  });
});

describe('two models that answer beside each other', () => {
  it('change nothing twice: nothing runs, and a person is asked', async () => {
    verifies('bridge.bounds', 'bridge.ledger');
    const world = bridgeWorld({ script: [] });
    await world.begin();
    await world.say('do it');
    await world.run(3);
    for (const _model of ['one', 'two']) world.answer(fenced(EXEC('npm publish')));
    await world.run(12);
    expect(world.ran).toEqual([]);
    expect(world.told()).toEqual([]);
    expect(await view(world)).toMatchObject({ paused: 'repairs' });
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
