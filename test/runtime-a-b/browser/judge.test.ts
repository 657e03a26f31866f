import { describe, expect, it } from 'vitest';
import type { Evidence } from '../../../contract/browser/actuation.ts';
import { OPERATIONS, type Operation } from '../../../contract/browser/dispatch.ts';
import { FORBIDDEN_INPUTS, forbiddenInput } from '../../../contract/browser/forbidden.ts';
import { judge } from '../../../runtime-a-b/browser/dispatch/judge.ts';
import { verifies } from '../../verifies.ts';

const CHAT = `br_${'a'.repeat(64)}`;
const OTHER = `br_${'b'.repeat(64)}`;
const GENERATION = 7;

/** Everything that each operation's postcondition asks for. */
const PROOF: Record<Operation, Evidence> = {
  'session.create': {
    observed_generation: GENERATION,
    command_accepted: true,
    session_ref: CHAT,
    canonical_url: 'https://chatgpt.com/c/11111111',
    lifecycle: 'active',
    accepted_message_ref: 'm1',
    generation_status: 'generating',
  },
  'composer.submit': {
    observed_generation: GENERATION,
    command_accepted: true,
    session_ref: CHAT,
    accepted_message_ref: 'm1',
    message_baseline_advanced: true,
  },
  'session.open': {
    observed_generation: GENERATION,
    command_accepted: true,
    session_ref: CHAT,
    canonical_url: 'https://chatgpt.com/c/11111111',
  },
  'session.archive': {
    observed_generation: GENERATION,
    command_accepted: true,
    session_ref: CHAT,
    lifecycle: 'archived',
  },
  'generation.stop': {
    observed_generation: GENERATION,
    command_accepted: true,
    session_ref: CHAT,
    generation_stopped: true,
  },
};

const planned = (operation: Operation) => ({
  operation,
  expectedGeneration: GENERATION,
  sessionRef: operation === 'session.create' ? '' : CHAT,
});

describe('what a browser’s evidence proves', () => {
  it.each(OPERATIONS)('%s is applied only with every part of its proof', (operation) => {
    verifies('extension.handoff', 'bridge.local-agents');
    const whole = PROOF[operation];
    expect(judge(planned(operation), whole)).toMatchObject({ delivery: 'applied', reason: null });
    for (const part of Object.keys(whole) as (keyof Evidence)[]) {
      if (part === 'observed_generation' || part === 'command_accepted' || part === 'generation_status') continue;
      const { [part]: _left, ...rest } = whole;
      expect(judge(planned(operation), rest as Evidence), `without ${part}`).toMatchObject({ delivery: 'uncertain' });
    }
    // Nobody knows whether it was pressed: with the whole proof it was, without it nothing is certain.
    expect(judge(planned(operation), { ...whole, command_accepted: null }).delivery).toBe('applied');
    expect(judge(planned(operation), { observed_generation: GENERATION, command_accepted: null }).delivery).toBe(
      'uncertain',
    );
    expect(judge(planned(operation), { ...whole, observed_generation: GENERATION + 1 })).toMatchObject({
      delivery: 'uncertain',
      reason: 'generation_changed',
    });
  });

  it.each(OPERATIONS)('%s is not delivered only when nothing was pressed', (operation) => {
    const seen = { observed_generation: GENERATION };
    const verdict = (more: Partial<Evidence>) =>
      judge(planned(operation), { ...seen, command_accepted: false, ...more });
    expect(verdict({ refused: 'user_typing' })).toMatchObject({ delivery: 'rejected', reason: 'user_typing' });
    expect(verdict({ resource_available: false })).toMatchObject({ delivery: 'resource_unavailable' });
    expect(verdict({ reason: 'no_tab' })).toMatchObject({ delivery: 'not_applied', reason: 'no_tab' });
    for (const pressed of [true, null]) {
      // Pressed and refused at once: one of the two is a lie, so nothing is certain.
      expect(
        judge(planned(operation), { ...PROOF[operation], command_accepted: pressed, refused: 'user_typing' }),
      ).toMatchObject({ delivery: 'uncertain', reason: 'contradictory_evidence' });
      expect(
        judge(planned(operation), { ...seen, command_accepted: pressed, resource_available: false }).delivery,
      ).toBe('uncertain');
    }
  });

  it('another chat than the one that was meant proves nothing', () => {
    for (const operation of OPERATIONS.filter((one) => one !== 'session.create')) {
      expect(judge(planned(operation), { ...PROOF[operation], session_ref: OTHER }).delivery, operation).toBe(
        'uncertain',
      );
    }
  });
});

describe('forbidden inputs', () => {
  it('are found at any depth and in any spelling', () => {
    verifies('bridge.local-agents');
    for (const name of FORBIDDEN_INPUTS) {
      const camel = name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
      for (const spelt of [name, name.toUpperCase(), name.replaceAll('_', '-'), camel]) {
        expect(forbiddenInput({ [spelt]: null }), spelt).toBe(spelt);
        expect(forbiddenInput({ message: 'x', more: [{ deep: { [spelt]: '' } }] }), spelt).toBe(spelt);
      }
    }
    expect(forbiddenInput({ message: 'url: https://x', source_url: 'https://x', session_ref: CHAT })).toBeNull();
  });
});
