/** A handoff that a person ended while it was in doubt: nothing of it happens later, and where it may have, that is said. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Transfer } from '../../../extension/machines/handoff/index.ts';
import { EMPTY, type Event, hudOf, type State, step } from '../../../extension/machines/worker/index.ts';
import { verifies } from '../../verifies.ts';
import { CHAT, chat, project, QUIET } from '../worker/chat.ts';
import { applied, BD, messageOf, NOW, SOURCE, TARGET, TRANSFERS, view } from './fixtures.ts';
import { handoffWorld } from './world.ts';

// The worker says when its storage failed; here it fails on purpose.
beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => undefined));
afterEach(() => void vi.restoreAllMocks());

const from = (conversation: string, tab = 7) => ({
  tab,
  document: `d${tab}`,
  version: '1.0.0',
  page: chat(conversation),
});

/** A person has written on in the source of this handoff. */
function left(transfer: Transfer) {
  let now = NOW;
  let state: State = { ...EMPTY, link: 'connected', transfers: { [transfer.id]: transfer } };
  const it = {
    take(event: Event, ms = 1_000) {
      now += ms;
      const stepped = step(state, event, { now, language: 'en' });
      state = JSON.parse(JSON.stringify(stepped.state)) as State;
      return stepped;
    },
    says: (answer: Extract<Event, { type: 'handoff_ended' }>['answer'], ms = 1_000) =>
      it.take({ type: 'handoff_ended', transfer: transfer.id, answer }, ms),
    ends: (effects: ReturnType<typeof step>['effects']) =>
      effects.filter((one) => one.type === 'hand_over' && one.wants.type === 'end').length,
    view: () => hudOf(state, chat(SOURCE), 7, 'en').handoff,
    state: () => state,
  };
  it.take({ type: 'here', from: from(SOURCE), state: QUIET });
  const wrote = {
    type: 'turn_accepted' as const,
    from: from(SOURCE),
    text: 'on',
    id: 'u9',
    submitted: 'person' as const,
  };
  const { effects } = it.take(wrote, 120_000);
  return { ...it, effects };
}
const uncertain = TRANSFERS['uncertain'] as Transfer;
const silent = TRANSFERS['delivering'] as Transfer;

describe('is ended at the delivery service', () => {
  it.each([
    ['one that is in doubt', uncertain],
    ['one that the service never spoke of', silent],
  ])('%s: written down before it is asked, and asked until it is answered', (_name, transfer) => {
    verifies('extension.handoff');
    const it = left(transfer);
    expect(it.ends(it.effects)).toBe(1);
    expect(Object.keys(it.state().endings)).toEqual([transfer.id]);
    expect(it.view()).toMatchObject({ phase: 'failed', reason: 'delivery_uncertain', copy: null });
    it.says(null);
    expect(it.ends(it.take({ type: 'tick' }, 5_000).effects)).toBe(0);
    expect(it.ends(it.take({ type: 'tick' }, 30_000).effects)).toBe(1);
    expect(it.ends(it.take({ type: 'started' }).effects)).toBe(1);
    it.says(view({ delivery_state: 'stopped', execution_state: 'stopped', reason: 'withdrawn' }));
    expect(it.state().endings).toEqual({});
    // Proved: nothing of it will come, so the words may be had by hand.
    expect(it.view()).toMatchObject({ phase: 'failed', reason: 'taken_over', copy: messageOf() });
    expect(it.ends(it.take({ type: 'tick' }, 30_000).effects)).toBe(0);
  });

  it('and where it had happened, that is said, and nothing is offered', () => {
    verifies('extension.handoff');
    const it = left(uncertain);
    it.says(applied);
    expect(it.view()).toMatchObject({ phase: 'failed', reason: 'delivered_before', copy: null, target: TARGET });
    expect(it.state().endings).toEqual({});
  });

  it('where a browser has it, it is asked until that one has told; what stays in doubt stays in doubt', () => {
    verifies('extension.handoff');
    const it = left(uncertain);
    it.says(view({ execution_state: 'submitted' }));
    expect(Object.keys(it.state().endings)).toHaveLength(1);
    it.says(view({ execution_state: 'submitted', reason: 'no_session_seen' }));
    expect(it.state().endings).toEqual({});
    expect(it.view()).toMatchObject({ phase: 'failed', reason: 'delivery_uncertain', copy: null });
  });

  it('a service that never answers is not asked for ever, and proves nothing', () => {
    const it = left(uncertain);
    it.take({ type: 'tick' }, 11 * 60_000);
    expect(it.state().endings).toEqual({});
    expect(it.view()).toMatchObject({ phase: 'failed', reason: 'delivery_uncertain', copy: null });
  });

  it('its answer is about the handoff that was ended, not about a later one of the same chat', () => {
    const it = left(uncertain);
    it.take({ type: 'page', from: from(SOURCE), state: QUIET });
    const again = { type: 'action' as const, action: { name: 'handoff' as const }, id: 'b'.repeat(32), fresh: null };
    it.take({ ...again, from: from(SOURCE) });
    expect(it.view()?.phase).toBe('preparing');
    it.says('never');
    expect(it.view()).toMatchObject({ phase: 'preparing', copy: null });
    expect(it.state().endings).toEqual({});
  });

  it('a clock that is put back by a day keeps it waiting for no day', () => {
    const it = left(uncertain);
    const asked = [-86_400_000, 30_000].map((ms) => it.ends(it.take({ type: 'tick' }, ms).effects));
    expect(asked.some((count) => count > 0)).toBe(true);
  });
});

