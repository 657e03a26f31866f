/**
 * A call on its way through the object: sent, bounded, written down, and its result in pieces.
 * Long because every file here loads the whole Worker into a workerd of its own, which takes seconds.
 */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { sha256 } from '../../../contract/canonical.ts';
import { CHUNK_BYTES, RECEIPT_TTL_MS, RESULT_BYTES_MAX } from '../../../contract/limits.ts';
import { encodeFrame, resultFrames } from '../../../contract/link/index.ts';
import { PENDING_CALLS_MAX } from '../../../edge/limits.ts';
import type { CallReply } from '../../../edge/workstation/index.ts';
import { verifies } from '../../verifies.ts';
import { FakeLink, RUNTIME_EPOCHS, resultOf, runtimeFacts, toolResult } from './fake-link.ts';
import {
  callInput,
  eventually,
  freshDispatchId,
  freshEdge,
  LONG_ENOUGH_TO_BE_SENT_MS,
  PRINCIPAL,
  type Rig,
  receiptOf,
  told,
  type Wish,
} from './rig.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await freshEdge();
});

const send = async (wish: Wish = {}): Promise<CallReply> => rig.object().call(await callInput(rig, wish));

const rowsWritten = () =>
  runInDurableObject(rig.object(), (_, { storage }) => Number(storage.sql.exec('SELECT total_changes() AS n').one().n));

const settledReceipt = (dispatchId: string) =>
  eventually(async () => {
    const receipt = await receiptOf(rig, dispatchId);
    return receipt?.delivery ? receipt : undefined;
  }, 'the receipt');

