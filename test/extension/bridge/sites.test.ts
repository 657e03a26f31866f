/** Which chat a loop belongs to, what a page may ask, what is journaled, and what stays raw. */
import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../../../extension/background/bridge.ts';
import { answerBridge, type BridgeAsk } from '../../../extension/background/bridge-pages.ts';
import { type JournalParts, journalTurn } from '../../../extension/background/journal.ts';
import type { JournalTurnBody } from '../../../extension/background/runtime.ts';
import {
  type BridgeEvent,
  lookForReply,
  markLine,
  markOf,
  NO_REPLY,
  overtaken,
} from '../../../extension/machines/bridge/index.ts';
import {
  type Binding,
  EMPTY,
  type Event,
  type From,
  hudOf,
  type State,
  step,
} from '../../../extension/machines/worker/index.ts';
import { plan } from '../../../extension/machines/worker/message.ts';
import { advance } from '../../../extension/machines/worker/plan.ts';
import type { DeliveryKind, PageState } from '../../../extension/messages.ts';
import type { PageIdentity, SiteId } from '../../../extension/page.ts';
import { verifies } from '../../verifies.ts';
import { LIVE } from './catalogue.ts';
import { call, fenced } from './world.ts';

const NOW = 1_764_500_000_000;
const QUIET: PageState = { busy: false, draft: false, card: false, visible: true };
const A = 'https://chat.z.ai/c/A';
const B = 'https://chat.z.ai/c/B';
const LOOP = 'bl_0123456789abcdef';

const pageOf = (conversation: string | null, more: Partial<PageIdentity> = {}): PageIdentity => ({
  site: 'zai',
  place: conversation === null ? 'root' : 'conversation',
  conversation,
  project: 'none',
  url: conversation ?? 'https://chat.z.ai/',
  title: null,
  ...more,
});
const from = (page: PageIdentity, tab = 7): From => ({ tab, document: 'd', version: '1', page });

function after(state: State, ...events: readonly Event[]): State {
  let next = state;
  for (const event of events) next = step(next, event, { now: NOW, language: 'en' }).state;
  return next;
}
const here = (page: PageIdentity, tab = 7): Event => ({ type: 'here', from: from(page, tab), state: QUIET });
const bridge = (event: BridgeEvent, page = pageOf(A), tab = 7): Event => ({
  type: 'bridge',
  event,
  from: from(page, tab),
});
const bind = (page: PageIdentity): Event => ({
  type: 'bind',
  tab: 7,
  page,
  workspace: 'w1',
  continuityId: 'hc:1:abcdefgh',
});
const begun = after(
  { ...EMPTY, workspaces: [{ id: 'w1', label: 'site' }], stream: { ...EMPTY.stream, server: 'embedded' } },
  { type: 'config', config: { sites: ['zai', 'deepseek'] } },
  { type: 'link', status: 'connected' },
);
const keys = ({ bindings }: State) => Object.values(bindings).map(({ scopeKey }) => scopeKey);
const seen = (conversation: string, n = 1, site: SiteId = 'zai'): BridgeEvent => ({
  type: 'turn',
  site,
  conversation,
  turn: { loop: LOOP, n, reply: null },
  catalogue: null,
});

describe('what was bound before z.ai’s chat had an address', () => {
  it('goes to the chat that is begun there, once, and to no chat that is only opened', () => {
    verifies('bridge.sites');
    const bound = after(begun, here(pageOf(null)), bind(pageOf(null)));
    expect(keys(bound)).toEqual(['tab:7']);
    const opened = after(bound, here(pageOf(B)));
    expect(keys(opened)).toEqual(['tab:7']);
    const born = after(opened, here(pageOf(null)), here(pageOf(A, { born: true })));
    expect(keys(born)).toEqual([A]);
    for (const next of [pageOf(B), pageOf(B, { born: true }), pageOf(null), pageOf(B)]) {
      expect(keys(after(born, here(next)))).toEqual([A]);
    }
  });

  it('also by the loop’s own number, when a reload took the page that had begun it', () => {
    verifies('bridge.sites');
    const launched = after(
      begun,
      here(pageOf(null)),
      bind(pageOf(null)),
      bridge({ type: 'launch', site: 'zai', id: LOOP, catalogue: LIVE }, pageOf(null)),
      bridge({ type: 'launch_claim', id: LOOP }, pageOf(null)),
      here(pageOf(A)),
    );
    expect(keys(launched)).toEqual(['tab:7']);
    expect(keys(after(launched, bridge(seen(A))))).toEqual([A]);
  });

  it('is never bound on DeepSeek: a page without an id has no identity', () => {
    verifies('bridge.sites');
    const page = pageOf(null, { site: 'deepseek', url: 'https://chat.deepseek.com/' });
    const { reply } = step(begun, bind(page), { now: NOW, language: 'en' });
    expect(reply).toEqual({ ok: false, reason: 'conversation_required' });
  });
});

