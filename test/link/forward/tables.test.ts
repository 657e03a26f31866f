import { describe, expect, it } from 'vitest';
import { isRetryable } from '../../../contract/outcome.ts';
import { adviceFor, afterAnswer, type SoFar, type Step } from '../../../link/forward/attempts.ts';
import { type Dispatch, expired } from '../../../link/forward/dispatches.ts';
import { generationNamedIn } from '../../../link/forward/generation-named-in.ts';
import type { Answer } from '../../../link/forward/runtime-client.ts';
import { reconcile } from '../../../link/relay/index.ts';
import { verifies } from '../../verifies.ts';

const id = (n: number): string => `d_${String(n).padStart(32, '0')}`;
const first: SoFar = { maybeSent: false, attempts: 0, triedMs: 0, remainingMs: 20_000 };
const sent: SoFar = { ...first, maybeSent: true };
const gone = { kind: 'not_sent', message: 'refused' } as const;
const lost = { kind: 'lost', message: 'cut' } as const;
const refused = (status: number, code?: string): Answer => ({
  kind: 'refused',
  status,
  message: 'no',
  ...(code ? { code } : {}),
});

/** Where a call can be interrupted between the link and the tool; what is done, or told: code, delivery, read and write retryable. */
const table: [string, Answer, SoFar, Partial<Step> | [string, string, boolean, boolean]][] = [
  ['nobody listens yet', gone, first, { do: 'again', at: 'active' }],
  [
    'nobody listens for too long',
    gone,
    { ...first, triedMs: 15_000 },
    ['runtime_unavailable', 'not_delivered', true, true],
  ],
  [
    'nobody listens until the deadline',
    gone,
    { ...first, remainingMs: 10 },
    ['runtime_unavailable', 'not_delivered', true, true],
  ],
  ['it starts or drains', refused(503), first, { do: 'again', at: 'active' }],
  [
    'it drains for too long',
    refused(503),
    { ...first, triedMs: 15_000 },
    ['runtime_unavailable', 'not_delivered', true, true],
  ],
  ['the connection is cut under the call', lost, first, { do: 'again', at: 'same' }],
  ['it is cut again', lost, { ...sent, attempts: 4 }, { do: 'again', at: 'same' }],
  ['the process that had it is gone', gone, sent, { do: 'again', at: 'active' }],
  [
    'nobody comes back until long after the deadline',
    gone,
    { ...sent, remainingMs: -15_000 },
    ['delivery_uncertain', 'unknown', true, false],
  ],
  [
    'it hangs until long after the deadline',
    lost,
    { ...sent, remainingMs: -15_000 },
    ['delivery_uncertain', 'unknown', true, false],
  ],
  ['no generation has a record of it', refused(404), sent, ['delivery_uncertain', 'unknown', true, false]],
  ['the runtime breaks on it', refused(500), first, ['delivery_uncertain', 'unknown', true, false]],
  ['its answer is broken', refused(502), first, ['delivery_uncertain', 'unknown', true, false]],
  ['the token is refused', refused(401), first, ['runtime_unavailable', 'not_delivered', true, true]],
  ['the token is refused after a cut', refused(401), sent, ['delivery_uncertain', 'unknown', true, false]],
  [
    'the contract is refused',
    refused(409, 'contract_mismatch'),
    first,
    ['contract_mismatch', 'not_delivered', false, false],
  ],
  [
    'the arguments are too large',
    refused(413, 'payload_too_large'),
    first,
    ['payload_too_large', 'not_delivered', false, false],
  ],
  [
    'refused with a code that nobody knows',
    refused(400, 'whatever'),
    first,
    ['internal_error', 'not_delivered', true, true],
  ],
  [
    'the result is too large',
    { kind: 'too_large', size: 17e6, delivery: 'delivered' },
    first,
    ['response_too_large', 'delivered', false, false],
  ],
  [
    'there is no room for its result now',
    { kind: 'no_room', size: 9e6, delivery: 'delivered' },
    first,
    { do: 'again', at: 'same' },
  ],
  [
    'there is no room until its time is over',
    { kind: 'no_room', size: 9e6, delivery: 'delivered' },
    { ...sent, remainingMs: 0 },
    ['response_too_large', 'delivered', false, false],
  ],
];