describe('a call', () => {
  it('reaches the link with its envelope and exactly its arguments, and its bytes come back untouched', async () => {
    const link = await FakeLink.connect(rig.device);
    const calling = send({ args: { path: '/tmp/ü', n: 1 }, deadlineInMs: 30_000 });
    const { call, args } = await link.nextCall();
    expect(args).toEqual({ path: '/tmp/ü', n: 1 });
    expect(call).toMatchObject({ class: 'read', contract_epoch: 5, principal: PRINCIPAL });
    expect(call.deadline_ms).toBeGreaterThan(0);
    expect(call.deadline_ms).toBeLessThanOrEqual(30_000);
    const odd = new TextEncoder().encode('{"content":[ ],  "weird":"é\\u0000"}');
    link.answer(call.dispatch_id, odd, { runtime_ms: 2.5 });
    const reply = await calling;
    expect(reply).toMatchObject({ kind: 'result', ok: true, delivery: 'delivered', runtimeMs: 2.5 });
    expect(reply.kind === 'result' && [...reply.body]).toEqual([...odd]);
    await link.until(() => link.acked.includes(call.dispatch_id), 'the acknowledgement');
  });

  it('that fails in the tool comes back as the runtime said it', async () => {
    const link = await FakeLink.connect(rig.device);
    const calling = send({ class: 'write' });
    const { call } = await link.nextCall();
    link.answer(call.dispatch_id, toolResult({ ok: false, code: 'disk_full' }), { ok: false, code: 'disk_full' });
    expect(await calling).toMatchObject({ kind: 'result', ok: false });
    expect(await settledReceipt(call.dispatch_id)).toMatchObject({
      delivery: 'delivered',
      ok: false,
      code: 'disk_full',
    });
  });

  it('to a workstation that was never there is not delivered, at once, and says what to do', async () => {
    verifies('main.offline-list');
    const reply = told(await send({ class: 'write' }));
    expect(reply).toMatchObject({ code: 'workstation_offline', delivery: 'not_delivered', retryable: true });
    expect(reply.next).toContain('herdr-mcp');
  });

  it('asked for twice under one dispatch id runs once and answers both', async () => {
    const link = await FakeLink.connect(rig.device);
    const input = await callInput(rig, { class: 'write' });
    const both = [rig.object().call(input), rig.object().call(input)];
    const { call } = await link.nextCall();
    link.answer(call.dispatch_id, toolResult({ ok: true, n: 1 }));
    for (const reply of await Promise.all(both)) expect(told(reply)).toMatchObject({ n: 1 });
    expect(link.calls).toHaveLength(1);
  });

  it('that nobody answers ends at its deadline: a read is stopped and may be tried again, a write is looked up', async () => {
    verifies('link.outcome-table');
    const link = await FakeLink.connect(rig.device);
    const read = told(await send({ deadlineInMs: LONG_ENOUGH_TO_BE_SENT_MS }));
    expect(read).toMatchObject({ code: 'request_timeout', delivery: 'unknown', retryable: true });
    await link.until(() => link.of('cancel').some((frame) => frame.dispatch_id === read.dispatch_id), 'the cancel');
    const write = told(await send({ class: 'write', deadlineInMs: LONG_ENOUGH_TO_BE_SENT_MS }));
    expect(write).toMatchObject({ code: 'request_timeout', delivery: 'unknown', retryable: false });
    expect(write.next).toContain(String(write.dispatch_id));
    expect(link.of('cancel').some((frame) => frame.dispatch_id === write.dispatch_id)).toBe(false);
    // The answer that comes too late still settles the receipt.
    expect(await receiptOf(rig, write.dispatch_id as string)).toMatchObject({ delivery: null });
    link.answer(write.dispatch_id as string, toolResult({ ok: true }));
    expect(await settledReceipt(write.dispatch_id as string)).toMatchObject({ delivery: 'delivered', ok: true });
    await link.until(() => link.acked.includes(write.dispatch_id as string), 'the acknowledgement');
  });

  it('that comes when its time is over is not sent any more, and not written down', async () => {
    verifies('link.in-time');
    const link = await FakeLink.connect(rig.device);
    const late = told(await send({ class: 'write', deadlineInMs: -1 }));
    expect(late).toMatchObject({ code: 'request_timeout', delivery: 'not_delivered', retryable: true });
    const next = send({ class: 'write' });
    const { call } = await link.nextCall();
    link.answer(call.dispatch_id, toolResult({ ok: true }));
    await next;
    expect(link.calls).toHaveLength(1);
    expect(await receiptOf(rig, late.dispatch_id as string)).toBeUndefined();
  });

  it('above the limit of calls under way is refused by name, and the others go on', async () => {
    verifies('link.fairness');
    const link = await FakeLink.connect(rig.device);
    const running = Array.from({ length: PENDING_CALLS_MAX }, () => send());
    await link.nextCall(PENDING_CALLS_MAX);
    expect(told(await send({ class: 'write' }))).toMatchObject({
      code: 'queue_full',
      delivery: 'not_delivered',
      retryable: true,
      details: { limit: PENDING_CALLS_MAX },
    });
    for (const { call } of link.calls) link.answer(call.dispatch_id, toolResult({ ok: true }));
    for (const reply of await Promise.all(running)) expect(told(reply)).toEqual({ ok: true });
    expect(link.calls).toHaveLength(PENDING_CALLS_MAX);
  });

  it('with arguments that no frame can carry is refused and never recorded', async () => {
    const link = await FakeLink.connect(rig.device);
    const reply = told(await send({ class: 'write', args: { content: 'x'.repeat(1024 * 1024) } }));
    expect(reply).toMatchObject({ code: 'payload_too_large', delivery: 'not_delivered', retryable: false });
    expect(await receiptOf(rig, reply.dispatch_id as string)).toBeUndefined();
    expect(link.calls).toHaveLength(0);
  });

  it('to an older runtime leaves out what it lacks, and is refused where that is a guard', async () => {
    verifies('edge.epoch-arguments');
    const link = await FakeLink.connect(rig.device, { runtime: runtimeFacts(RUNTIME_EPOCHS[4]) });
    const narrowed = send({ tool: 'herdr_inspect', args: { workspace: 'w1' } });
    const { call, args } = await link.nextCall();
    expect({ args, epoch: call.contract_epoch }).toEqual({ args: {}, epoch: 4 });
    link.answer(call.dispatch_id, toolResult({ ok: true }));
    await narrowed;
    const guarded = told(await send({ class: 'write', args: { path: '/a', content: '', idempotency_key: 'k' } }));
    expect(guarded).toMatchObject({
      code: 'argument_not_in_contract',
      delivery: 'not_delivered',
      details: { arguments: ['idempotency_key'], contract_epoch: 4 },
    });
  });

  it('of a revoked connector is refused whoever cached its token, and the link hears of it', async () => {
    verifies('oauth.revocation');
    const link = await FakeLink.connect(rig.device);
    await rig.object().revokeConnector('conn_gone');
    await rig.object().revokeConnector('conn_gone');
    expect(await send({ principalId: 'conn_gone' })).toEqual({ kind: 'revoked' });
    await link.until(() => link.of('revoke').some((frame) => frame.connector_id === 'conn_gone'), 'the notice');
    await evictDurableObject(rig.object());
    expect(await send({ principalId: 'conn_gone' })).toEqual({ kind: 'revoked' });
    expect(await rig.object().lookUp({ last: 1 }, 'conn_gone')).toEqual({ revoked: true });
    const again = await FakeLink.connect(rig.device);
    await again.until(() => again.of('revoke').some((frame) => frame.connector_id === 'conn_gone'), 'the notice again');
  });
});

