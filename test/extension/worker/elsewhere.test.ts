/** What a worker makes of the runtime's word that a settle is another browser's. */
import { expect, it } from 'vitest';
import { claimed, type Event } from '../../../extension/machines/worker/index.ts';
import { verifies } from '../../verifies.ts';
import { CHAT, world } from './world.ts';

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
  expect([await pendingOf(sent), (await sent.state()).deliveries]).toEqual([null, {}]);
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
      .map(claimed);
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
