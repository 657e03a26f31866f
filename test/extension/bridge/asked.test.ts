/** What a page asks of the worker, what became of its calls, and what a bound chat’s journal keeps. */
import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../../../extension/background/bridge.ts';
import { answerBridge, type BridgeAsk } from '../../../extension/background/bridge-pages.ts';
import { type JournalParts, journalTurn } from '../../../extension/background/journal.ts';
import type { JournalTurnBody } from '../../../extension/background/runtime.ts';
import { markLine } from '../../../extension/machines/bridge/index.ts';
import { type Binding, type Event, hudOf, type State } from '../../../extension/machines/worker/index.ts';
import { verifies } from '../../verifies.ts';
import { LIVE } from './catalogue.ts';
import { A, after, B, begun, bind, bridge, from, here, LOOP, NOW, pageOf } from './events.ts';

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