describe('a caller who goes away', () => {
  it('stops a read', async () => {
    const link = await FakeLink.connect(rig.device);
    const input = await callInput(rig);
    const calling = rig.object().call(input);
    await link.nextCall();
    await rig.object().cancel(input.call.dispatch_id, false);
    expect(told(await calling)).toMatchObject({ code: 'cancelled' });
    await link.until(() => link.of('cancel').length === 1, 'the cancel');
  });

  it('leaves a write running, unless it asked to stop', async () => {
    const link = await FakeLink.connect(rig.device);
    const input = await callInput(rig, { class: 'write' });
    const calling = rig.object().call(input);
    await link.nextCall();
    await rig.object().cancel(input.call.dispatch_id, false);
    expect(link.of('cancel')).toHaveLength(0);
    await rig.object().cancel(input.call.dispatch_id, true);
    await link.until(() => link.of('cancel').length === 1, 'the cancel');
    link.answer(input.call.dispatch_id, toolResult({ ok: false, code: 'cancelled' }), { ok: false, code: 'cancelled' });
    expect(told(await calling)).toMatchObject({ code: 'cancelled' });
    expect(await settledReceipt(input.call.dispatch_id)).toMatchObject({ delivery: 'delivered', code: 'cancelled' });
  });
});

describe('what is written down', () => {
  it('is nothing for reads, and two rows for a write; idle links and pings cost nothing', async () => {
    verifies('dispatch.reads-cost-nothing');
    const link = await FakeLink.connect(rig.device);
    const answered = new Set<string>();
    link.onCall = ({ call }) => {
      answered.add(call.dispatch_id);
      link.answer(call.dispatch_id, toolResult({ ok: true }));
    };
    const before = await rowsWritten();
    for (let i = 0; i < 10; i++) await send();
    link.sendRaw('ping');
    await link.until(() => link.texts.includes('pong'), 'a pong');
    await rig.object().status();
    await rig.object().lookUp({ last: 5 }, PRINCIPAL.id);
    expect(await rowsWritten()).toBe(before);
    const write = async () => {
      const input = await callInput(rig, { class: 'write' });
      await rig.object().call(input);
      await settledReceipt(input.call.dispatch_id);
      return rowsWritten();
    };
    // The first write of a day also arms the sweep.
    const armed = await write();
    expect(armed - before).toBe(3);
    expect((await write()) - armed).toBe(2);
  });

  it('precedes the sending: when a frame is out, its receipt is there', async () => {
    verifies('dispatch.at-most-once');
    const link = await FakeLink.connect(rig.device);
    const calling = send({ class: 'write', tool: 'herdr_exec', keyDigest: 'sha256:key' });
    const { call } = await link.nextCall();
    expect(await receiptOf(rig, call.dispatch_id)).toMatchObject({
      tool: 'herdr_exec',
      delivery: null,
      settled_at_ms: null,
    });
    link.answer(call.dispatch_id, toolResult({ ok: true }));
    await calling;
  });

  it('is facts only: no argument and no result is in any table', async () => {
    const link = await FakeLink.connect(rig.device);
    const secret = 'violet-elephant';
    const result = toolResult({ ok: true, secret });
    link.onCall = ({ call }) => link.answer(call.dispatch_id, result);
    const input = await callInput(rig, { class: 'write', args: { path: '/a', content: secret } });
    await rig.object().call(input);
    const receipt = await settledReceipt(input.call.dispatch_id);
    expect(receipt).toMatchObject({ size: result.byteLength, result_digest: await sha256(result), ok: true });
    const dump = await runInDurableObject(rig.object(), (_, { storage }) =>
      ['receipts', 'device', 'tombstones'].map((table) => storage.sql.exec(`SELECT * FROM ${table}`).toArray()),
    );
    expect(JSON.stringify(dump)).not.toContain(secret);
  });

  it('is found by id, by key, and as the last ones of this connector; nobody sees another one’s', async () => {
    verifies('dispatch.receipts');
    const link = await FakeLink.connect(rig.device);
    link.onCall = ({ call }) => link.answer(call.dispatch_id, toolResult({ ok: true }));
    const ids: string[] = [];
    for (const keyDigest of ['sha256:a', 'sha256:b', 'sha256:a']) {
      const input = await callInput(rig, { class: 'write', keyDigest });
      ids.push(input.call.dispatch_id);
      await rig.object().call(input);
      await settledReceipt(input.call.dispatch_id);
    }
    const found = async (
      query: Parameters<ReturnType<Rig['object']>['lookUp']>[0],
      principal: string = PRINCIPAL.id,
    ) => {
      const answer = await rig.object().lookUp(query, principal);
      return 'receipts' in answer ? answer.receipts.map((receipt) => receipt.dispatch_id) : [];
    };
    const newestFirst = [...ids].sort().reverse();
    expect(await found({ last: 10 })).toEqual(newestFirst);
    expect(await found({ last: 1 })).toEqual(newestFirst.slice(0, 1));
    expect((await found({ keyDigest: 'sha256:a' })).sort()).toEqual([ids[0], ids[2]].sort());
    expect(await found({ dispatchId: ids[1] as string })).toEqual([ids[1]]);
    expect(await found({ last: 10 }, 'conn_other')).toEqual([]);
    expect(await found({ dispatchId: ids[1] as string }, 'conn_other')).toEqual([]);
    expect(await found({ keyDigest: 'sha256:c' })).toEqual([]);
  });

  it('is swept after a day by one alarm, which comes back only while something is left', async () => {
    const link = await FakeLink.connect(rig.device);
    link.onCall = ({ call }) => link.answer(call.dispatch_id, toolResult({ ok: true }));
    const input = await callInput(rig, { class: 'write' });
    await rig.object().call(input);
    await settledReceipt(input.call.dispatch_id);
    const alarmAt = () => runInDurableObject(rig.object(), (_, { storage }) => storage.getAlarm());
    const first = await eventually(async () => (await alarmAt()) ?? undefined, 'the alarm');
    expect(first - Date.now()).toBeGreaterThan(RECEIPT_TTL_MS - 60_000);
    await rig.object().call(await callInput(rig, { class: 'write' }));
    expect(await alarmAt()).toBe(first);

    await runDurableObjectAlarm(rig.object());
    expect(await receiptOf(rig, input.call.dispatch_id)).toBeDefined();
    await eventually(async () => (await alarmAt()) ?? undefined, 'the next alarm');

    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + RECEIPT_TTL_MS + 1000);
    await runDurableObjectAlarm(rig.object());
    vi.restoreAllMocks();
    const left = await runInDurableObject(rig.object(), (_, { storage }) =>
      Number(storage.sql.exec('SELECT count(*) AS n FROM receipts').one().n),
    );
    expect(left).toBe(0);
    expect(await alarmAt()).toBeNull();
  });
});

