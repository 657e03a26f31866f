/** Whose chat a loop is, on sites that name a chat late or change its address early. */
import { describe, expect, it } from 'vitest';
import {
  type BridgeEvent,
  lookForReply,
  markLine,
  markOf,
  NO_REPLY,
  overtaken,
} from '../../../extension/machines/bridge/index.ts';
import { type State, step } from '../../../extension/machines/worker/index.ts';
import { plan } from '../../../extension/machines/worker/message.ts';
import { advance } from '../../../extension/machines/worker/plan.ts';
import type { DeliveryKind } from '../../../extension/messages.ts';
import { verifies } from '../../verifies.ts';
import { LIVE } from './catalogue.ts';
import { call, fenced } from './chat.ts';
import { A, after, B, begun, bind, bridge, here, LOOP, NOW, pageOf, seen } from './events.ts';

const keys = ({ bindings }: State) => Object.values(bindings).map(({ scopeKey }) => scopeKey);

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