describe('whatever this browser was about to do for it', () => {
  const command = {
    protocol: 'herdr-browser-actuation/v1' as const,
    actuation_id: 'ba_0000000000000001',
    dispatch_id: BD,
    operation: 'session.create' as const,
    provider: 'chatgpt',
    expected_generation: 1,
    account_ref: null,
    session: null,
    space: null,
    source_url: SOURCE,
    message: messageOf(),
  };

  it('is refused before a page is opened', () => {
    verifies('extension.handoff');
    const it = left(uncertain);
    it.take({ type: 'actuations', waiting: [command.actuation_id], claimant: 'life1xxx' });
    const event = { type: 'claimed' as const, command };
    const { effects } = it.take({ type: 'actuation', id: command.actuation_id, event });
    expect(effects).toMatchObject([
      { type: 'actuate', wants: { type: 'report', evidence: { command_accepted: false, refused: 'taken_over' } } },
    ]);
  });
});

describe('in the whole worker', () => {
  const wrote = {
    type: 'turn_accepted' as const,
    from: { tab: 7, document: 'd7', version: '1.0.0', page: chat(CHAT, project()) },
    text: 'go on here',
    submitted: 'person' as const,
  };

  it('a dispatch that no browser has taken yet is never taken', async () => {
    verifies('extension.handoff');
    const options = { asleep: true };
    const it = handoffWorld(options);
    await it.begin();
    await it.press();
    for (let tick = 0; tick < 8; tick += 1) await it.tick();
    expect((await it.hud()).handoff?.phase).toBe('uncertain');
    await it.take(wrote);
    expect((await it.hud()).handoff).toMatchObject({ phase: 'failed', reason: 'taken_over' });
    // The browser hears of it only now.
    options.asleep = false;
    for (let tick = 0; tick < 4; tick += 1) await it.tick();
    expect(it.turns).toEqual({});
    expect(it.opened).toEqual([]);
    expect(Object.values((await it.state()).bindings)[0]?.target?.conversation).toBe(CHAT);
  });

  it('a worker that dies while it is ended ends it all the same', async () => {
    verifies('extension.handoff');
    const played = async (stopAt?: number) => {
      const options = { asleep: true, ...(stopAt === undefined ? {} : { stopAt }) };
      const it = handoffWorld(options);
      await it.begin();
      await it.press();
      for (let tick = 0; tick < 8; tick += 1) await it.tick();
      const before = it.steps();
      let reply = await it.take(wrote);
      while (!reply.ok && reply.reason === 'storage_unavailable') reply = await it.take(wrote);
      await it.tick();
      options.asleep = false;
      await it.tick();
      return { it, before, after: it.steps() };
    };
    const { before, after } = await played();
    expect(after - before).toBeGreaterThan(6);
    for (let stopAt = before + 1; stopAt <= after; stopAt += 1) {
      const { it } = await played(stopAt);
      expect(it.turns, `stopped at ${stopAt}`).toEqual({});
      expect((await it.state()).transfers, `stopped at ${stopAt}`).toEqual({});
    }
  });
});
