import { describe, expect, it } from 'vitest';
import { encodeRef } from '../../../contract/refs.ts';
import { verifies } from '../../verifies.ts';
import { addressOf, DEVICE, openDesk, PROJECT, uuidOf } from './desk.ts';

const body = {
  continuity_id: 'hc:1:a',
  conversation_id: uuidOf('c'),
  workspace_id: 'w1',
  project_id: `${PROJECT}-my-project`,
  title: 'Work',
  message_id: 'm1',
  role: 'user',
  text: '続けて',
  fingerprint: '3:abc',
  observed_at: 1_800_000_000_000,
};

describe('a turn from the browser', () => {
  it('is journaled once and then found by conversation, project, workspace and words', async () => {
    verifies('continuity.journal');
    const desk = openDesk();
    const receipt = await desk.acceptTurn(body, desk.context());
    expect(receipt).toEqual({ inserted: true, continuity_id: 'hc:1:a', canonicalized: false, joined_by: 'new_chain' });
    expect(await desk.acceptTurn(body, desk.context())).toMatchObject({ inserted: false });
    for (const params of [
      { conversation_url: addressOf('c', PROJECT) },
      { project_id: PROJECT },
      { workspace_id: encodeRef({ device: DEVICE, workspace: 'embedded/w1' }) },
    ]) {
      const found = await desk.call('continuity.search', params);
      expect(found).toMatchObject({
        resolution: 'unique_exact',
        candidates: [{ continuity_id: 'hc:1:a', title: 'Work' }],
      });
    }
  });

  it('takes an address in the place of an id, and empty texts as nothing', async () => {
    const desk = openDesk();
    await desk.acceptTurn(
      { ...body, conversation_id: addressOf('c'), workspace_id: '', title: '', project_id: '' },
      desk.context(),
    );
    expect(await desk.call('continuity.resolve', { conversation_id: uuidOf('c') })).toMatchObject({
      continuity_id: 'hc:1:a',
    });
    const joined = { ...body, conversation_url: `https://claude.ai/chat/${uuidOf('q')}`, message_id: 'm2' };
    expect(await desk.acceptTurn(joined, desk.context())).toMatchObject({ joined_by: 'continuity_id' });
    expect(await desk.call('continuity.resume', { conversation_id: uuidOf('q'), provider: 'claude' })).toMatchObject({
      continuity_id: 'hc:1:a',
    });
  });

  it('keeps the turn while Herdr is away, and does not take its workspace for another one', async () => {
    const desk = openDesk();
    await desk.acceptTurn(body, desk.context({ live: { view: () => ({ server: undefined }) } }));
    expect(await desk.call('continuity.search', { workspace_id: 'w1' })).toMatchObject({ resolution: 'none' });
    expect(await desk.call('continuity.search', { project_id: PROJECT })).toMatchObject({ resolution: 'unique_exact' });
  });

  it.each([
    ['no message id', { message_id: '' }, 'invalid_params'],
    ['another role', { role: 'system' }, 'invalid_params'],
    ['an unknown member', { selector: '#x' }, 'invalid_params'],
    ['no conversation', { conversation_id: '' }, 'conversation_id_required'],
    ['an address of another site', { conversation_url: 'https://example.com/c/1' }, 'conversation_url_unsupported'],
    ['a text above 256 KiB', { text: 'あ'.repeat(100_000) }, 'payload_too_large'],
    [
      'a workspace of another workstation',
      { workspace_id: encodeRef({ device: 'dev_X', workspace: 'embedded/w1' }) },
      'continuity_search_params_invalid',
    ],
  ])('refuses %s and records nothing', async (_, over, code) => {
    const desk = openDesk();
    await expect(desk.acceptTurn({ ...body, ...over }, desk.context())).rejects.toMatchObject({ code });
    await expect(desk.acceptTurn('text', desk.context())).rejects.toMatchObject({ code: 'invalid_params' });
    expect((await desk.call('continuity.list', {})).chains).toEqual([]);
  });
});
