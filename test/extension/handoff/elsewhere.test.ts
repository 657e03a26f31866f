/** What the runtime hears of a handoff that has ended, and what a handoff makes of the word that it is another browser's. */
import { describe, expect, it } from 'vitest';
import { createWakes } from '../../../extension/background/wakes.ts';
import { type Handed, handoff, type Transfer } from '../../../extension/machines/handoff/index.ts';
import { EMPTY, endedHandoffs, handoffClaimOf, type State } from '../../../extension/machines/worker/index.ts';
import { verifies } from '../../verifies.ts';
import { CHAIN, NOW, SOURCE, TARGET, TRANSFERS } from './fixtures.ts';

const FACTS = { now: NOW, sourceTab: 7, sourceBusy: false, targetTab: null, candidates: [] };
const one = (name: string): Transfer => ({ ...(TRANSFERS[name] as Transfer), trigger: 'context_pressure' });
const running = (transfer: Transfer): State => ({ ...EMPTY, transfers: { [transfer.id]: transfer } });
const over = (handed: Partial<Handed>): State => ({
  ...EMPTY,
  handed: { [SOURCE]: { as: 'failed', reason: null, copy: null, target: null, at: NOW, ...handed } },
});

describe('a handoff that is another browser’s', () => {
  it('is over before anything was given to the service; one that is held stays as it is', () => {
    verifies('extension.two-browsers');
    const transfer = one('delivering');
    const after = (as: 'held' | 'sent' | 'uncertain') => handoff(transfer, { type: 'elsewhere', as }, FACTS);
    expect(after('held')).toEqual({ transfer, effects: [], ended: null });
    expect(after('sent').ended).toEqual({ as: 'failed', reason: 'done_elsewhere', copy: false });
    expect(after('uncertain').ended).toEqual({ as: 'failed', reason: 'doubtful_elsewhere', copy: false });
  });

  it('changes nothing any more once the service has it', () => {
    verifies('extension.two-browsers');
    for (const [name, transfer] of Object.entries(TRANSFERS)) {
      if (name === 'delivering') continue;
      expect(handoff(transfer, { type: 'elsewhere', as: 'sent' }, FACTS).transfer, name).toBe(transfer);
    }
    const again = { ...one('delivering'), seededAgain: true };
    expect(handoff(again, { type: 'elsewhere', as: 'sent' }, FACTS).ended).toBeNull();
  });
});

describe('what the runtime hears of one that is over', () => {
  it.each([
    ['committed', { as: 'committed', target: TARGET }, 'sent'],
    ['the new chat has it, and the rows could not move', { reason: 'binding_changed', target: TARGET }, 'sent'],
    ['proved undelivered', { reason: 'not_delivered', copy: 'words' }, 'unsent'],
    ['its chain did not resolve', { reason: 'continuity_unavailable' }, 'unsent'],
    ['nobody can say', { reason: 'delivery_uncertain' }, 'uncertain'],
    ['it stands in the source', { reason: 'target_is_source' }, 'uncertain'],
  ] as const)('%s', (_what, handed, outcome) => {
    verifies('extension.two-browsers');
    const transfer = one('observing');
    expect(endedHandoffs(running(transfer), over(handed))).toMatchObject([
      { id: transfer.id, outcome, claim: { conversation: SOURCE, keys: [`handoff:${CHAIN}`], byPerson: false } },
    ]);
  });

  it('nothing of one that goes on, is being ended, was another browser’s, or has no chain', () => {
    verifies('extension.two-browsers');
    const transfer = one('observing');
    const before = running(transfer);
    const ending = { ...over({ reason: 'delivery_uncertain' }), endings: { [transfer.id]: transfer } };
    expect(endedHandoffs(before, { ...before, revision: 1 })).toEqual([]);
    expect(endedHandoffs(before, ending)).toEqual([]);
    expect(endedHandoffs(before, over({ reason: 'done_elsewhere' }))).toEqual([]);
    expect(endedHandoffs(running({ ...transfer, continuityId: null }), over({}))).toEqual([]);
    // What a person has ended is told when the service has said what became of it.
    const said = over({ reason: 'taken_over', copy: 'words' });
    expect(endedHandoffs(ending, said)).toMatchObject([{ outcome: 'unsent' }]);
  });

  it('also of an agent’s, which nobody had claimed', async () => {
    verifies('extension.two-browsers');
    const said: string[] = [];
    const wakes = createWakes({
      registry: { endpointRef: async () => `bep_${'0'.repeat(32)}` },
      runtime: {
        registry: async ({ operation }) => {
          said.push(operation);
          return { ok: true, wake: 'yours' };
        },
      },
      state: async () => EMPTY,
    });
    const transfer: Transfer = { ...one('verifying'), trigger: 'local_agent' };
    wakes.changed(over({ as: 'committed', target: TARGET }), running(transfer));
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(said).toEqual(['wake.leave', 'wake.done']);
    expect(handoffClaimOf(transfer)).toMatchObject({ byPerson: true });
  });
});
