/** What a worker makes of the runtime's word that a settle is another browser's. */
import { expect, it } from 'vitest';
import { claimOf, type Event } from '../../../extension/machines/worker/index.ts';
import { verifies } from '../../verifies.ts';
import { agentNow, CHAT } from './chat.ts';
import { world } from './world.ts';

type As = Extract<Event, { type: 'told_elsewhere' }>['as'];

/** A settle whose message has been handed to a page that has not begun. */
async function handed(panes: readonly (readonly [string, number | null])[] = [['w1:p1', 2]]) {
  const it = world();
  await it.begin();
  await it.bind();
  for (const [pane] of panes) await it.agent(pane, 'working', 1);
  for (const [pane, seq] of panes) {
    const fact = {
      pane,
      name: 'pi',
      agent: 'pi',
      workspace: 'w1',
      cwd: '/',
      terminal_title: '',
      terminal_id: `term_${pane}`,
      at: it.now(),
    };
    await it.pushed('agent_settled', { ...fact, status: 'done', seq });
  }
  // The page shows a draft: it is handed, it is not typed.
  await it.page({ draft: true });
  await it.press({ name: 'auto', on: true });
  await it.page({ draft: false });
  return it;
}

async function told(as: As) {
  const it = world({ wakes: WITH[as] });
  await it.begin();
  await it.bind();
  await it.press({ name: 'auto', on: true });
  await it.agent('w1:p1', 'working', 1);
  await it.agent('w1:p1', 'done', 2);
  return it;
}

const answering = (wake: As) => ({
  registry: { endpointRef: async () => `bep_${'0'.repeat(32)}` },
  runtime: { registry: async () => ({ ok: true, wake }) as const },
});
const WITH = { sent: answering('sent'), held: answering('held'), uncertain: answering('uncertain') };
const pendingOf = async (it: Awaited<ReturnType<typeof told>>) =>
  Object.values((await it.state()).bindings)[0]?.activity.pending ?? null;

it('what was told is over, what is being told comes again, what may have been told is left to a person', async () => {
  verifies('extension.two-browsers');
  const sent = await told('sent');
  expect([await pendingOf(sent), (await sent.hud()).delivery]).toEqual([null, null]);
  expect(await pendingOf(await told('held'))).toMatchObject({ uncertain: false, panes: [{ pane: 'w1:p1' }] });
  const doubtful = await told('uncertain');
  expect(await pendingOf(doubtful)).toMatchObject({ uncertain: true });
  for (const one of [sent, doubtful]) {
    for (let turn = 0; turn < 6; turn += 1) await one.tick(60_000);
    expect(one.turns).toEqual([]);
  }
});

it('a word about another attempt changes nothing', async () => {
  const it = await told('held');
  const before = (await it.state()).deliveries;
  await it.take({ type: 'told_elsewhere', id: Object.keys(before)[0] ?? '', attempt: 99, as: 'sent' });
  expect((await it.state()).deliveries).toEqual(before);
});

it('claims each settle by its pane and sequence; nothing, where one of them is known only here', async () => {
  const claims = async (panes: Parameters<typeof handed>[0]) =>
    Object.values((await (await handed(panes)).state()).deliveries)
      .filter(({ conversation }) => conversation === CHAT)
      .map((one) => claimOf(one)?.keys ?? []);
  expect(await claims([['w1:p1', 2]])).toEqual([['embedded/w1/term_w1:p1@2']]);
  expect(
    await claims([
      ['w1:p1', 2],
      ['w1:p2', 5],
    ]),
  ).toEqual([['embedded/w1/term_w1:p1@2', 'embedded/w1/term_w1:p2@5']]);
  expect(
    await claims([
      ['w1:p1', 2],
      ['w1:p2', null],
    ]),
  ).toEqual([[]]);
});

/** A browser that begins to look while agents work already, or hears them begin; then the claim of its progress message. */
async function progressOf(begin: (it: ReturnType<typeof world>) => Promise<void>, fallback = 1_200) {
  const it = world();
  await it.begin();
  await begin(it);
  await it.take({ type: 'config', config: { progressFallbackSec: fallback } });
  await it.press({ name: 'auto', on: true });
  await it.tick(60_000);
  await it.tick(60_000);
  const said = Object.values((await it.state()).deliveries).filter(({ kind }) => kind === 'progress');
  return said.map((one) => claimOf(one));
}
const heard =
  (...agents: readonly (readonly [string, number])[]) =>
  async (it: ReturnType<typeof world>) => {
    await it.bind();
    for (const [pane, seq] of agents) await it.agent(pane, 'working', seq);
  };

it('claims progress by what began the round and by its pace, whenever the browser came to it', async () => {
  verifies('extension.two-browsers', 'extension.progress');
  const keys = ['progress:embedded/w1/term_w1:p1@4'];
  const first = await progressOf(heard(['w1:p1', 4], ['w1:p2', 6]));
  expect(first).toMatchObject([{ keys, againMs: 1_200_000, byPerson: false, panes: [] }]);
  // Bound while both of them work: the one that has worked longest began it.
  const later = await progressOf(async (it) => {
    const two = { ...agentNow('working', 6), pane: 'w1:p2', terminal: 'term_w1:p2' };
    await it.hello({ agents: [two, agentNow('working', 4)] });
    await it.bind();
  });
  expect(later).toEqual(first);
  // Without an interval another one may tell it a check later.
  expect(await progressOf(heard(['w1:p1', 4]), 0)).toMatchObject([{ keys, againMs: 60_000 }]);
  // Another round is another one; one that has no name is nobody else's.
  expect(await progressOf(heard(['w1:p1', 8]))).toMatchObject([{ keys: ['progress:embedded/w1/term_w1:p1@8'] }]);
  const nameless = async (it: ReturnType<typeof world>) => {
    await it.hello({ agents: [{ ...agentNow('working', 4), seq: null }] });
    await it.bind();
  };
  expect(await progressOf(nameless)).toEqual([null]);
});
