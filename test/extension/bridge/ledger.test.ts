/** What is written before each step of the loop, and that nothing is done twice. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../verifies.ts';
import { KEYLESS, LIVE } from './catalogue.ts';
import { call, fenced } from './chat.ts';
import { bridgeWorld, type Fault, type Script } from './world.ts';

const EDIT = { path: '/home/ada/site/a.txt', old_string: 'one', new_string: 'two $1 * _x_' };

/** The task of the show: look, change a file, run something, report. */
const SCRIPT: Script = [
  () => `I will look first.\n${fenced(call('herdr_inspect'))}`,
  () => fenced(call('herdr_fs_read', { path: EDIT.path }), call('herdr_fs_edit', EDIT)),
  () => fenced(call('herdr_exec', { command: 'npm test' })),
  () => 'Done: one became two, and the tests pass.',
];
const ASKED = ['herdr_inspect', 'herdr_fs_read', 'herdr_fs_edit', 'herdr_exec'];
const CHANGES = ['herdr_fs_edit', 'herdr_exec'];

async function played(faults: readonly Fault[], catalogue = LIVE) {
  const world = bridgeWorld({ faults, script: SCRIPT, catalogue });
  await world.begin();
  await world.say('change one to two');
  const over = () => world.thread.at(-1)?.text.startsWith('Done') === true;
  for (let doubts = 0; !over() && doubts <= faults.length; doubts += 1) {
    await world.run(200, over);
    // Ended between the leave and the press: only a person can see that the message is not there.
    if (!over() && (await world.hud()).bridge?.paused === 'uncertain') await world.control('post_again');
  }
  await world.run(5);
  return world;
}

/** Everything happened, each change once, and each result was told once, in order. */
function isWhole(world: Awaited<ReturnType<typeof played>>, label: string): void {
  const changes = world.ran.filter(({ tool }) => CHANGES.includes(tool)).map(({ tool }) => tool);
  expect(changes, label).toEqual(CHANGES);
  expect(
    world.told().map((list) => list.length),
    label,
  ).toEqual([1, 2, 1]);
  const tools = world.told().flatMap((list) => list.map((one) => (one as { tool: string }).tool));
  expect(tools, label).toEqual(ASKED);
  expect(new Set(world.numbers()).size, label).toBe(world.numbers().length);
  expect(world.thread.at(-1)?.text, label).toContain('Done');
}

const steps = await played([]).then((world) => world.steps());

describe('a task of three rounds', () => {
  it('is done, told and answered when nothing fails', async () => {
    verifies('bridge.json');
    const world = await played([]);
    isWhole(world, 'no fault');
    expect(world.ran.map(({ tool }) => tool)).toEqual(ASKED);
    expect(world.ran[2]?.args).toBe(JSON.stringify(EDIT));
    expect(await world.ledger()).toMatchObject({ used: 3, round: { posted: true }, paused: null, answered: true });
  });

  it.each(['worker', 'page'] as const)('changes nothing twice when the %s ends at any one step', async (who) => {
    verifies('bridge.json', 'bridge.ledger');
    for (let at = 1; at <= steps; at += 1) isWhole(await played([{ at, who }]), `${who} at ${at}`);
  });

  it('changes nothing twice when both end, wherever', async () => {
    verifies('bridge.ledger');
    // Every pair is some ten thousand runs: a walk that meets each first step and many distances.
    for (let at = 1; at <= steps; at += 1) {
      const then = at + 1 + ((at * 7) % 23);
      const who = at % 2 === 0 ? ('worker' as const) : ('page' as const);
      const other = at % 3 === 0 ? ('worker' as const) : ('page' as const);
      const faults = [
        { at, who },
        { at: then, who: other },
      ];
      isWhole(await played(faults), JSON.stringify(faults));
    }
  });

  it('repeats no change that takes no key: it is told to be uncertain', async () => {
    verifies('bridge.ledger');
    let doubts = 0;
    for (let at = 1; at <= steps; at += 1) {
      const world = await played([{ at, who: 'worker' }], KEYLESS);
      const changes = world.ran.filter(({ tool }) => CHANGES.includes(tool)).map(({ tool }) => tool);
      expect(new Set(changes).size, `at ${at}`).toBe(changes.length);
      const told = world.told().flat() as { tool: string; ok: boolean; error?: string }[];
      const doubted = told.filter(({ error }) => error === 'delivery_unknown').map(({ tool }) => tool);
      doubts += doubted.length;
      // What is said to have happened has happened.
      const known = told.filter(({ tool, ok }) => ok && CHANGES.includes(tool)).map(({ tool }) => tool);
      for (const tool of known) expect(changes, `at ${at}`).toContain(tool);
      expect([...known, ...doubted].sort(), `at ${at}`).toEqual([...CHANGES].sort());
    }
    expect(doubts).toBeGreaterThan(0);
  });
});

