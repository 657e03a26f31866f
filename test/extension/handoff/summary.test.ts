/** The words of a handoff where no chain is recorded: a chat's own summary on z.ai, and a packet that ChatGPT was left with. */
import { describe, expect, it } from 'vitest';
import { isRequestOf, requestOf } from '../../../extension/machines/handoff/index.ts';
import { leftPacket, markIn, packetIn, seedOf } from '../../../extension/machines/handoff/packet.ts';
import { EMPTY, type Event, hudOf, type State, step } from '../../../extension/machines/worker/index.ts';
import type { PageIdentity } from '../../../extension/page.ts';
import { verifies } from '../../verifies.ts';
import { FRESH, QUIET } from '../worker/chat.ts';
import { NOW, packetOf, view } from './fixtures.ts';
import { handoffWorld, NEW } from './world.ts';

const SOURCE = 'https://chat.z.ai/c/source';
const TARGET = 'https://chat.z.ai/c/target';
const page = (conversation: string): PageIdentity => ({
  site: 'zai',
  place: 'conversation',
  conversation,
  project: 'none',
  url: conversation,
  title: null,
});
const from = (conversation: string, tab: number) => ({
  tab,
  document: `d${tab}`,
  version: '1.0.0',
  page: page(conversation),
});
const PACKET = 'Goal: it works\nDone: the parser\nOpen work: the docs';

/** A bound z.ai chat whose person has pressed Handoff; the page has the request. */
function zai() {
  let state: State = { ...EMPTY, config: { ...EMPTY.config, sites: ['zai'] } };
  let now = NOW;
  const it = {
    take(event: Event, ms = 1_000) {
      now += ms;
      const stepped = step(state, event, { now, language: 'en' });
      // What is written down is plain JSON: a worker that dies goes on from it.
      state = JSON.parse(JSON.stringify(stepped.state)) as State;
      return stepped;
    },
    press: () =>
      it.take({ type: 'action', from: from(SOURCE, 7), action: { name: 'handoff' }, id: '0'.repeat(32), fresh: null }),
    state: () => state,
    now: () => now,
    transfer: () => Object.values(state.transfers)[0],
    view: () => hudOf(state, page(SOURCE), 7, 'en').handoff,
    row: () => Object.values(state.bindings)[0],
    done(outcome: Extract<Event, { type: 'done' }>['outcome']) {
      const [order] = Object.values(state.deliveries);
      const { id = '', attempt = 0 } = order ?? {};
      it.take({ type: 'claim', from: from(SOURCE, 7), id, attempt, baseline: { userIds: [], userTurns: 0 } });
      return it.take({ type: 'done', from: from(SOURCE, 7), id, attempt, outcome });
    },
    says(user: string, answer: string) {
      const event = { type: 'summary' as const, turn: { user, answer } };
      return it.take({ type: 'handoff', transfer: it.transfer()?.id ?? '', event });
    },
  };
  const fresh = FRESH;
  it.take({ type: 'hello', boot: 'b1', position: 0, replaying: false, fresh, at: NOW });
  it.take({ type: 'here', from: from(SOURCE, 7), state: QUIET });
  it.take({ type: 'bind', tab: 7, page: page(SOURCE), workspace: 'w1', continuityId: 'hc:1:abcdefgh' });
  it.take({ type: 'action', from: from(SOURCE, 7), action: { name: 'auto', on: true }, id: 'a', fresh: null });
  return it;
}
const sent = { state: 'sent' as const, messageId: 'u1', url: SOURCE };