describe('after an answer of the runtime', () => {
  it.each(table)('%s', (_, answer, before, expected) => {
    verifies('link.outcome-table');
    const step = afterAnswer(answer, before);
    if (!Array.isArray(expected)) {
      expect(step).toMatchObject(expected);
      return;
    }
    if (step.do !== 'fail') throw new Error(`expected a failure, not ${step.do}`);
    const { code, delivery } = step.error;
    expect([code, delivery, isRetryable('read', code, delivery), isRetryable('write', code, delivery)]).toEqual(
      expected,
    );
    expect(step.error.next).not.toBe('');
  });

  it('sends who made a read back to it, and who made a write that may have run to what became of it', () => {
    verifies('link.outcome-table');
    const told = (answer: Answer, before: SoFar, callClass: 'read' | 'write') => {
      const step = afterAnswer(answer, before);
      if (step.do !== 'fail') throw new Error(`expected a failure, not ${step.do}`);
      return adviceFor(step.error, callClass, id(7));
    };
    const status = `herdr_mcp.dispatch.status and params {"dispatch_id":"${id(7)}"}`;
    const hung: SoFar = { ...sent, remainingMs: -15_000 };
    expect(told(lost, hung, 'read')).toBe('Read again.');
    expect(told(lost, hung, 'write')).toContain(status);
    const large = { kind: 'too_large', size: 17e6, delivery: 'delivered' } as const;
    expect(told(large, first, 'read')).toContain('Ask for less');
    expect(told(large, first, 'write')).toContain(status);
    expect(told(gone, { ...first, remainingMs: 10 }, 'write')).toContain('Try again');
  });

  it('asks again ever more slowly, up to once a second', () => {
    const pauses = Array.from({ length: 12 }, (_, attempts) => afterAnswer(lost, { ...sent, attempts }));
    const ms = pauses.map((step) => (step.do === 'again' ? step.afterMs : Number.NaN));
    expect(ms.slice(0, 3)).toEqual([50, 100, 200]);
    expect(ms.at(-1)).toBe(1000);
  });
});

describe('the generation that a call names', () => {
  const bytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
  it.each([
    ['herdr_exec_read', { session_id: 'es_b_1234' }, 'b'],
    ['herdr_exec_kill', { session_id: 'es_a_1234' }, 'a'],
    ['herdr_exec_read', { session_id: 'es_c_1234' }, undefined],
    ['herdr_exec_read', { session_id: 7 }, undefined],
    ['herdr_exec_read', {}, undefined],
    ['herdr_fs_read', { session_id: 'es_b_1234' }, undefined],
    ['herdr_call', { method: 'herdr_mcp.exec.wait', params: '{"session_id":"es_b_1234"}' }, 'b'],
    ['herdr_call', { method: 'pane.list', params: '{"session_id":"es_b_1234"}' }, undefined],
    ['herdr_call', { method: 'herdr_mcp.exec.wait', params: '{broken' }, undefined],
  ])('%s %j → %s', (tool, args, generation) => {
    expect(generationNamedIn(tool, bytes(args))).toBe(generation);
  });

  it('is none when the arguments are no JSON', () => {
    expect(generationNamedIn('herdr_exec_read', new Uint8Array([0xff, 0x7b]))).toBeUndefined();
  });
});

describe('what a welcome asks for', () => {
  it('sends what is awaited first, then the rest, and forgets what is settled', () => {
    const holds = [
      { dispatch_id: id(1), state: 'finished' as const },
      { dispatch_id: id(2), state: 'running' as const },
      { dispatch_id: id(3), state: 'finished' as const },
      { dispatch_id: id(4), state: 'finished' as const },
      { dispatch_id: id(5), state: 'running' as const },
    ];
    const todo = reconcile(holds, { awaited: [id(3), id(2), id(9)], settled: [id(4), id(5), id(8)] });
    expect(todo).toEqual({ first: [id(3)], later: [id(1)], forget: [id(4), id(5)] });
  });
});

describe('what need not be kept', () => {
  const dispatch = (
    n: number,
    callClass: 'read' | 'write',
    state: Dispatch['state'],
    finishedMs?: number,
  ): Dispatch => ({
    id: id(n),
    class: callClass,
    state,
    receivedMs: 0,
    ...(finishedMs === undefined ? {} : { finishedMs }),
  });
  it('is a finished read after its time, never what runs, never a write within the bound', () => {
    const all = [
      dispatch(1, 'read', 'finished', 0),
      dispatch(2, 'read', 'finished', 50_000),
      dispatch(3, 'write', 'finished', 0),
      dispatch(4, 'read', 'running'),
      dispatch(5, 'read', 'stored'),
    ];
    expect(expired(all, 60_000, 60_000, 10)).toEqual([id(1), id(5)]);
  });
  it('above the bound is reads before writes, the oldest first', () => {
    const all = [
      dispatch(1, 'write', 'finished', 0),
      dispatch(2, 'write', 'stored'),
      dispatch(3, 'read', 'finished', 1),
    ];
    expect(expired(all, 2, 60_000, 1)).toEqual([id(3), id(1)]);
  });
});
