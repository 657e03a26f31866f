import { describe, expect, it } from 'vitest';
import { OutcomeError } from '../../../contract/outcome.ts';
import { verifies } from '../../verifies.ts';
import { candidateIds, conversation, openDesk, PROJECT } from './desk.ts';

function refused(act: () => unknown): OutcomeError {
  try {
    act();
  } catch (error) {
    if (error instanceof OutcomeError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

describe('the journal', () => {
  it('appends a finalized turn once, by its message id', async () => {
    verifies('continuity.journal');
    const desk = openDesk();
    const turn = { continuityId: 'hc:1:a', messageId: 'msg-1' };
    expect(desk.say('first', turn)).toMatchObject({ inserted: true, joined_by: 'new_chain' });
    expect(desk.say('first', turn)).toMatchObject({ inserted: false, continuity_id: 'hc:1:a', joined_by: 'binding' });
    const { turns } = await desk.call('continuity.resume', { continuity_id: 'hc:1:a' });
    expect(turns).toMatchObject([{ message_id: 'msg-1', role: 'user', text: 'first' }]);
  });

  it('keeps the first text when a message id comes again with another one, or with another role', async () => {
    verifies('continuity.journal');
    const desk = openDesk();
    desk.say('first', { continuityId: 'hc:1:a', messageId: 'msg-1' });
    for (const again of [
      () => desk.say('other', { messageId: 'msg-1' }),
      () => desk.say('first', { messageId: 'msg-1', role: 'assistant' }),
    ]) {
      expect(refused(again)).toMatchObject({ code: 'continuity_message_conflict', delivery: 'not_delivered' });
    }
    const { turns } = await desk.call('continuity.resume', { continuity_id: 'hc:1:a' });
    expect(turns).toMatchObject([{ text: 'first' }]);
  });

  it('takes 256 KiB and refuses one byte more, and nothing at all', async () => {
    const desk = openDesk();
    const whole = `${'あ'.repeat(87_381)}x`; // 262,144 bytes
    desk.say(whole, { continuityId: 'hc:1:a' });
    expect(refused(() => desk.say(`${whole}y`))).toMatchObject({
      code: 'payload_too_large',
      delivery: 'not_delivered',
    });
    expect(refused(() => desk.say(''))).toMatchObject({ code: 'invalid_params' });
    let text = '';
    let cursor: unknown;
    let pages = 0;
    do {
      expect(++pages).toBeLessThan(50);
      const page = await desk.call('continuity.resume', cursor ? { cursor } : { continuity_id: 'hc:1:a' });
      for (const turn of page.turns as { text: string }[]) text += turn.text;
      expect(JSON.stringify(page).length).toBeLessThan(100_000);
      cursor = page.older_cursor;
    } while (cursor);
    expect(text).toBe(whole);
  });

  it('stores what it digests: lone surrogates, NUL and line ends come back as they were recorded', async () => {
    const desk = openDesk();
    desk.say('a\u0000b\r\n\ud800c', { continuityId: 'hc:1:a', messageId: 'm' });
    expect(desk.say('a\u0000b\r\n\ud800c', { messageId: 'm' }).inserted).toBe(false);
    const { turns } = await desk.call('continuity.resume', { continuity_id: 'hc:1:a' });
    expect(turns).toMatchObject([{ text: 'a\u0000b\r\n\ufffdc' }]);
  });

  it('puts a bound conversation into its chain, whatever id comes with the turn', () => {
    verifies('continuity.journal');
    const desk = openDesk();
    desk.say('begin', { continuityId: 'hc:1:a' });
    desk.say('elsewhere', { continuityId: 'hc:2:b', conversation: conversation('other') });
    expect(desk.say('go on', { continuityId: 'hc:2:b' })).toEqual({
      inserted: true,
      continuity_id: 'hc:1:a',
      canonicalized: true,
      joined_by: 'binding',
    });
  });

  it('lets a new chat in a bound project join the same chain by the first turn of the person', async () => {
    verifies('continuity.journal', 'continuity.resolve');
    const desk = openDesk();
    desk.say('plan', { continuityId: 'hc:1:a', projectId: PROJECT });
    const chat = { conversation: conversation('new'), projectId: PROJECT };
    const early = refused(() => desk.say('an older answer', { ...chat, role: 'assistant' }));
    expect(early).toMatchObject({ code: 'continuity_not_found', delivery: 'not_delivered' });
    expect(desk.say('続けて', chat)).toMatchObject({ inserted: true, continuity_id: 'hc:1:a', joined_by: 'project' });
    expect(desk.say('done', { ...chat, role: 'assistant' })).toMatchObject({
      continuity_id: 'hc:1:a',
      joined_by: 'binding',
    });
    const resumed = await desk.call('continuity.resume', { conversation_id: conversation('new').conversationId });
    expect(resumed).toMatchObject({ continuity_id: 'hc:1:a', matched_by: 'conversation' });
    expect((resumed.turns as { text: string }[]).map(({ text }) => text)).toEqual(['plan', '続けて', 'done']);
  });

  it('records nothing while two chains claim the conversation, and heals when one is named with its workspace', async () => {
    verifies('continuity.resolve');
    const desk = openDesk();
    desk.say('one', { continuityId: 'hc:1:a', workspaceId: 'embedded/w1' });
    desk.say('two', { continuityId: 'hc:2:b', conversation: conversation('d') });
    const chain = desk.journal.chains.byId('hc:2:b');
    desk.journal.bindings.bind(conversation('c'), chain?.chainNo ?? 0, 'embedded/w2', desk.now.ms);

    const both = refused(() => desk.say('three', { continuityId: 'hc:2:b' }));
    expect(both.code).toBe('continuity_binding_ambiguous');
    expect(candidateIds(both)).toEqual(['hc:1:a', 'hc:2:b']);
    const read = await desk.refusal('continuity.resolve', { conversation_id: conversation('c').conversationId });
    expect(read.code).toBe('continuity_ambiguous');

    expect(desk.say('three', { continuityId: 'hc:2:b', workspaceId: 'embedded/w2' })).toMatchObject({
      continuity_id: 'hc:2:b',
    });
    const resolved = await desk.call('continuity.resolve', { conversation_id: conversation('c').conversationId });
    expect(resolved.continuity_id).toBe('hc:2:b');
  });

  it('refuses an id that is none and a conversation that nothing leads anywhere from', () => {
    const desk = openDesk();
    expect(refused(() => desk.say('x', { continuityId: 'hc 1\n' })).code).toBe('invalid_params');
    expect(refused(() => desk.say('x')).code).toBe('continuity_not_found');
    expect(refused(() => desk.say('x', { projectId: PROJECT })).code).toBe('continuity_not_found');
  });
});
