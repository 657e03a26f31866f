/** Pages that were loaded anew, or that are two, and what they take for a person's words or for one thing. */
import { describe, expect, it } from 'vitest';
import { EMPTY, type Event, type State, step } from '../../../extension/machines/worker/index.ts';
import { verifies } from '../../verifies.ts';
import { OPEN_ANSWER, turn } from '../auto/support.ts';
import { chat as health, page } from '../recovery/looks.ts';
import { CHAT, chat, FRESH, QUIET } from './chat.ts';

const OTHER = 'https://chatgpt.com/c/22222222-bbbb';
const NOW = 1_764_500_000_000;
const from = (conversation = CHAT, tab = 7) => ({
  tab,
  document: `d${tab}`,
  version: '1.0.0',
  page: chat(conversation),
});

/** Two bound chats with Auto on, and no small model. */
function worker() {
  let state: State = EMPTY;
  let now = NOW;
  const it = {
    take(event: Event, ms = 1_000) {
      now += ms;
      const stepped = step(state, event, { now, language: 'en' });
      state = stepped.state;
      return stepped;
    },
    /** The answer ends, nobody can be asked, the script goes on: what is handed to the page. */
    nudge(conversation: string, tab: number, answerId: string | null, ms = 1_000) {
      const said = { ...turn(OPEN_ANSWER), answerId };
      const ended = it.take({ type: 'turn_ended', from: from(conversation, tab), turn: said, confirmed: true }, ms);
      const asked = ended.effects.flatMap((one) =>
        one.type === 'judge' && one.wants.type === 'prepare' ? [one.wants.id] : [],
      );
      const services = { evaluate: false, chat: false };
      const event = { type: 'prepared' as const, id: asked[0] ?? '', turn: said, services, goal: null };
      const prepared = it.take({ type: 'judged', conversation, event }, ms);
      return prepared.effects.flatMap((one) => (one.type === 'deliver' ? [one.order] : []))[0];
    },
    state: () => state,
  };
  const fresh = FRESH;
  it.take({ type: 'hello', boot: 'b1', position: 0, replaying: false, fresh, at: NOW });
  for (const [conversation, tab] of [
    [CHAT, 7],
    [OTHER, 8],
  ] as const) {
    it.take({ type: 'here', from: from(conversation, tab), state: QUIET });
    it.take({ type: 'bind', tab, page: chat(conversation), workspace: 'w1', continuityId: `hc:1:abcdefg${tab}` });
    const action = { name: 'auto' as const, on: true };
    it.take({ type: 'action', from: from(conversation, tab), action, id: `a${tab}`, fresh: null });
  }
  return it;
}

describe('a message of Auto that a page shows only after it was loaded anew', () => {
  it.each(['before it was seen', 'after it was seen'])(
    'is no person’s word: what Auto may do is not begun anew (%s)',
    (when) => {
      verifies('extension.auto');
      const it = worker();
      const order = it.nudge(CHAT, 7, 'a1');
      if (order === undefined) throw new Error('nothing was handed over');
      const { id, attempt, text } = order;
      it.take({ type: 'claim', from: from(), id, attempt, baseline: { userIds: [], userTurns: 0 } });
      const messageId = 'u1';
      const outcome =
        when === 'after it was seen'
          ? { state: 'sent' as const, messageId, url: CHAT }
          : { state: 'uncertain' as const, reason: 'no_new_turn' as const };
      it.take({ type: 'done', from: from(), id, attempt, outcome });
      const before = it.state().judges[CHAT];
      expect(before?.nudges).toBe(1);
      it.take({ type: 'turn_accepted', from: from(), text, id: messageId, submitted: 'person' });
      const after = it.state().judges[CHAT];
      expect([after?.nudges, after?.scripted, after?.speaker, after?.spokeAt]).toEqual([
        1,
        1,
        'machine',
        before?.spokeAt,
      ]);
      expect(it.state().deliveries[id]?.state).toBe('sent');
      // Other words are a person's.
      it.take({ type: 'turn_accepted', from: from(), text: 'Stop here.', id: 'u2', submitted: 'person' });
      expect(it.state().judges[CHAT]).toMatchObject({ nudges: 0, scripted: 0, speaker: 'person' });
    },
  );
});

