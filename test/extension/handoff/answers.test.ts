/** What an answer of the workstation proves by its own words, and what it does not. */
import { describe, expect, it } from 'vitest';
import { deliverAnswerOf, preparedOf } from '../../../extension/background/dispatches.ts';
import { verifies } from '../../verifies.ts';
import { BD, CHAIN, HANDOFF, messageOf, view } from './fixtures.ts';

const ok = (body: unknown) => ({ ok: true as const, status: 200, body });

describe('an answer to a delivery', () => {
  it.each<[string, Parameters<typeof deliverAnswerOf>[0], object]>([
    ['nobody', { ok: false, reason: 'offline' } as never, { kind: 'unanswered' }],
    ['a broken server', { ...ok({ ok: true }), status: 500 }, { kind: 'unanswered' }],
    ['no object', ok('done!'), { kind: 'nothing' }],
    ['nothing at all', ok(null), { kind: 'nothing' }],
    ['words without a field of ours', ok({ ok: true, message: 'A new chat was created.' }), { kind: 'nothing' }],
    ['a state without a dispatch', ok({ ok: true, delivery_state: 'applied' }), { kind: 'nothing' }],
    ['a dispatch and no state', ok({ ok: true, dispatch_id: BD }), { kind: 'named', dispatch: BD }],
    ['half a state', ok({ dispatch: { dispatch_id: BD, delivery_state: 'applied' } }), { kind: 'named', dispatch: BD }],
    ['a whole dispatch', ok({ ok: true, dispatch: view(), replayed: true }), { kind: 'dispatch', replayed: true }],
    ['a dispatch that is the answer', ok(view()), { kind: 'dispatch', replayed: false }],
    ['a refusal', ok({ ok: false, code: 'browser_resource_not_found' }), { kind: 'refused', busy: false }],
    ['a busy account', ok({ ok: false, code: 'browser_account_busy' }), { kind: 'refused', busy: true }],
    ['a store that is away', ok({ ok: false, code: 'browser_store_unavailable' }), { kind: 'refused', busy: true }],
  ])('that is %s', (_name, given, becomes) => {
    verifies('extension.handoff');
    expect(deliverAnswerOf(given)).toMatchObject(becomes);
  });
});

describe('a prepared message', () => {
  const said = (content: unknown) => ({ result: { content: [{ type: 'text', text: JSON.stringify(content) }] } });
  const whole = {
    ok: true,
    handoff: { handoff_id: HANDOFF, continuity_id: CHAIN, message: messageOf(), work_chain_id: null },
    automatic_delivery: { params: { message: messageOf() } },
    manual_delivery: { copy_prompt: messageOf() },
  };

  it.each<[string, unknown, unknown]>([
    ['whole', said(whole), { handoffId: HANDOFF, continuityId: CHAIN, message: messageOf(), workChainId: null }],
    ['nothing', null, null],
    ['no JSON', { result: { content: [{ type: 'text', text: 'sure!' }] } }, null],
    ['a refusal for good', said({ ok: false, code: 'continuity_ambiguous', retryable: false }), 'refused'],
    ['a refusal for now', said({ ok: false, code: 'state_unavailable', retryable: true }), null],
    ['another message for the copy', said({ ...whole, manual_delivery: { copy_prompt: 'Go on.' } }), 'refused'],
    ['another one for the browser', said({ ...whole, automatic_delivery: { params: { message: 'x' } } }), 'refused'],
    ['without its id', said({ ...whole, handoff: { ...whole.handoff, handoff_id: 7 } }), 'refused'],
  ])('that is %s', (_name, given, becomes) => {
    verifies('extension.handoff');
    expect(preparedOf(given)).toEqual(becomes);
  });
});
