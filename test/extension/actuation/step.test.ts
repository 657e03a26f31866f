import { describe, expect, it } from 'vitest';
import type { ActuationCommand } from '../../../contract/browser/actuation.ts';
import { OPERATIONS, type Operation } from '../../../contract/browser/dispatch.ts';
import {
  type Actuation,
  type ActuationEvent,
  actuate,
  begin,
  type Facts,
} from '../../../extension/machines/actuation/index.ts';
import { judge } from '../../../runtime-a-b/browser/dispatch/judge.ts';
import { verifies } from '../../verifies.ts';

const NOW = 1_764_500_000_000;
const ID = `ba_${'1'.repeat(16)}`;
const CHAT = 'https://chatgpt.com/c/11111111-aaaa';
const REF = `br_${'a'.repeat(64)}`;
const ACCOUNT = `br_${'c'.repeat(64)}`;
const SPACE = `br_${'d'.repeat(64)}`;
const HOME = 'https://chatgpt.com/g/g-p-0123456789abcdef0123456789abcdef';
const MARK = { salt: 's', digest: 'd' };

const command = (operation: Operation): ActuationCommand => ({
  protocol: 'herdr-browser-actuation/v1',
  actuation_id: ID,
  dispatch_id: `bd_${'2'.repeat(64)}`,
  operation,
  provider: 'chatgpt',
  expected_generation: 3,
  account_ref: ACCOUNT,
  session: operation === 'session.create' ? null : { session_ref: REF, canonical_url: CHAT },
  space: operation === 'session.archive' ? { space_ref: SPACE, canonical_url: HOME } : null,
  source_url: null,
  message: operation === 'session.create' || operation === 'composer.submit' ? 'Go on.' : null,
});

const PHASES: readonly Actuation['phase'][] = [
  'claiming',
  'opening',
  'loading',
  'deferring',
  'checking',
  'sending',
  'pressing',
  'proving',
  'closing',
  'showing',
  'naming',
  'reporting',
  'doubting',
];
const at = (phase: Actuation['phase'], operation: Operation, openings: number): Actuation => ({
  id: ID,
  claimant: 'life:1',
  phase,
  command: phase === 'claiming' ? null : command(operation),
  tab: phase === 'claiming' || phase === 'opening' ? null : 9,
  openings,
  account: null,
  deferred: null,
  evidence:
    phase === 'proving' || phase === 'closing' || phase === 'naming' || phase === 'reporting' || phase === 'doubting'
      ? {
          observed_generation: 3,
          command_accepted: phase === 'doubting' ? null : true,
          accepted_message_ref: 'm1',
          canonical_url: CHAT,
          ...(phase === 'closing' ? { lifecycle: 'archived', session_ref: REF } : {}),
        }
      : null,
  createdAt: NOW,
  since: NOW,
  askedAt: NOW,
});

const eventsOf = (operation: Operation): Record<string, ActuationEvent> => ({
  claimed: { type: 'claimed', command: command(operation) },
  objected: { type: 'claimed', command: command(operation), objection: 'workspace_busy' },
  taken: { type: 'claimed', command: null },
  nobody: { type: 'claimed', command: 'unknown' },
  opened: { type: 'opened', tab: 9 },
  notOpened: { type: 'opened', tab: null },
  confirmed: { type: 'checked', answer: 'confirmed', account: MARK },
  busy: { type: 'checked', answer: 'later', account: MARK },
  forbidden: { type: 'checked', answer: 'over', account: MARK },
  forbiddenSince: { type: 'checked', answer: 'refused', reason: 'consent_withdrawn', account: null },
  confirmedForNobody: { type: 'checked', answer: 'confirmed', account: null },
  proved: { type: 'proved', done: true },
  unproved: { type: 'proved', done: null },
  sent: { type: 'delivered', as: 'sent', reason: null, messageId: 'm1', conversation: CHAT },
  sentUnnamed: { type: 'delivered', as: 'sent', reason: null, messageId: null, conversation: null },
  blocked: { type: 'delivered', as: 'blocked', reason: 'user_typing', messageId: null, conversation: null },
  doubted: { type: 'delivered', as: 'uncertain', reason: 'delivery_uncertain', messageId: null, conversation: null },
  pressed: { type: 'pressed', pressed: true, stopped: true, reason: null },
  notPressed: { type: 'pressed', pressed: false, stopped: false, reason: 'page_unreadable' },
  pressLost: { type: 'pressed', pressed: null, stopped: false, reason: 'page_gone' },
  closed: { type: 'put_away', tab: 'closed' },
  inUse: { type: 'put_away', tab: 'kept_in_use' },
  named: { type: 'named', ref: REF, generation: 3, message: 'm1' },
  unnamed: { type: 'named', ref: null, generation: null, message: null },
  told: { type: 'reported', answer: 'told' },
  over: { type: 'reported', answer: 'over' },
  untold: { type: 'reported', answer: null },
  look: { type: 'look' },
  restarted: { type: 'restarted' },
});
const FACTS: Record<string, Facts> = {
  ready: { now: NOW + 1_000, tab: 'ready', open: 9, conversation: CHAT, unquiet: null, visible: true },
  turn: { now: NOW + 1_000, tab: 'loading', open: 9, conversation: CHAT, unquiet: 'turn_in_progress', visible: true },
  loading: { now: NOW + 1_000, tab: 'loading', open: null, conversation: null, unquiet: null, visible: true },
  elsewhere: { now: NOW + 30_000, tab: 'elsewhere', open: null, conversation: null, unquiet: null, visible: true },
  gone: { now: NOW + 30_000, tab: 'gone', open: null, conversation: null, unquiet: null, visible: true },
  long: { now: NOW + 300_000, tab: 'ready', open: 9, conversation: CHAT, unquiet: null, visible: true },
  several: { now: NOW + 1_000, tab: 'ready', open: 'several', conversation: CHAT, unquiet: null, visible: true },
  hidden: { now: NOW + 1_000, tab: 'ready', open: 9, conversation: CHAT, unquiet: null, visible: false },
  clockBack: { now: NOW - 300_000, tab: 'loading', open: null, conversation: null, unquiet: null, visible: true },
};