describe('a wake that a page shows only after it was loaded anew', () => {
  /** The chat's workspace has settled and the wake is submitted; Auto had sent a nudge before. */
  function woken() {
    const it = worker();
    const order = it.nudge(CHAT, 7, 'a1');
    if (order === undefined) throw new Error('nothing was handed over');
    sent(it, order, 'u1');
    it.take({ type: 'turn_ended', from: from() });
    it.take({ type: 'here', from: from(), state: QUIET });
    const agent = { pane: 'p1', name: 'pi', agent: 'pi', workspace: 'w1', cwd: null, terminal_title: null };
    const pushed = (name: string, status: string, seq: number) =>
      it.take({ type: 'pushed', boot: 'b1', position: seq, name, data: { ...agent, status, seq, at: seq } });
    pushed('agent_working', 'working', 1);
    const settled = pushed('agent_settled', 'idle', 2);
    const look = settled.effects.find((one) => one.type === 'look' && one.binding.startsWith(CHAT));
    if (look?.type !== 'look') throw new Error('nobody looks');
    const fresh = { ...FRESH, agents: [{ ...agent, status: 'idle', seq: 2, last_activity_at: NOW }] };
    const { binding, revision } = look;
    const wake = it
      .take({ type: 'looked', binding, revision, fresh, inbox: 'none' })
      .effects.flatMap((one) => (one.type === 'deliver' ? [one.order] : []))[0];
    if (wake === undefined) throw new Error('no wake');
    return { it, wake };
  }
  type Order = { id: string; attempt: number; text: string };
  function sent(it: ReturnType<typeof worker>, { id, attempt }: Order, messageId: string | null) {
    it.take({ type: 'claim', from: from(), id, attempt, baseline: { userIds: [], userTurns: 0 } });
    it.take({ type: 'done', from: from(), id, attempt, outcome: { state: 'sent', messageId, url: CHAT } });
  }

  it.each([
    ['under the id that it had', 'u2', 'u2'],
    ['under another id', 'u2', 'u9'],
    ['and nobody knew its id', null, 'u9'],
  ] as const)('is ours %s: it begins no budget anew', (_name, known, shown) => {
    verifies('extension.auto', 'extension.wake');
    const { it, wake } = woken();
    sent(it, wake, known);
    expect(it.state().deliveries[wake.id]).toMatchObject({ state: 'sent', text: null });
    const before = it.state().judges[CHAT];
    expect(before).toMatchObject({ nudges: 1, spokeAt: 0 });
    // The first time it is news, and then Auto may go on; it is no word of a person.
    const turn_ = { type: 'turn_accepted' as const, from: from(), text: wake.text, id: shown };
    it.take({ ...turn_, submitted: 'person' });
    expect(it.state().judges[CHAT]).toMatchObject({ nudges: 0, speaker: 'machine', spokeAt: 0 });
    it.take({ type: 'here', from: from(), state: QUIET });
    const order = it.nudge(CHAT, 7, 'a2', 120_000);
    if (order === undefined) throw new Error('nothing was handed over');
    sent(it, order, 'u3');
    expect(it.state().judges[CHAT]?.nudges).toBe(1);
    // Shown once more, by a page that was loaded anew: it is old news.
    it.take({ ...turn_, submitted: 'person' });
    expect(it.state().judges[CHAT]).toMatchObject({ nudges: 1, speaker: 'machine', spokeAt: 0 });
  });

  it('a person’s own words stay a person’s, also those that one of the buttons had sent before', () => {
    verifies('extension.auto');
    const { it, wake } = woken();
    sent(it, wake, 'u2');
    const off = { name: 'auto' as const, on: false };
    it.take({ type: 'action', from: from(), action: off, id: 'off', fresh: null });
    it.take({ type: 'here', from: from(), state: QUIET });
    const pressed = it.take({ type: 'action', from: from(), action: { name: 'continue' }, id: 'c', fresh: null });
    const [order] = pressed.effects.flatMap((one) => (one.type === 'deliver' ? [one.order] : []));
    if (order === undefined) throw new Error('nothing was handed over');
    sent(it, order, 'u3');
    it.take({ type: 'action', from: from(), action: { ...off, on: true }, id: 'on', fresh: null });
    it.take({ type: 'turn_accepted', from: from(), text: order.text, id: 'u4', submitted: 'person' });
    expect(it.state().judges[CHAT]).toMatchObject({ nudges: 0, speaker: 'person' });
  });
});

describe('two chats that end with the same words, without an id', () => {
  it('get a message each', () => {
    verifies('extension.auto');
    const it = worker();
    const first = it.nudge(CHAT, 7, null);
    const second = it.nudge(OTHER, 8, null);
    expect(first?.id).toBeDefined();
    expect(second?.id).toBeDefined();
    const kept = Object.values(it.state().deliveries).map(({ conversation, state }) => [conversation, state]);
    expect(kept).toEqual([
      [CHAT, 'handed'],
      [OTHER, 'handed'],
    ]);
  });
});

describe('a page that names its turn only after the reload', () => {
  const broken = page({
    error: { kind: 'thread_error', retry: false, shownMs: 30_000 },
    pending: true,
  });
  const ahead = { view: 'ahead', current: 'assistant', finished: 'finished' } as const;

  it('is not reloaded a second time for it; the next turn is', () => {
    verifies('extension.recovery');
    const it = health();
    expect(it.learn(broken, ahead).effects).toMatchObject([{ type: 'recover', order: { act: 'reload' } }]);
    it.answer('done');
    it.wait(3_000).see({ ...broken, loadedMs: 3_000 }, 'd2');
    it.take({ type: 'turn', id: 'u1', hash: 'h1' });
    for (let turn_ = 0; turn_ < 20; turn_ += 1) {
      const { effects } = it.wait(30_000).learn(broken, ahead, 'd2');
      expect(effects.map(({ type }) => type).filter((type) => type !== 'examine')).toEqual([]);
    }
    expect(it.health()).toMatchObject({ phase: 'exhausted', reloads: 1 });
    it.take({ type: 'turn', id: 'u2', hash: 'h2' });
    expect(it.wait(30_000).learn(broken, ahead, 'd2').effects).toMatchObject([{ type: 'recover' }]);
  });
});
