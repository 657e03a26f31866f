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

const command = (operation: Operation): ActuationCommand => ({
  protocol: 'herdr-browser-actuation/v1',
  actuation_id: ID,
  dispatch_id: `bd_${'2'.repeat(64)}`,
  operation,
  provider: 'chatgpt',
  expected_generation: 3,
  session: operation === 'session.create' ? null : { session_ref: REF, canonical_url: CHAT },
  space: null,
  source_url: null,
  message: operation === 'session.create' || operation === 'composer.submit' ? 'Go on.' : null,
});

const PHASES: readonly Actuation['phase'][] = [
  'claiming',
  'opening',
  'loading',
  'sending',
  'pressing',
  'naming',
  'reporting',
];
const at = (phase: Actuation['phase'], operation: Operation, openings: number): Actuation => ({
  id: ID,
  claimant: 'life:1',
  phase,
  command: phase === 'claiming' ? null : command(operation),
  tab: phase === 'claiming' || phase === 'opening' ? null : 9,
  openings,
  evidence:
    phase === 'naming' || phase === 'reporting'
      ? { observed_generation: 3, command_accepted: true, accepted_message_ref: 'm1', canonical_url: CHAT }
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
  sent: { type: 'delivered', as: 'sent', reason: null, messageId: 'm1', conversation: CHAT },
  sentUnnamed: { type: 'delivered', as: 'sent', reason: null, messageId: null, conversation: null },
  blocked: { type: 'delivered', as: 'blocked', reason: 'user_typing', messageId: null, conversation: null },
  doubted: { type: 'delivered', as: 'uncertain', reason: 'delivery_uncertain', messageId: null, conversation: null },
  pressed: { type: 'pressed', pressed: true, stopped: true, reason: null },
  notPressed: { type: 'pressed', pressed: false, stopped: false, reason: 'page_unreadable' },
  pressLost: { type: 'pressed', pressed: null, stopped: false, reason: 'page_gone' },
  named: { type: 'named', ref: REF, generation: 3, message: 'm1' },
  unnamed: { type: 'named', ref: null, generation: null, message: null },
  told: { type: 'reported', answer: 'told' },
  over: { type: 'reported', answer: 'over' },
  untold: { type: 'reported', answer: null },
  look: { type: 'look' },
  restarted: { type: 'restarted' },
});
const FACTS: Record<string, Facts> = {
  ready: { now: NOW + 1_000, tab: 'ready', open: 9, conversation: CHAT },
  loading: { now: NOW + 1_000, tab: 'loading', open: null, conversation: null },
  elsewhere: { now: NOW + 30_000, tab: 'elsewhere', open: null, conversation: null },
  gone: { now: NOW + 30_000, tab: 'gone', open: null, conversation: null },
  long: { now: NOW + 300_000, tab: 'ready', open: 9, conversation: CHAT },
  clockBack: { now: NOW - 300_000, tab: 'loading', open: null, conversation: null },
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
            if (effects.some(({ type }) => type === 'send' || type === 'press'))
              expect(['claiming', 'loading'], where).toContain(phase);
            for (const effect of effects) {
              if (effect.type === 'open') expect(effect.id, where).toBe(ID);
              if (effect.type !== 'report') continue;
              const verdict = judge(
                { operation, expectedGeneration: 3, sessionRef: operation === 'session.create' ? '' : REF },
                effect.evidence,
              );
              const mayHavePressed =
                phase === 'sending' || phase === 'pressing' || phase === 'naming' || phase === 'reporting';
              // Proved undelivered only while nothing was pressed, or when the page itself says that it pressed nothing.
              if (verdict.delivery !== 'applied' && verdict.delivery !== 'uncertain')
                expect(!mayHavePressed || name === 'blocked' || name === 'notPressed', where).toBe(true);
              // A chat that was archived shows nothing any more that could be named: its own press is the last look.
              if (verdict.delivery === 'applied')
                expect(phase === 'naming' || phase === 'reporting' || name === 'pressed', where).toBe(true);
            }
            if (actuation === null) expect(['taken', 'told', 'over'], where).toContain(name);
          }
    expect(cases).toBe(PHASES.length * 2 * 20 * 6);
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