/** Results that were submitted and never seen. */
async function inDoubt() {
  const world = bridgeWorld({ script: SCRIPT });
  await world.begin();
  await world.say('change one to two');
  await world.run(40, () => world.told().length === 1);
  world.set({ accepts: false });
  await world.run(40);
  return world;
}

describe('what is written before each step', () => {
  it('a call is executing in the storage before the runtime hears of it, and done before anything follows', async () => {
    verifies('bridge.ledger');
    const world = bridgeWorld({ script: SCRIPT });
    await world.begin();
    await world.say('change one to two');
    const seen = new Set<string>();
    for (let moment = 0; moment < 60; moment += 1) {
      await world.look();
      for (const { state } of (await world.ledger())?.round?.calls ?? []) seen.add(state);
    }
    expect(world.asked.filter(({ tool }) => CHANGES.includes(tool)).map(({ key }) => key)).toEqual([
      'bl_00000000000000aa:2:1',
      'bl_00000000000000aa:3:0',
    ]);
    expect(seen).toContain('posted');
    // What is posted keeps neither arguments nor results.
    const { round } = (await world.ledger()) ?? {};
    expect(round?.calls.every(({ result, args }) => result === null && Object.keys(args).length === 0)).toBe(true);
  });

  it('a reply told again, by a reload or a second tab, runs nothing again', async () => {
    verifies('bridge.ledger');
    const world = await played([]);
    const before = world.ran.length;
    for (let again = 0; again < 4; again += 1) {
      await world.reloadPage();
      await world.run(8);
    }
    await world.restartWorker();
    await world.run(8);
    expect(world.ran).toHaveLength(before);
    expect(world.told()).toHaveLength(3);
  });

  it('old JSON in a chat that the ledger does not know runs nothing', async () => {
    verifies('bridge.ledger');
    const world = bridgeWorld({ script: SCRIPT });
    await world.begin();
    world.set({ silent: true });
    for (const mark of ['[HERDR_JSON_BRIDGE_V1 loop=bl_ffffffffffffffff n=1]', 'TOOL_RESULT:', '']) {
      world.accept(`${mark}\nUSER_TASK:\nedit`);
      world.answer(fenced(call('herdr_fs_edit', EDIT)));
      await world.run(10);
    }
    expect(world.ran).toEqual([]);
  });

  it('a message that names another loop, or another number than the last, runs nothing', async () => {
    verifies('bridge.ledger');
    const world = bridgeWorld({ script: [() => 'fine'] });
    await world.begin();
    await world.say('hello');
    await world.run(8);
    world.set({ silent: true });
    for (const mark of [
      'loop=bl_ffffffffffffffff n=1',
      'loop=bl_00000000000000aa n=2',
      'loop=bl_00000000000000aa n=9',
    ]) {
      world.accept(`[HERDR_JSON_BRIDGE_V1 ${mark}]\nUSER_TASK:\nedit`);
      world.answer(fenced(call('herdr_fs_edit', EDIT)));
      await world.run(10);
    }
    expect(world.ran).toEqual([]);
  });

  it('a message that was submitted and never seen is not sent again by itself, and a person decides', async () => {
    verifies('bridge.ledger');
    const world = await inDoubt();
    expect((await world.hud()).bridge).toMatchObject({ phase: 'paused', paused: 'uncertain' });
    const before = world.ran.length;
    world.set({ accepts: true });
    await world.run(40);
    expect(world.told()).toHaveLength(1);
    await world.control('post_again');
    await world.run(80);
    expect(world.told()).toHaveLength(3);
    expect(world.ran.filter(({ tool }) => CHANGES.includes(tool))).toHaveLength(2);
    expect(world.ran.length).toBeGreaterThanOrEqual(before);
  });

  it('and the sight of its number proves that it arrived after all', async () => {
    verifies('bridge.ledger');
    const world = await inDoubt();
    const ledger = await world.ledger();
    const delivery = (await world.state()).deliveries[ledger?.doubt?.delivery ?? ''];
    world.set({ accepts: true });
    world.accept(delivery?.text ?? '');
    await world.run(80);
    expect((await world.hud()).bridge?.paused).toBeNull();
    expect(world.told()).toHaveLength(3);
    expect(world.ran.filter(({ tool }) => CHANGES.includes(tool))).toHaveLength(2);
  });
});

describe('a view of the chat that ends earlier, in another tab or another branch', () => {
  it('is not written to: results wait for the view that shows their reply', async () => {
    verifies('bridge.ledger');
    const world = bridgeWorld({ script: SCRIPT });
    await world.begin();
    await world.say('change one to two');
    await world.run(60, () => world.told().length === 1 && world.ran.length === 3);
    const newer = world.thread.splice(2);
    await world.run(20);
    expect(world.thread).toHaveLength(2);
    expect(world.told()).toHaveLength(0);
    world.thread.push(...newer);
    await world.run(60, () => world.told().length === 3);
    expect(world.ran.filter(({ tool }) => CHANGES.includes(tool))).toHaveLength(2);
  });
});