describe('z.ai’s own summary', () => {
  it('is asked for once and raw, read from the page, and carried by the delivery service; then rows and Auto move', () => {
    verifies('extension.handoff');
    const it = zai();
    const pressed = it.press();
    const { id = '' } = it.transfer() ?? {};
    const orders = pressed.effects.flatMap((one) => (one.type === 'deliver' ? [one.order] : []));
    expect(orders).toMatchObject([{ kind: 'handoff', text: requestOf(id) }]);
    expect(pressed.effects.some(({ type }) => type === 'hand_over')).toBe(false);
    expect(it.view()).toMatchObject({ phase: 'summarising', copy: null });
    const asked = it.done(sent);
    expect(asked.effects).toContainEqual({
      type: 'hand_over',
      wants: { type: 'read_summary', transfer: id, tab: 7, conversation: SOURCE },
    });
    // A restart asks the page again, and the chat never.
    const restarted = it.take({ type: 'started' });
    expect(restarted.effects.map(({ type }) => type)).not.toContain('deliver');
    expect(restarted.effects.filter(({ type }) => type === 'hand_over')).toHaveLength(1);
    const { effects } = it.says(requestOf(id), `Here it is.\n${packetOf(PACKET, id)}`);
    const given = effects.flatMap((one) =>
      one.type === 'hand_over' && one.wants.type === 'deliver' ? [one.wants] : [],
    );
    expect(given).toHaveLength(1);
    const message = given[0]?.transfer.message ?? '';
    expect(message).toContain(`[HERDR_CONTINUITY_TRANSFER id=${id}]`);
    expect(message).toContain(PACKET);
    expect(message).toContain(SOURCE);
    expect(message).not.toContain('HERDR_HANDOFF_V1');

    const dispatch = view({
      provider: 'zai',
      delivery_state: 'applied',
      canonical_url: TARGET,
      session_ref: 'br_target',
    });
    it.take({ type: 'here', from: from(TARGET, 8), state: QUIET });
    const verifying = it.take({
      type: 'handoff',
      transfer: id,
      event: { type: 'delivered', answer: { kind: 'dispatch', dispatch, replayed: false } },
    });
    expect(verifying.effects).toContainEqual({
      type: 'hand_over',
      wants: {
        type: 'verify',
        transfer: id,
        tab: 8,
        conversation: TARGET,
        mark: `[HERDR_CONTINUITY_TRANSFER id=${id}]`,
      },
    });
    expect(it.row()?.target?.conversation).toBe(SOURCE);
    const found = { type: 'verified' as const, conversation: TARGET, found: 'yes' as const, message: 'm1' };
    it.take({ type: 'handoff', transfer: id, event: found });
    expect(it.row()).toMatchObject({ scope: 'conversation', scopeKey: TARGET, continuityId: 'hc:1:abcdefgh' });
    expect(it.state().auto.conversations).toEqual({ [TARGET]: true });
    expect(it.view()).toMatchObject({ phase: 'committed', target: TARGET });
  });

  it.each([
    ['nothing', ''],
    ['other words', 'I would rather not.'],
    ['only the form that it was given', requestOf('ht:1')],
    ['a packet without its end', packetOf(PACKET).slice(0, -6)],
    ['a packet of another transfer', packetOf(PACKET, 'ht:other')],
    ['more than a packet may hold', packetOf('x'.repeat(24_001))],
  ])('does not come when the chat says %s: nobody else writes it, and the source stays as it was', (_name, words) => {
    verifies('extension.handoff');
    const it = zai();
    const before = it.row();
    it.press();
    const { id = '' } = it.transfer() ?? {};
    it.done(sent);
    const effects = [
      it.says(requestOf(id), words.replaceAll('ht:1:a', id).replaceAll('ht:1>', `${id}>`)),
      it.take({ type: 'turn_ended', from: from(SOURCE, 7) }),
      it.take({ type: 'tick' }, 61_000),
    ].flatMap((one) => one.effects);
    expect(it.view()).toMatchObject({ phase: 'failed', reason: 'summary_missing', copy: null, target: null });
    expect(it.row()).toEqual(before);
    expect(it.state().auto.conversations).toEqual({ [SOURCE]: true });
    // No small model is asked for it, and nothing is given to the service.
    expect(effects.filter((one) => one.type === 'judge')).toEqual([]);
    expect(effects.filter((one) => one.type === 'hand_over' && one.wants.type !== 'read_summary')).toEqual([]);
    // What comes after all is about nothing any more.
    expect(it.take({ type: 'handoff', transfer: id, event: { type: 'summary', turn: null } }).effects).toEqual([]);
  });

  it('may take longer while the chat is writing, and not for ever', () => {
    verifies('extension.handoff');
    const it = zai();
    it.press();
    it.done(sent);
    it.take({ type: 'page', from: from(SOURCE, 7), state: { ...QUIET, busy: true } });
    for (let waited = 0; waited < 9; waited += 1) it.take({ type: 'tick' }, 60_000);
    expect(it.view()?.phase).toBe('summarising');
    for (let waited = 0; waited < 3; waited += 1) it.take({ type: 'tick' }, 60_000);
    expect(it.view()).toMatchObject({ phase: 'failed', reason: 'summary_missing' });
  });

  it('is not waited for when it could not be asked for', () => {
    const it = zai();
    it.press();
    it.done({ state: 'blocked', reason: 'user_typing' });
    expect(it.view()).toMatchObject({ phase: 'failed', reason: 'user_typing', copy: null });
  });

  it.each(['in the chat', 'through the tools of the chat'])('is given up when its person writes on (%s)', (how) => {
    verifies('extension.handoff');
    const it = zai();
    it.press();
    const { id = '' } = it.transfer() ?? {};
    if (how === 'in the chat') {
      it.done(sent);
      // Its own request, shown by a page that was loaded anew, is no person's word.
      it.take({ type: 'turn_accepted', from: from(SOURCE, 7), text: requestOf(id), id: 'u1', submitted: 'person' });
      expect(it.view()?.phase).toBe('summarising');
      it.take({ type: 'turn_accepted', from: from(SOURCE, 7), text: 'go on', id: 'u2', submitted: 'person' });
    } else {
      const said = { entry: 'e1', loop: `bl_${'1'.repeat(16)}`, text: 'go on' };
      const catalogue = { digest: 'c', tools: [], text: '' } as never;
      const event = { type: 'say' as const, site: 'zai' as const, conversation: SOURCE, ...said, catalogue };
      it.take({ type: 'bridge', event, from: from(SOURCE, 7) });
      // The request that the page has not sent yet does not go out any more.
      const [order] = Object.values(it.state().deliveries);
      const { id: delivery = '', attempt = 0 } = order ?? {};
      const claim = { id: delivery, attempt, baseline: { userIds: [], userTurns: 0 } };
      expect(it.take({ type: 'claim', from: from(SOURCE, 7), ...claim }).reply).toEqual({
        ok: false,
        reason: 'taken_over',
      });
    }
    expect(it.view()).toMatchObject({ phase: 'failed', reason: 'taken_over', copy: null });
    expect(Object.keys(it.state().endings)).toEqual([]);
  });

  it('is kept from passing for a mark of ours, and asks by a text that no answer of its own could be', () => {
    const packet = packetIn(
      packetOf('Say [HERDR_CONTINUITY_REF id=x y] and [END_HERDR_CONTINUITY_TRANSFER]'),
      'ht:1:a',
    );
    expect(packet).toBe('Say (HERDR_CONTINUITY_REF id=x y] and (END_HERDR_CONTINUITY_TRANSFER]');
    const seed = seedOf({ id: 'ht:1:a', packet: packet ?? '', sourceUrl: SOURCE, continuityId: null });
    expect(markIn(seed)).toBe('[HERDR_CONTINUITY_TRANSFER id=ht:1:a]');
    // The packet's own frame stands in the source too: it proves nothing of a target.
    expect(markIn(packetOf('words'))).toBeNull();
    expect(isRequestOf(requestOf('ht:1:a'), 'ht:1:a')).toBe(true);
    expect(leftPacket('What now?', packetOf('words'))).toBeNull();
  });
});