describe('the first message of a chat', () => {
  const launched = (claims: number) =>
    after(
      begun,
      bridge({ type: 'launch', site: 'zai', id: LOOP, catalogue: LIVE }, pageOf(null)),
      ...Array.from({ length: claims }, () => bridge({ type: 'launch_claim', id: LOOP }, pageOf(null))),
    );
  const loops = (state: State) => Object.keys(state.bridge.loops);

  it('belongs to the one chat that shows it, whichever shows it first', () => {
    verifies('bridge.sites');
    const first = after(launched(1), bridge(seen(A)));
    expect(loops(first)).toEqual([A]);
    expect(loops(after(first, bridge(seen(B), pageOf(B))))).toEqual([A]);
  });

  it('is nobody’s when it was never submitted, on another site, or by another number', () => {
    verifies('bridge.sites');
    expect(loops(after(launched(0), bridge(seen(A))))).toEqual([]);
    const deep = 'https://chat.deepseek.com/a/chat/s/5b0f6f4e-1111-4222-8333-444455556666';
    expect(loops(after(launched(1), bridge(seen(deep, 1, 'deepseek'))))).toEqual([]);
    expect(loops(after(launched(1), bridge(seen(A, 2))))).toEqual([]);
  });

  it('is given leave once', () => {
    verifies('bridge.ledger');
    const { reply } = step(launched(1), bridge({ type: 'launch_claim', id: LOOP }, pageOf(null)), {
      now: NOW,
      language: 'en',
    });
    expect(reply).toEqual({ ok: false, reason: 'wake_in_flight' });
  });
});

describe('a message of ours in a chat with a loop', () => {
  const said = after(
    begun,
    bridge({ type: 'say', site: 'zai', conversation: A, entry: 'be:1', loop: LOOP, text: 'do it', catalogue: LIVE }),
  );
  const textOf = (kind: DeliveryKind) => {
    const state = plan(said, { id: 'x', kind, conversation: A, text: 'Herdr: words' }, NOW);
    return state.deliveries['x']?.text ?? '';
  };

  it.each(['settled', 'progress', 'tasks', 'continue', 'check'] as const)('%s may be answered with calls', (kind) => {
    verifies('bridge.uat');
    expect(markOf(textOf(kind))).toEqual({ loop: LOOP, n: 1 });
  });

  it('handoff is raw: it is no task, and what answers it is never a call', () => {
    verifies('bridge.sites');
    expect(textOf('handoff')).toBe('Herdr: words');
    const raw = plan(said, { id: 'x', kind: 'handoff', conversation: A, text: 'make the packet' }, NOW);
    expect(raw.bridge).toBe(said.bridge);
    const packet = fenced(call('herdr_exec', { workspace: 'w1', command: 'false' }));
    const answered = step(
      raw,
      bridge({
        ...seen(A),
        turn: { loop: LOOP, n: 1, reply: { message: 'm', text: packet } },
        catalogue: LIVE,
      } as BridgeEvent),
      { now: NOW, language: 'en' },
    );
    expect(answered.reply).toEqual({ ok: false, reason: 'unbound' });
    expect(answered.effects).toEqual([]);
  });
});

describe('a page whose address changes before what it shows', () => {
  const first = `${markLine({ loop: LOOP, n: 1 })}\nUSER_TASK:\ndo it`;
  const shown = [{ role: 'user' as const, id: 'm1', text: first }];
  const at = (conversation: string | null, watch = NO_REPLY, now = NOW) =>
    lookForReply(watch, { now, conversation, mounted: shown, busy: false });

  it('tells of a chat what it has seen there twice', () => {
    verifies('bridge.sites');
    const once = at(A);
    expect(once.seen).toBeNull();
    const twice = at(A, once.watch, NOW + 500);
    expect(twice.seen).toEqual({ loop: LOOP, n: 1, reply: null });
    // Another chat is opened; for a moment the old one still stands under its address.
    expect(at(B, twice.watch, NOW + 1_000).seen).toBeNull();
  });
});

