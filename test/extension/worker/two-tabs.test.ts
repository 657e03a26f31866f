/** Two tabs show one chat: what is asked for a caller is done in neither; an answer is stopped where it is being written. */
import { describe, expect, it } from 'vitest';
import type { ActuationCommand } from '../../../contract/browser/actuation.ts';
import { OPERATIONS, type Operation } from '../../../contract/browser/dispatch.ts';
import { startObjection } from '../../../extension/machines/worker/handoff-guards.ts';
import { type Effect, type Event, type State, step } from '../../../extension/machines/worker/index.ts';
import { EMPTY } from '../../../extension/machines/worker/state.ts';
import type { PageState } from '../../../extension/messages.ts';
import { verifies } from '../../verifies.ts';
import { CHAT, chat, QUIET } from './chat.ts';

const ID = `ba_${'1'.repeat(16)}`;
const ENV = { now: 1_764_500_000_000, language: 'en' } as const;

const command = (operation: Operation): ActuationCommand => ({
  protocol: 'herdr-browser-actuation/v1',
  actuation_id: ID,
  dispatch_id: `bd_${'2'.repeat(64)}`,
  operation,
  provider: 'chatgpt',
  expected_generation: 3,
  account_ref: null,
  session: operation === 'session.create' ? null : { session_ref: `br_${'a'.repeat(64)}`, canonical_url: CHAT },
  space: null,
  source_url: operation === 'session.create' ? CHAT : null,
  message: operation === 'session.create' || operation === 'composer.submit' ? 'Go on.' : null,
});

/** A browser whose tabs, numbered from 1, show the chat; what it does once the command is there. */
function asked(operation: Operation, ...tabs: Partial<PageState>[]): { state: State; wants: object[] } {
  let state: State = {
    ...EMPTY,
    tabs: Object.fromEntries(
      tabs.map((given, at) => [
        at + 1,
        { document: `d${at}`, version: '1', page: chat(), state: { ...QUIET, visible: at === 0, ...given } },
      ]),
    ),
  };
  let effects: readonly Effect[] = [];
  const take = (event: Event) => {
    const next = step(state, event, ENV);
    state = next.state;
    effects = next.effects;
  };
  take({ type: 'actuations', waiting: [ID], claimant: 'life-one' });
  take({ type: 'actuation', id: ID, event: { type: 'claimed', command: command(operation) } });
  return { state, wants: effects.flatMap((effect) => (effect.type === 'actuate' ? [effect.wants] : [])) };
}

const AMBIGUOUS = {
  type: 'report',
  evidence: { command_accepted: false, refused: 'browser_canonical_url_ambiguous' },
};

describe('one chat in two tabs', () => {
  it.each(OPERATIONS.filter((one) => one !== 'session.create'))('%s is done in neither', (operation) => {
    verifies('bridge.two-tabs');
    expect(asked(operation, {}).wants).toMatchObject([{ type: 'check', tab: 1 }]);
    expect(asked(operation, {}, {}).wants).toMatchObject([AMBIGUOUS]);
    // Also when only one of them is in sight, or the other is in the middle of something.
    expect(asked(operation, {}, { draft: true, visible: false }).wants).toMatchObject([AMBIGUOUS]);
  });

  it('a new chat beside it is nobody’s tab but its own', () => {
    expect(asked('session.create', {}, {}).wants).toMatchObject([{ type: 'open' }]);
  });

  it('an answer is stopped where it is being written, when it is known to be written in one of them only', () => {
    verifies('bridge.two-tabs');
    const [writing, unread] = [{ busy: true }, { busy: null }];
    expect(asked('generation.stop', {}, writing).wants).toMatchObject([{ type: 'check', tab: 2 }]);
    expect(asked('generation.stop', writing, {}, {}).wants).toMatchObject([{ type: 'check', tab: 1 }]);
    for (const tabs of [
      [writing, writing],
      [writing, unread],
      [unread, {}],
    ])
      expect(asked('generation.stop', ...tabs).wants, JSON.stringify(tabs)).toMatchObject([AMBIGUOUS]);
    // What ends the chat, or says something in it, has no such tab.
    expect(asked('composer.submit', {}, writing).wants).toMatchObject([AMBIGUOUS]);
    expect(asked('session.archive', {}, writing).wants).toMatchObject([AMBIGUOUS]);
  });

  it('is handed over in no turn of either', () => {
    verifies('bridge.two-tabs');
    const objection = (...tabs: Partial<PageState>[]) => {
      const state: State = { ...asked('session.create', ...tabs).state, link: 'connected' };
      return startObjection(state, chat(), 1, null);
    };
    expect(objection({}, {})).toBeNull();
    for (const tabs of [
      [{}, { busy: true }],
      [{ busy: null }, {}],
    ])
      expect(objection(...tabs), JSON.stringify(tabs)).toBe('turn_in_progress');
    expect(objection({}, { card: true })).toBe('card_waiting');
  });

  it('is archived as soon as its turn is over', () => {
    verifies('bridge.archive');
    const { state, wants } = asked('session.archive', { busy: true });
    expect(wants).toMatchObject([{ type: 'defer', reason: 'turn_in_progress' }]);
    const from = { tab: 1, document: 'd0', version: '1', page: chat() };
    const { effects } = step(state, { type: 'turn_ended', from }, ENV);
    expect(effects).toMatchObject([{ type: 'actuate', wants: { type: 'check', tab: 1 } }]);
  });

  it('is done when the other tab has gone', () => {
    const { state } = asked('session.open', {}, {});
    expect(state.actuations[ID]?.phase).toBe('reporting');
    const { 2: _closed, ...tabs } = state.tabs;
    const fresh = { ...state, tabs, actuations: {} };
    const begun = step(fresh, { type: 'actuations', waiting: [ID], claimant: 'life-one' }, ENV).state;
    const next = step(
      begun,
      { type: 'actuation', id: ID, event: { type: 'claimed', command: command('session.open') } },
      ENV,
    );
    expect(next.effects).toMatchObject([{ type: 'actuate', wants: { type: 'check', tab: 1 } }]);
  });
});
