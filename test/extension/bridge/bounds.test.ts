/** What the bridge tells a model, and the bounds that it keeps: rounds, repairs, batches, doubts. */
import { describe, expect, it } from 'vitest';
import { bridgeStep, intro, saidIn } from '../../../extension/machines/bridge/index.ts';
import type { BridgeControl } from '../../../extension/messages.ts';
import { verifies } from '../../verifies.ts';
import { begun, EXEC, READ, view } from './begun.ts';
import { LIVE } from './catalogue.ts';
import { CHAT, call, fenced } from './chat.ts';
import { bridgeWorld } from './world.ts';

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