describe('what a person’s next message comes after', () => {
  const ours = { role: 'user' as const, id: 'm1', text: `${markLine({ loop: LOOP, n: 3 })}\nUSER_TASK:\ndo it` };
  const answer = (text: string) => ({ role: 'assistant' as const, id: 'm2', text });

  it.each([
    ['an answer in words', 'Done.', false, { message: 'm2', text: 'Done.' }],
    ['an answer that is still written', 'Done', true, null],
    ['calls that nobody has taken', fenced(call('herdr_inspect')), false, null],
  ])('is told before it: %s', (_name, text, busy, reply) => {
    verifies('bridge.ledger');
    expect(overtaken([ours, answer(text)], busy)).toEqual({ loop: LOOP, n: 3, reply });
  });

  it('is nothing where the last message is no one of ours', () => {
    expect(overtaken([ours, answer('Done.'), { role: 'user', id: 'm3', text: 'thanks' }], false)).toBeNull();
    expect(overtaken([], false)).toBeNull();
  });
});

describe('a message of a local agent in a chat with tools', () => {
  const said = after(
    begun,
    here(pageOf(A)),
    bridge({ type: 'say', site: 'zai', conversation: A, entry: 'be:1', loop: LOOP, text: 'do it', catalogue: LIVE }),
  );
  const send = (state: State) => {
    const planned = plan(state, { id: 'x', kind: 'dispatch', conversation: A, text: 'Which test?', manual: true }, NOW);
    return advance(planned, A, NOW, true).state.deliveries['x'];
  };

  it('goes out as it is, and what answers it runs nothing', () => {
    verifies('bridge.local-agents');
    const loop = said.bridge.loops[A];
    if (loop === undefined) throw new Error('no loop');
    const quiet = { ...said, bridge: { ...said.bridge, loops: { [A]: { ...loop, said: [] } } } };
    expect(send(quiet)).toMatchObject({ state: 'handed', text: 'Which test?' });
  });

  it('does not come between a call and its results: it is refused', () => {
    verifies('bridge.local-agents');
    expect(send(said)).toMatchObject({ state: 'blocked', reason: 'turn_in_progress' });
  });
});

describe('what a page asks of the worker', () => {
  const taken: Event[] = [];
  const parts = {
    bridge: { catalogue: () => Promise.resolve(LIVE) },
    take: (event: Event) => {
      taken.push(event);
      return Promise.resolve({ ok: true as const, seen: null, notSent: null });
    },
  };
  const UUID = '01234567-89ab-cdef-0123-456789abcdef';
  const say: BridgeAsk = { kind: 'bridge.say', body: { entry: `be:${UUID}`, loop: LOOP, text: 'words' } };
  const turn: BridgeAsk = { kind: 'bridge.turn', body: { loop: LOOP, n: 1, reply: { message: 'm', text: 'x' } } };
  const launch: BridgeAsk = { kind: 'bridge.launch', body: { id: LOOP, text: 'words' } };
  const deepRoot = pageOf(null, { site: 'deepseek', url: 'https://chat.deepseek.com/' });

  it.each([
    ['another chat than the tab shows', pageOf(A), say, B],
    ['a chat, from a tab that shows none', pageOf(A), turn, 'https://chat.z.ai/'],
    ['a chat, from a tab whose address nobody knows', pageOf(A), turn, ''],
    ['a tab in place of a chat', deepRoot, say, 'https://chat.deepseek.com/'],
    [
      'an origin in place of a chat',
      pageOf('https://chat.z.ai', { place: 'conversation' }),
      turn,
      'https://chat.z.ai/',
    ],
    ['a launch in a chat', pageOf(A), launch, A],
    ['a site without a bridge', pageOf('https://chatgpt.com/c/1', { site: 'chatgpt' }), say, 'https://chatgpt.com/c/1'],
    ['an id that is none', pageOf(A), { ...say, body: { ...say.body, entry: 'x' } } as BridgeAsk, A],
    ['a loop that is none', pageOf(A), { ...turn, body: { ...turn.body, loop: 'bl_x' } } as BridgeAsk, A],
    ['a number that is none', pageOf(A), { ...turn, body: { ...turn.body, n: 1.5 } } as BridgeAsk, A],
    ['an unknown press', pageOf(A), { kind: 'bridge.control', body: { what: 'run' } } as unknown as BridgeAsk, A],
  ])('is refused for %s', async (_name, page, ask, shown) => {
    verifies('bridge.bounds', 'bridge.sites');
    taken.length = 0;
    expect(await answerBridge(parts, from(page), ask, shown)).toMatchObject({ ok: false });
    expect(taken).toEqual([]);
  });

  it('is not taken over while the runtime does not say which tools there are', async () => {
    verifies('bridge.bounds');
    const away = { ...parts, bridge: { catalogue: () => Promise.resolve(null) } };
    taken.length = 0;
    for (const [page, ask, shown] of [
      [pageOf(A), say, A],
      [pageOf(null), launch, 'https://chat.z.ai/'],
    ] as const) {
      expect(await answerBridge(away, from(page), ask, shown)).toEqual({ ok: false, reason: 'runtime_unavailable' });
    }
    expect(taken).toEqual([]);
  });

  it('gets the first message whole: the mark, the tools, its own words', async () => {
    verifies('bridge.json');
    const answer = await answerBridge(parts, from(pageOf(null)), launch, 'https://chat.z.ai/');
    const text = answer.ok ? String(answer.value) : '';
    expect(text.startsWith(`${markLine({ loop: LOOP, n: 1 })}\n`)).toBe(true);
    expect(text).toContain('\nherdr_inspect(');
    expect(text.endsWith('\n\nUSER_TASK:\nwords')).toBe(true);
  });
});