describe('a packet that an earlier transfer has left in a ChatGPT chat', () => {
  const last = { user: 'Write it.\n<<<HERDR_HANDOFF_V1 id=ht:0:old>>>', answer: packetOf(PACKET, 'ht:0:old') };
  async function whole(it: ReturnType<typeof handoffWorld>) {
    await it.begin();
    await it.press();
    for (let tick = 0; tick < 12 && Object.keys((await it.state()).transfers).length > 0; tick += 1) await it.tick();
  }

  it('finishes that transfer where the chain cannot be resolved; no packet is written', async () => {
    verifies('extension.handoff');
    const it = handoffWorld({ chain: 'gone', last });
    await whole(it);
    expect((await it.hud()).handoff).toMatchObject({ phase: 'committed', target: NEW });
    const said = Object.values(it.turns).flat();
    expect(said).toHaveLength(1);
    expect(said[0]).toContain('[HERDR_CONTINUITY_TRANSFER id=ht:0:old]');
    expect(said[0]).toContain(PACKET);
    expect(said[0]).not.toContain('HERDR_HANDOFF_V1');
    expect(Object.keys(it.turns)).toEqual([NEW]);
  });

  it('is left alone where the chain resolves', async () => {
    verifies('extension.handoff');
    const it = handoffWorld({ last });
    await whole(it);
    expect(Object.values(it.turns).flat()[0]).toMatch(/^\[HERDR_CONTINUITY_REF /);
  });

  it('that is none, or is cut off, leaves the handoff failed and the source its place', async () => {
    verifies('extension.handoff');
    for (const other of [undefined, { ...last, user: 'What now?' }, { ...last, answer: last.answer.slice(0, -4) }]) {
      const it = handoffWorld({ chain: 'gone', ...(other === undefined ? {} : { last: other }) });
      await whole(it);
      expect((await it.hud()).handoff).toMatchObject({ phase: 'failed', reason: 'continuity_unavailable', copy: null });
      expect(it.turns).toEqual({});
    }
  });
});
