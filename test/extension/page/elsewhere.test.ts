/** When a page is asked whether its chat went on elsewhere, and when it is loaded anew. */
import { describe, expect, it } from 'vitest';
import { createElsewhere } from '../../../extension/content/elsewhere.ts';
import { MOVED_LATELY_MS, RELOADED_LATELY_MS } from '../../../extension/content/limits.ts';
import type { Message, ServerView, SiteAdapter } from '../../../extension/site/index.ts';
import { verifies } from '../../verifies.ts';

const HERE: Message[] = [
  { role: 'user', id: 'u1', text: 'one' },
  { role: 'assistant', id: 'a1', text: 'yes' },
];
const THERE: ServerView = {
  latestUser: { role: 'user', id: 'u2', text: 'from my phone' },
  latestAssistant: { role: 'assistant', id: 'a2', text: 'yes again' },
  currentRole: 'assistant',
  finished: 'finished',
  updatedAtMs: null,
};

function world() {
  const it = {
    ...{ now: 1_000_000, asked: 0, reloads: 0, heldMs: 0, mounted: HERE, turnsSeen: 2 },
    view: THERE as ServerView | null,
    reloadedAt: null as number | null,
    ...{ draft: '' as string | null, attached: false, card: false, streaming: false, tool: false },
  };
  const messages = () => ({ mounted: it.mounted, turnsSeen: it.turnsSeen });
  const adapter = {
    snapshot: async () => {
      it.asked += 1;
      return it.view === null ? { found: null, why: 'missing' } : { found: it.view };
    },
    messages: () => ({ found: messages() }),
    health: { heldMs: () => it.heldMs },
    draft: () => ({ found: it.draft }),
    attached: () => it.attached,
    cardWaiting: () => it.card,
    streaming: () => ({ found: it.streaming }),
    toolRunning: () => ({ found: it.tool }),
  } as unknown as SiteAdapter;
  const elsewhere = createElsewhere({
    adapter,
    ended: new AbortController().signal,
    now: () => it.now,
    reload: () => {
      it.reloads += 1;
    },
    reloadedAt: () => it.reloadedAt,
  });
  const look = (conversation = 'c1') => elsewhere.seen(conversation, messages());
  look();
  it.now += MOVED_LATELY_MS;
  return { it, look, isAhead: () => elsewhere.isAhead('c1'), renew: elsewhere.renew };
}

describe('a page before anything is typed into it', () => {
  it('is behind when its server has a newer message of a person', async () => {
    verifies('extension.wake');
    const { it, isAhead } = world();
    expect(await isAhead()).toBe(true);
    expect(it.asked).toBe(1);
    it.view = { ...THERE, latestUser: HERE[0] ?? null };
    expect(await isAhead()).toBe(false);
  });

  it.each<[string, (w: ReturnType<typeof world>) => void]>([
    [
      'its chat has just moved here',
      ({ it, look }) => {
        it.mounted = [...HERE, { role: 'user', id: 'u9', text: 'here' }];
        look();
      },
    ],
    ['another chat is shown', ({ look }) => look('c2')],
    ['the site has refused', ({ it }) => Object.assign(it, { heldMs: 1 })],
    ['it was loaded anew lately', ({ it }) => Object.assign(it, { reloadedAt: it.now - RELOADED_LATELY_MS + 1 })],
  ])('is not asked about when %s', async (_what, act) => {
    const given = world();
    act(given);
    expect(await given.isAhead()).toBe(false);
    expect(given.it.asked).toBe(0);
  });

  it('is not behind when the server says nothing, or somebody has scrolled up', async () => {
    const silent = world();
    silent.it.view = null;
    expect(await silent.isAhead()).toBe(false);
    const scrolled = world();
    scrolled.it.turnsSeen = 1;
    expect(await scrolled.isAhead()).toBe(false);
  });

  it('was away for as long as the wall clock says, also when the machine slept', async () => {
    const { it, look, isAhead } = world();
    it.mounted = [...HERE, { role: 'user', id: 'u9', text: 'here' }];
    look();
    it.now += 8 * 3_600_000;
    expect(await isAhead()).toBe(true);
  });
});

describe('a page that is behind', () => {
  it('is loaded anew, unless something of a person’s or an answer would be lost', () => {
    const { it, renew } = world();
    renew();
    expect(it.reloads).toBe(1);
    const kept: Partial<typeof it>[] = [
      { draft: 'mine' },
      { draft: null },
      { attached: true },
      { card: true },
      { streaming: true },
      { tool: true },
    ];
    for (const part of kept) {
      const other = world();
      Object.assign(other.it, part);
      other.renew();
      expect(other.it.reloads, JSON.stringify(part)).toBe(0);
    }
  });
});