describe('what became of a call', () => {
  it.each([
    [{ ok: true, status: 200, body: { result: { content: [] } } }, 'answered'],
    [{ ok: true, status: 200, body: { error: { code: -32602, message: 'no' } } }, 'refused'],
    [{ ok: true, status: 500, body: null }, 'unknown'],
    [{ ok: true, status: 200, body: 'x' }, 'unknown'],
    [{ ok: false, error: 'port_closed' }, 'not_sent'],
    [{ ok: false, error: 'native_request_too_large' }, 'not_sent'],
    [{ ok: false, error: 'native_request_timeout' }, 'unknown'],
    [{ ok: false, error: 'native_stream_failed' }, 'unknown'],
    [{ ok: false, error: 'native_response_too_large' }, 'unknown'],
    [{ ok: false, error: 'invalid_native_message' }, 'unknown'],
    [{ ok: false, error: 'extension_ipc_unavailable' }, 'unknown'],
  ] as const)('of %j is %s', (answer, kind) => {
    verifies('bridge.ledger');
    expect(outcomeOf(answer).kind).toBe(kind);
  });
});

describe('the journal of a bound chat', () => {
  const row = {
    continuityId: 'hc:1:abcdefgh',
    workspace: 'w1',
    project: null,
    target: { conversation: A, url: A },
  } as Binding;
  async function journaled(id: string | null) {
    const written: JournalTurnBody[] = [];
    const missed: string[] = [];
    const parts = {
      runtime: {
        journal: (body: JournalTurnBody) => {
          written.push(body);
          return Promise.resolve({ durable: true, continuityId: null, final: false });
        },
      },
      nowMs: () => NOW,
      pause: () => Promise.resolve(),
      canonical: () => undefined,
      missed: (conversation: string) => missed.push(conversation),
    } as unknown as JournalParts;
    const durable = await journalTurn(parts, [row], pageOf(A), 'assistant', { id, text: 'words' });
    return { durable, ids: written.map(({ message_id }) => message_id), missed };
  }

  it('takes a turn by the site’s own id of it, and leaves out one without: none is made up', async () => {
    verifies('bridge.sites');
    expect(await journaled('m-1')).toEqual({ durable: true, ids: ['m-1'], missed: [] });
    expect(await journaled(null)).toEqual({ durable: false, ids: [], missed: [] });
  });

  it('and the bar says so, where the chat is bound', () => {
    verifies('bridge.sites');
    const unnamed = bridge({ type: 'unnamed', conversation: A });
    const bound = after(begun, here(pageOf(A)), bind(pageOf(A)), unnamed);
    const shown = (state: State) => hudOf(state, pageOf(A), 7, 'en').bridge?.unnamed;
    expect([shown(bound), shown(after(begun, here(pageOf(A)), unnamed))]).toEqual([true, false]);
  });
});
