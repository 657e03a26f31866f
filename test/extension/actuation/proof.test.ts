/** Archiving, showing, two tabs of a chat: each act goes on when its page is ready, and is told as done when that was seen. */
import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../contract/browser/dispatch.ts';
import { type Actuation, actuate, type Facts } from '../../../extension/machines/actuation/index.ts';
import { judge } from '../../../runtime-a-b/browser/dispatch/judge.ts';
import { verifies } from '../../verifies.ts';
import { at, command, FACTS, HOME, ID, MARK, NOW, REF } from './acts.ts';

describe('what an act waits for, and what it proves', () => {
  it('archives under no turn: it says why it waits, goes on when the chat is quiet, and gives up with that reason', () => {
    verifies('bridge.archive');
    const [quiet, turn] = [FACTS.ready as Facts, FACTS.turn as Facts];
    const claimed = { type: 'claimed', command: command('session.archive') } as const;
    const waiting = actuate(at('claiming', 'session.archive', 0), claimed, turn);
    expect(waiting.effects).toMatchObject([{ type: 'defer', reason: 'turn_in_progress' }]);
    const one = waiting.actuation as Actuation;
    expect(one.phase).toBe('deferring');
    expect(actuate(one, { type: 'look' }, turn).effects).toEqual([]);
    expect(actuate(one, { type: 'look' }, { ...turn, unquiet: 'user_typing' }).effects).toMatchObject([
      { type: 'defer', reason: 'user_typing' },
    ]);
    const checking = actuate(one, { type: 'look' }, quiet);
    expect(checking.effects).toMatchObject([{ type: 'check' }]);
    // The turn that began while it was asked is not ended either.
    const again = actuate(
      checking.actuation as Actuation,
      { type: 'checked', answer: 'confirmed', account: MARK },
      turn,
    );
    expect(again.actuation?.phase).toBe('deferring');
    expect(again.effects.some(({ type }) => type === 'press')).toBe(false);
    expect(actuate(one, { type: 'look' }, { ...turn, now: NOW + 9 * 60_000 + 1 }).effects).toMatchObject([
      { type: 'report', evidence: { command_accepted: false, refused: 'turn_in_progress' } },
    ]);
    // Only an archive ends the chat: a stop is meant for a turn.
    const stop = { type: 'claimed', command: command('generation.stop') } as const;
    expect(actuate(at('claiming', 'generation.stop', 0), stop, turn).effects).toMatchObject([{ type: 'check' }]);
  });

  it('looks for what was pressed until the site says so, and presses it no second time', () => {
    verifies('bridge.archive');
    const facts = { ...(FACTS.ready as Facts), now: NOW };
    const late = { type: 'pressed', pressed: true, stopped: false, reason: 'server_unknown' } as const;
    for (const event of [late, { type: 'restarted' } as const]) {
      const step = actuate(at('pressing', 'session.archive', 0), event, facts);
      expect(step.actuation?.phase).toBe('proving');
      expect(step.effects).toMatchObject([{ type: 'prove', tab: 9 }]);
      const one = step.actuation as Actuation;
      expect(actuate(one, { type: 'proved', done: false }, facts).effects).toEqual([]);
      const seen = actuate(one, { type: 'proved', done: true }, facts);
      expect(seen.effects).toMatchObject([{ type: 'put_away', tab: 9, home: HOME, opened: false }]);
      const proved = actuate(seen.actuation as Actuation, { type: 'put_away', tab: 'kept_in_use' }, facts);
      expect(proved.effects).toMatchObject([
        { type: 'report', evidence: { lifecycle: 'archived', session_ref: REF, tab: 'kept_in_use' } },
      ]);
      const [told] = proved.effects;
      if (told?.type !== 'report') throw new Error('nothing was told');
      const planned = { operation: 'session.archive', expectedGeneration: 3, sessionRef: REF } as const;
      expect(judge(planned, told.evidence)).toMatchObject({ delivery: 'applied' });
      const [doubt] = actuate(one, { type: 'look' }, { ...facts, now: NOW + 90_001 }).effects;
      if (doubt?.type !== 'report') throw new Error('nothing was told');
      expect(judge(planned, doubt.evidence)).toMatchObject({ delivery: 'uncertain' });
    }
    // A page that was only slow, and pressed nothing, is believed.
    const slow = actuate(
      at('proving', 'session.archive', 0),
      { type: 'pressed', pressed: false, stopped: false, reason: 'turn_in_progress' },
      facts,
    );
    expect(slow.effects).toMatchObject([{ type: 'report', evidence: { refused: 'turn_in_progress' } }]);
  });

  it('says what became of the tab of an archived chat: put away only in a Project, asked for again, never twice told', () => {
    verifies('bridge.archive-tab');
    const facts = { ...(FACTS.ready as Facts), now: NOW };
    const pressed = { type: 'pressed', pressed: true, stopped: true, reason: null } as const;
    const plain = { ...at('pressing', 'session.archive', 0), command: { ...command('session.archive'), space: null } };
    expect(actuate(plain, pressed, facts).effects).toMatchObject([
      { type: 'report', evidence: { lifecycle: 'archived', tab: 'kept' } },
    ]);
    const closing = actuate(at('pressing', 'session.archive', 1), pressed, facts);
    const asks = { type: 'put_away', id: ID, tab: 9, home: HOME, opened: true };
    expect(closing).toMatchObject({ actuation: { phase: 'closing' }, effects: [asks] });
    const one = closing.actuation as Actuation;
    // The worker that asked is gone. Whoever closed it is who says what became of the tab.
    expect(actuate(one, { type: 'restarted' }, facts).effects).toEqual([asks]);
    expect(actuate(one, { type: 'look' }, { ...facts, tab: 'gone' }).effects).toEqual([]);
    expect(actuate(one, { type: 'look' }, facts).effects).toEqual([]);
    // Nobody says what became of it: it is not said to be closed.
    expect(actuate(one, { type: 'look' }, { ...facts, now: NOW + 30_001 }).effects).toMatchObject([
      { type: 'report', evidence: { lifecycle: 'archived', tab: 'kept_home_not_seen' } },
    ]);
    const told = actuate(one, { type: 'put_away', tab: 'closed' }, facts);
    expect(told.effects).toMatchObject([{ type: 'report', evidence: { lifecycle: 'archived', tab: 'closed' } }]);
  });

  it('does nothing to a chat that two tabs show, and says that it is ambiguous', () => {
    verifies('bridge.two-tabs');
    const several = FACTS.several as Facts;
    const ambiguous = { command_accepted: false, refused: 'browser_canonical_url_ambiguous' };
    for (const operation of OPERATIONS.filter((one) => one !== 'session.create')) {
      const claimed = actuate(at('claiming', operation, 0), { type: 'claimed', command: command(operation) }, several);
      expect(claimed.effects, operation).toMatchObject([{ type: 'report', evidence: ambiguous }]);
      // The second one came while it was asked.
      const confirmed = { type: 'checked', answer: 'confirmed', account: MARK } as const;
      const checked = actuate(at('checking', operation, 0), confirmed, several);
      expect(checked.effects, operation).toMatchObject([{ type: 'report', evidence: ambiguous }]);
      const [told] = checked.effects;
      if (told?.type !== 'report') throw new Error('nothing was told');
      const planned = { operation, expectedGeneration: 3, sessionRef: REF };
      expect(judge(planned, told.evidence)).toMatchObject({ delivery: 'rejected', reason: ambiguous.refused });
    }
    // What the books say in between may be old: the tabs are asked with the last question.
    const waiting = actuate(at('deferring', 'session.archive', 0), { type: 'look' }, several);
    expect(waiting.effects).toMatchObject([{ type: 'check', tab: 9 }]);
    const lost = { ...several, tab: 'elsewhere' as const };
    expect(actuate(at('checking', 'session.open', 0), { type: 'look' }, lost).effects).toMatchObject([
      { type: 'report', evidence: ambiguous },
    ]);
    // A new chat is no tab’s but its own.
    const fresh = actuate(
      at('checking', 'session.create', 1),
      { type: 'checked', answer: 'confirmed', account: MARK },
      several,
    );
    expect(fresh.effects).toMatchObject([{ type: 'send' }]);
  });

  it('shows a chat: told as shown only when its page says that it can be seen', () => {
    verifies('bridge.shown');
    const [seen, hidden] = [FACTS.ready as Facts, FACTS.hidden as Facts];
    const confirmed = { type: 'checked', answer: 'confirmed', account: MARK } as const;
    const front = actuate(at('checking', 'session.open', 0), confirmed, seen);
    expect(front.effects.map(({ type }) => type)).toEqual(['show', 'name']);
    const behind = actuate(at('checking', 'session.open', 0), confirmed, hidden);
    expect(behind.effects).toEqual([{ type: 'show', tab: 9 }]);
    const one = behind.actuation as Actuation;
    expect(actuate(one, { type: 'look' }, hidden).effects).toEqual([]);
    expect(actuate(one, { type: 'restarted' }, hidden).effects).toEqual([{ type: 'show', tab: 9 }]);
    expect(actuate(one, { type: 'look' }, seen).effects).toMatchObject([{ type: 'name', tab: 9 }]);
    const late = actuate(one, { type: 'look' }, { ...hidden, now: NOW + 60_000 });
    expect(late.effects).toMatchObject([
      { type: 'report', evidence: { command_accepted: false, reason: 'not_visible' } },
    ]);
    // In the place of the chat something else came up.
    const left = actuate(one, { type: 'look' }, { ...seen, tab: 'elsewhere' });
    expect(left.effects).toEqual([]);
  });
});
