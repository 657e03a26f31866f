import { describe, expect, it } from 'vitest';
import { classify } from '../../contract/call.ts';
import {
  type CallClass,
  type Delivery,
  failureBody,
  failureResult,
  isErrorResult,
  isRetryable,
  OUTCOME_CODES,
  type OutcomeCode,
  OutcomeError,
} from '../../contract/outcome.ts';
import { decodeRef, encodeRef } from '../../contract/refs.ts';
import { verifies } from '../verifies.ts';

describe('retryable', () => {
  it.each<[CallClass, OutcomeCode, Delivery, boolean]>([
    ['write', 'workstation_offline', 'not_delivered', true],
    ['write', 'queue_full', 'not_delivered', true],
    ['write', 'delivery_uncertain', 'unknown', false],
    ['write', 'request_timeout', 'unknown', false],
    ['write', 'request_timeout', 'not_delivered', true],
    ['write', 'interrupted', 'unknown', false],
    ['write', 'internal_error', 'unknown', false],
    ['write', 'runtime_unavailable', 'not_delivered', true],
    ['read', 'request_timeout', 'unknown', true],
    ['read', 'delivery_uncertain', 'unknown', true],
    ['read', 'interrupted', 'unknown', true],
    ['read', 'response_too_large', 'delivered', false],
    ['read', 'contract_mismatch', 'not_delivered', false],
    ['read', 'invalid_params', 'not_delivered', false],
    ['read', 'outside_managed_roots', 'not_delivered', false],
    ['read', 'not_found', 'delivered', false],
    ['write', 'old_string_not_found', 'delivered', false],
    ['write', 'device_unavailable', 'not_delivered', true],
    ['write', 'device_ambiguous', 'not_delivered', false],
  ])('%s %s %s → %s', (callClass, code, delivery, expected) => {
    verifies('contract.outcome-retryable');
    expect(isRetryable(callClass, code, delivery)).toBe(expected);
  });

  it('is never true for a write that may have arrived, whatever the code', () => {
    verifies('contract.outcome-retryable');
    for (const code of Object.keys(OUTCOME_CODES) as OutcomeCode[]) {
      for (const delivery of ['delivered', 'unknown'] as const)
        expect(isRetryable('write', code, delivery), code).toBe(false);
    }
  });
});

describe('the wire form of a failure', () => {
  it('repeats a gate’s code as reason and is no error to the host', () => {
    verifies('contract.outcome-wire');
    const failure = new OutcomeError('readonly_mode', 'Read-only mode is on; nothing was changed.', {
      next: 'Ask the owner to switch it off.',
    }).toFailure('write', 'd_00000000000000000000000000000001');
    expect(failureBody(failure)).toMatchObject({
      ok: false,
      code: 'readonly_mode',
      reason: 'readonly_mode',
      delivery: 'not_delivered',
      retryable: false,
    });
    expect(isErrorResult(failure)).toBe(false);
  });

  it('is one text block of JSON with everything in it', () => {
    verifies('contract.outcome-wire');
    const failure = new OutcomeError('device_ambiguous', 'Two workstations could be meant.', {
      next: 'Name one as device.',
      details: { candidates: ['a', 'b'] },
    }).toFailure('read');
    const result = JSON.parse(new TextDecoder().decode(failureResult(failure)));
    expect(Object.keys(result).sort()).toEqual(['content', 'isError']);
    expect(result.isError).toBe(true);
    expect(JSON.parse(result.content[0].text)).toEqual({
      ok: false,
      code: 'device_ambiguous',
      message: 'Two workstations could be meant.',
      delivery: 'not_delivered',
      retryable: false,
      next: 'Name one as device.',
      candidates: ['a', 'b'],
    });
  });

  it('cannot have its verdict overwritten by details', () => {
    verifies('contract.outcome-wire');
    const failure = new OutcomeError('not_found', 'No such file.', {
      next: 'List the directory.',
      details: { ok: true, retryable: true },
    }).toFailure('read');
    expect(failureBody(failure)).toMatchObject({ ok: false, retryable: false });
  });

  it('names the dispatch that it tells of, when that is another than the call itself', () => {
    const failure = new OutcomeError('delivery_uncertain', 'It may have been delivered.', {
      next: 'Look it up.',
      details: { dispatch_id: 'bd_1' },
    }).toFailure('write', 'd_1');
    expect(failureBody(failure)).toMatchObject({ dispatch_id: 'bd_1' });
  });
});

describe('the class of a call', () => {
  it.each([
    ['herdr_fs_read', {}, 'read'],
    ['herdr_exec', { intent: 'read_only' }, 'write'],
    ['herdr_call', { method: 'pane.list' }, 'read'],
    ['herdr_call', { method: 'pane.close' }, 'write'],
    ['herdr_call', { method: 'a.method.nobody.listed' }, 'write'],
    ['herdr_call', { method: 7 }, 'write'],
    ['herdr_call', {}, 'write'],
    ['a_tool_nobody_knows', {}, 'write'],
  ])('%s %j is a %s', (tool, args, expected) => {
    verifies('contract.class');
    expect(classify(tool, args)).toBe(expected);
  });
});

describe('refs', () => {
  it('survive a round trip', () => {
    verifies('contract.refs');
    const device = 'dev_01ARZ3NDEKTSV4RRFFQ69G5FAV';
    expect(decodeRef(encodeRef({ device, workspace: 'w1' }))).toEqual({ device, workspace: 'w1' });
    expect(decodeRef(encodeRef({ device, pane: 'w1:pé' }))).toEqual({ device, pane: 'w1:pé' });
  });

  it.each([
    ['w1:p1', null],
    ['herdr_ref_', 'malformed'],
    ['herdr_ref_!!!', 'malformed'],
    [`herdr_ref_${btoa('{"v":2,"d":"x","w":"w1"}')}`, 'malformed'],
    [`herdr_ref_${btoa('{"v":1,"d":"x","w":"w1","p":"p"}')}`, 'malformed'],
  ])('%s → %s', (text, expected) => {
    verifies('contract.refs');
    expect(decodeRef(text)).toBe(expected);
  });
});
