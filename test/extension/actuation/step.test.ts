/** An act for the delivery service, from its first question to what is told of it, whatever happens in between. */
import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../../contract/browser/dispatch.ts';
import { type Actuation, actuate, begin, type Facts } from '../../../extension/machines/actuation/index.ts';
import { judge } from '../../../runtime-a-b/browser/dispatch/judge.ts';
import { verifies } from '../../verifies.ts';
import { ACCOUNT, at, CHAT, command, eventsOf, FACTS, ID, MARK, NOW, PHASES, REF } from './acts.ts';

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