describe('an act for the delivery service, every phase × every event', () => {
  it.each(OPERATIONS)('%s: presses once, and claims nothing that it has not seen', (operation) => {
    verifies('extension.handoff', 'bridge.local-agents');
    let cases = 0;
    for (const phase of PHASES)
      for (const openings of [1, 2])
        for (const [name, event] of Object.entries(eventsOf(operation)))
          for (const [around, facts] of Object.entries(FACTS)) {
            cases += 1;
            const where = `${phase}/${openings} × ${name} (${around})`;
            const { actuation, effects } = actuate(at(phase, operation, openings), event, facts);
            // What presses is asked for only on the way into its phase, never while or after it.
            if (effects.some(({ type }) => type === 'send' || type === 'press')) {
              expect([phase, name], where).toEqual(['checking', 'confirmed']);
              if (operation === 'session.archive') expect(facts.unquiet, where).toBeNull();
              if (operation !== 'session.create') expect(facts.open, where).not.toBe('several');
              expect(effects, where).toMatchObject([{ account: MARK }]);
            }
            for (const effect of effects) {
              if (effect.type === 'open') expect(effect.id, where).toBe(ID);
              if (effect.type !== 'report') continue;
              const verdict = judge(
                { operation, expectedGeneration: 3, sessionRef: operation === 'session.create' ? '' : REF },
                effect.evidence,
              );
              const mayHavePressed = [
                'sending',
                'pressing',
                'proving',
                'closing',
                'naming',
                'reporting',
                'doubting',
              ].includes(phase);
              // Proved undelivered only while nothing was pressed, or when the page itself says that it pressed nothing.
              if (verdict.delivery !== 'applied' && verdict.delivery !== 'uncertain')
                expect(!mayHavePressed || name === 'blocked' || name === 'notPressed', where).toBe(true);
              // A chat that was archived shows nothing any more that could be named: its own press is the last look.
              if (verdict.delivery === 'applied')
                expect(
                  ['naming', 'closing', 'reporting'].includes(phase) || ['pressed', 'proved'].includes(name),
                  where,
                ).toBe(true);
            }
            // A tab is put away for an archive that was seen, and for nothing else.
            if (effects.some(({ type }) => type === 'put_away'))
              expect([operation, actuation?.evidence?.lifecycle], where).toEqual(['session.archive', 'archived']);
            if (actuation === null) expect(['taken', 'told', 'over', 'forbidden'], where).toContain(name);
          }
    expect(cases).toBe(PHASES.length * 2 * 29 * 9);
  });

  it('asks again for what may be asked again, under the name that it wrote down', () => {
    const first = begin(ID, 'life:1', NOW);
    expect(first.effects).toEqual([{ type: 'claim', id: ID, claimant: 'life:1' }]);
    const [soon, later] = [FACTS.ready, FACTS.elsewhere];
    if (!first.actuation || !soon || !later) throw new Error('no actuation');
    expect(actuate(first.actuation, { type: 'look' }, soon).effects).toEqual([]);
    expect(actuate(first.actuation, { type: 'restarted' }, soon).effects).toEqual(first.effects);
    expect(actuate(first.actuation, { type: 'look' }, later).effects).toEqual(first.effects);
  });

  it('a machine that slept tells what it had done, late, and does nothing that it had not begun', () => {
    verifies('bridge.local-agents');
    const slept = { ...(FACTS.ready as Facts), now: NOW + 8 * 3_600_000 };
    const sent = { type: 'delivered', as: 'sent', reason: null, messageId: 'm1', conversation: CHAT } as const;
    const { actuation, effects } = actuate(at('sending', 'composer.submit', 0), sent, slept);
    expect([actuation?.phase, effects]).toMatchObject(['naming', [{ type: 'name' }]]);
    for (const [phase, type] of [
      ['naming', 'name'],
      ['reporting', 'report'],
    ] as const)
      expect(actuate(at(phase, 'composer.submit', 0), { type: 'restarted' }, slept).effects).toMatchObject([
        { type: phase === 'naming' ? 'report' : type },
      ]);
    // Certain: it was never begun. The runtime hears that, instead of waiting for nobody.
    for (const phase of ['loading', 'deferring', 'checking'] as const) {
      const over = actuate(
        at(phase, 'session.archive', 0),
        { type: 'look' },
        { ...slept, unquiet: 'user_typing', tab: 'loading' },
      );
      expect(over.effects, phase).toMatchObject([{ type: 'report', evidence: { command_accepted: false } }]);
    }
    // What nobody gave it yet is nobody's any more; and after a day nobody waits for anything.
    expect(actuate(at('claiming', 'composer.submit', 0), { type: 'look' }, slept).actuation).toBeNull();
    const day = { ...slept, now: NOW + 25 * 3_600_000 };
    expect(actuate(at('reporting', 'composer.submit', 0), { type: 'look' }, day).actuation).toBeNull();
  });

  it('asks who is signed in before it begins, as often as it is not answered, and does nothing when it may not', () => {
    verifies('bridge.accounts');
    const facts = FACTS.ready as Facts;
    for (const operation of OPERATIONS.filter((one) => one !== 'session.create')) {
      const claimed = { ...at('claiming', operation, 0), tab: null };
      const first = actuate(claimed, { type: 'claimed', command: command(operation) }, facts);
      expect(first.effects, operation).toMatchObject([{ type: 'check', tab: 9, command: { account_ref: ACCOUNT } }]);
      const checking = first.actuation as Actuation;
      expect(actuate(checking, { type: 'restarted' }, facts).effects, operation).toMatchObject([{ type: 'check' }]);
      const over = actuate(checking, { type: 'checked', answer: 'over', account: MARK }, facts);
      expect(over, operation).toEqual({ actuation: null, effects: [] });
      expect(actuate(checking, { type: 'checked', answer: 'later', account: MARK }, facts).effects).toEqual([]);
    }
    // It was allowed to begin, the answer was lost, and now it may not: it has not begun, and that is certain.
    const refused = actuate(
      at('checking', 'composer.submit', 0),
      { type: 'checked', answer: 'refused', reason: 'account_changed', account: null },
      facts,
    );
    expect(refused.effects).toMatchObject([
      { type: 'report', evidence: { command_accepted: false, refused: 'account_changed' } },
    ]);
    // Allowed, and nobody to hold the page to: another account may be signed in by then.
    const nobody = actuate(
      at('checking', 'composer.submit', 0),
      { type: 'checked', answer: 'confirmed', account: null },
      facts,
    );
    expect(nobody.effects).toMatchObject([
      { type: 'report', evidence: { command_accepted: false, refused: 'account_unknown' } },
    ]);
    // A page that was opened for nothing is closed again, and only that one.
    const opened = actuate(
      at('checking', 'session.create', 1),
      { type: 'checked', answer: 'over', account: null },
      facts,
    );
    expect(opened).toEqual({ actuation: null, effects: [{ type: 'close', tab: 9 }] });
  });

  it('asks another tab of the chat when its own is gone, and opens the chat when none shows it', () => {
    const gone = { ...(FACTS.loading as Facts), now: NOW + 1_000 };
    const elsewhere = actuate(at('checking', 'composer.submit', 0), { type: 'look' }, { ...gone, open: 12 });
    expect(elsewhere.effects).toMatchObject([{ type: 'check', tab: 12 }]);
    expect(actuate(at('checking', 'composer.submit', 0), { type: 'look' }, gone).effects).toMatchObject([
      { type: 'open' },
    ]);
    // An answer that nobody can see is not stopped by opening its chat.
    expect(actuate(at('checking', 'generation.stop', 0), { type: 'look' }, gone).effects).toMatchObject([
      { type: 'report', evidence: { reason: 'no_tab' } },
    ]);
  });

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

  it('a tab that was opened for what was then not done is put away again, whatever the act', () => {
    const facts = { ...(FACTS.ready as Facts), tab: 'gone' as const };
    const over = { type: 'checked', answer: 'over', account: MARK } as const;
    for (const operation of OPERATIONS.filter((one) => one !== 'generation.stop')) {
      expect(actuate(at('checking', operation, 1), over, facts).effects, operation).toEqual([
        { type: 'close', tab: 9 },
      ]);
      expect(actuate(at('checking', operation, 0), over, facts).effects, operation).toEqual([]);
    }
  });

  it('a worker that died while it opened a tab opens one more, and no third', () => {
    const [soon] = [FACTS.loading];
    if (!soon) throw new Error('no facts');
    expect(actuate(at('opening', 'session.create', 1), { type: 'restarted' }, soon).effects).toMatchObject([
      { type: 'open' },
    ]);
    expect(actuate(at('opening', 'session.create', 2), { type: 'restarted' }, soon).effects).toMatchObject([
      { type: 'report', evidence: { command_accepted: false, reason: 'tab_not_opened' } },
    ]);
  });
});