describe('a large result', () => {
  const large = (bytes: number) => {
    const body = new Uint8Array(bytes).fill(0x61);
    body[0] = 0x7b;
    body[bytes - 1] = 0x7d;
    return body;
  };

  it.each([CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 3 * CHUNK_BYTES, RESULT_BYTES_MAX])(
    'of %i bytes arrives whole',
    async (size) => {
      verifies('link.large-results');
      const link = await FakeLink.connect(rig.device);
      const calling = send();
      const { call } = await link.nextCall();
      const body = large(size);
      link.answer(call.dispatch_id, body);
      const reply = await calling;
      expect(reply.kind === 'result' && (await sha256(reply.body))).toBe(await sha256(body));
    },
  );

  it('of one byte too many fails its call alone', async () => {
    verifies('link.large-results');
    const link = await FakeLink.connect(rig.device);
    const calling = send({ class: 'write' });
    const { call } = await link.nextCall();
    link.answer(call.dispatch_id, large(RESULT_BYTES_MAX + 1));
    expect(told(await calling)).toMatchObject({ code: 'response_too_large', delivery: 'delivered', retryable: false });
    expect(await settledReceipt(call.dispatch_id)).toMatchObject({ code: 'response_too_large', delivery: 'delivered' });
    const next = send();
    link.answer((await link.nextCall(2)).call.dispatch_id, toolResult({ ok: true }));
    expect(told(await next)).toEqual({ ok: true });
  });

  it('does not keep a small one waiting: chunks of both may come in any order', async () => {
    verifies('link.fairness');
    const link = await FakeLink.connect(rig.device);
    const slow = send();
    const quick = send();
    const [a, b] = [(await link.nextCall(1)).call.dispatch_id, (await link.nextCall(2)).call.dispatch_id];
    const body = large(2 * CHUNK_BYTES);
    const frames = [...resultFrames(resultOf(a, body), body)];
    link.socket.send(frames[0] as Uint8Array);
    link.answer(b, toolResult({ ok: true, quick: true }));
    expect(told(await quick)).toMatchObject({ quick: true });
    link.socket.send(frames[1] as Uint8Array);
    const reply = await slow;
    expect(reply.kind === 'result' && reply.body.byteLength).toBe(body.byteLength);
  });

  it('with a chunk twice is whole; with a gap the link is asked to begin again', async () => {
    const link = await FakeLink.connect(rig.device);
    const calling = send();
    const { call } = await link.nextCall();
    const body = large(3 * CHUNK_BYTES);
    const [first, second, third] = [...resultFrames(resultOf(call.dispatch_id, body), body)] as [
      Uint8Array,
      Uint8Array,
      Uint8Array,
    ];
    link.socket.send(first);
    link.socket.send(third);
    await link.until(() => link.of('problem').length > 0, 'a problem');
    expect(link.of('problem')[0]).toMatchObject({ code: 'out_of_order', dispatch_id: call.dispatch_id });
    for (const frame of [first, second, first, second, third]) link.socket.send(frame);
    const reply = await calling;
    expect(reply.kind === 'result' && (await sha256(reply.body))).toBe(await sha256(body));
  });

  it('beside others above 32 MiB fails alone, and the others arrive', async () => {
    const link = await FakeLink.connect(rig.device);
    const calls = [send(), send(), send()];
    await link.nextCall(3);
    const bodies = link.calls.map(() => large(12 * 1024 * 1024));
    const frames = link.calls.map(({ call }, i) => [
      ...resultFrames(resultOf(call.dispatch_id, bodies[i] as Uint8Array), bodies[i] as Uint8Array),
    ]);
    for (const list of frames) link.socket.send(list[0] as Uint8Array);
    expect(told(await (calls[2] as Promise<CallReply>))).toMatchObject({ code: 'response_too_large' });
    for (const list of frames.slice(0, 2)) for (const frame of list.slice(1)) link.socket.send(frame);
    for (const reply of await Promise.all(calls.slice(0, 2))) {
      expect(reply.kind === 'result' && reply.body.byteLength).toBe(12 * 1024 * 1024);
    }
  });
});

