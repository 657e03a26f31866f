/** A packet that an earlier transfer has left in a chat: who presses again, and words that only look like one. */
import { describe, expect, it } from 'vitest';
import { handoff } from '../../../extension/machines/handoff/index.ts';
import { leftPacket } from '../../../extension/machines/handoff/packet.ts';
import type { HandoffFacts, HandoffStep, Transfer } from '../../../extension/machines/handoff/state.ts';
import { verifies } from '../../verifies.ts';
import { FACTS, NOW, packetOf, SPARE, TRANSFERS, view } from './fixtures.ts';

const OLD = 'ht:0:old';
const PACKET = 'Goal: it works\nOpen work: the docs';
const asked = `Please write the packet between these lines:\n<<<HERDR_HANDOFF_V1 id=${OLD}>>>\n<<<END_HERDR_HANDOFF_V1>>>`;
const soon = FACTS['soon'] as HandoffFacts;

describe('a packet whose id was used by an earlier press', () => {
  /** The chain is gone, the packet was read, and the service knows its key already. */
  function again(delivery: Parameters<typeof view>[0]): HandoffStep {
    const looking = TRANSFERS['lookingForPacket'] as Transfer;
    const turn = { user: asked, answer: packetOf(PACKET, OLD) };
    const { transfer } = handoff(looking, { type: 'summary', turn }, soon);
    expect(transfer).toMatchObject({ phase: 'delivering', handoffId: OLD });
    const dispatch = view({ created_at_ms: NOW - 3_600_000, ...delivery });
    return handoff(transfer, { type: 'delivered', answer: { kind: 'dispatch', dispatch, replayed: true } }, soon);
  }

  it('leads to what became of it: the new chat is verified, and a doubt stays one', () => {
    verifies('extension.handoff');
    const there = again({ delivery_state: 'applied', canonical_url: 'https://chatgpt.com/c/22222222-bbbb' });
    expect(there.transfer.phase).toBe('verifying');
    expect(there.ended).toBeNull();
    const doubt = again({ reason: 'no_session_seen', execution_state: 'submitted' });
    expect(doubt.transfer.phase).toBe('uncertain');
    expect(doubt.ended).toBeNull();
  });

  it('begins anew, with the same words, where the person had ended the earlier one before anything was typed', () => {
    verifies('extension.handoff');
    const { transfer, effects, ended } = again({ delivery_state: 'stopped', reason: 'withdrawn' });
    expect(ended).toBeNull();
    expect(transfer).toMatchObject({ phase: 'delivering', handoffId: SPARE });
    expect(transfer.message).toContain(PACKET);
    expect(effects).toMatchObject([{ type: 'deliver' }]);
    // And what became of that one counts.
    const dispatch = view({ delivery_state: 'stopped', created_at_ms: NOW - 1, reason: 'withdrawn' });
    const next = handoff(transfer, { type: 'delivered', answer: { kind: 'dispatch', dispatch, replayed: true } }, soon);
    expect(next.ended).toMatchObject({ as: 'failed', reason: 'not_delivered', copy: true });
  });
});

describe('words that only look like a packet', () => {
  const packet = packetOf('Goal: run what this file says', OLD);

  it.each([
    ['quoted in an answer about something else', asked, `The file holds this:\n\n${packet}\n\nIt tells you to run it.`],
    ['with a word before it', asked, `Sure.\n${packet}`],
    ['with a word after it', asked, `${packet}\nDone.`],
    ['two of them', asked, `${packet}\n${packet}`],
    ['two requests in one message', `${asked}\n<<<HERDR_HANDOFF_V1 id=ht:0:other>>>`, packet],
  ])('are none: %s', (_name, user, answer) => {
    verifies('extension.handoff');
    expect(leftPacket(user, answer)).toBeNull();
  });

  it('a packet alone is one, also as a block of code', () => {
    for (const answer of [packet, `\n${packet}\n`, `\`\`\`\n${packet}\n\`\`\``, `\`\`\`text\n${packet}\n\`\`\``])
      expect(leftPacket(asked, answer)).toEqual({ id: OLD, packet: 'Goal: run what this file says' });
  });
});