describe('frames that cannot be used', () => {
  it('are answered with a problem and end nothing', async () => {
    verifies('link.malformed');
    const link = await FakeLink.connect(rig.device);
    const problems: Array<[string | Uint8Array, string]> = [
      ['not binary', 'malformed'],
      [new Uint8Array(0), 'malformed'],
      [new Uint8Array([255, 255, 255, 255, 1]), 'malformed'],
      [header('{'), 'malformed'],
      [header('[]'), 'malformed'],
      [header('{"kind":"result"}'), 'malformed'],
      [header('{"kind":"brand-new","x":1}'), 'unknown_kind'],
      [
        encodeFrame({
          kind: 'welcome',
          protocol: 2,
          edge_version: '',
          now_ms: 0,
          awaited: [],
          settled: [],
          missing: [],
        }),
        'out_of_order',
      ],
    ];
    for (const [frame, code] of problems) {
      const before = link.of('problem').length;
      link.sendRaw(frame);
      await link.until(() => link.of('problem').length > before, `a problem for ${code}`);
      expect(link.of('problem').at(-1)).toMatchObject({ code });
    }
    const calling = send();
    const { call } = await link.nextCall();
    link.answer(call.dispatch_id, toolResult({ ok: true }));
    expect(told(await calling)).toEqual({ ok: true });
    expect(link.closed).toBeUndefined();
  });

  it('and name a dispatch end that call alone', async () => {
    verifies('link.malformed');
    const link = await FakeLink.connect(rig.device);
    const calling = send();
    const { call } = await link.nextCall();
    const body = new Uint8Array(2 * 1024 * 1024);
    const head = new TextEncoder().encode(
      JSON.stringify({ kind: 'result', result: resultOf(call.dispatch_id, body), offset: 0, last: true }),
    );
    const frame = new Uint8Array(4 + head.length + body.length);
    new DataView(frame.buffer).setUint32(0, head.length);
    frame.set(head, 4);
    link.sendRaw(frame);
    expect(told(await calling)).toMatchObject({ code: 'response_too_large', delivery: 'delivered' });
    expect(link.closed).toBeUndefined();
  });

  it('of the edge’s, reported by the link, end the call that they carried', async () => {
    const link = await FakeLink.connect(rig.device);
    const calling = send({ class: 'write' });
    const { call } = await link.nextCall();
    link.send({ kind: 'problem', code: 'malformed', message: 'what?', dispatch_id: call.dispatch_id });
    expect(told(await calling)).toMatchObject({ code: 'delivery_uncertain', delivery: 'unknown', retryable: false });
  });

  it('with results of unknown or foreign dispatches are dropped and acknowledged', async () => {
    const link = await FakeLink.connect(rig.device);
    const stranger = freshDispatchId();
    link.answer(stranger, toolResult({ ok: true }));
    await link.until(() => link.acked.includes(stranger), 'the acknowledgement');
    expect(await receiptOf(rig, stranger)).toBeUndefined();
  });
});

function header(text: string): Uint8Array {
  const head = new TextEncoder().encode(text);
  const frame = new Uint8Array(4 + head.length);
  new DataView(frame.buffer).setUint32(0, head.length);
  frame.set(head, 4);
  return frame;
}
