/**
 * What becomes of a call when something breaks under it, at every point where something can.
 * Long because every file here loads the whole Worker into a workerd of its own, which takes seconds.
 */
import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { beforeEach, describe, expect, it } from 'vitest';
import { dispatchId } from '../../../contract/ids.ts';
import { CALL_MS_MAX, CHUNK_BYTES } from '../../../contract/limits.ts';
import { resultFrames } from '../../../contract/link/index.ts';
import { carry } from '../../../edge/mcp/carry.ts';
import type { CallInput, CallReply } from '../../../edge/workstation/index.ts';
import { verifies } from '../../verifies.ts';
import { stayInMemory } from '../evictions.ts';
import { FakeLink, resultOf, runtimeFacts, toolResult } from './fake-link.ts';
import {
  bindings,
  callInput,
  eventually,
  freshEdge,
  LONG_ENOUGH_TO_BE_SENT_MS,
  type Rig,
  receiptOf,
  told,
  type Wish,
} from './rig.ts';

let rig: Rig;
beforeEach(async () => {
  rig = await freshEdge();
});

const running = (dispatch_id: string) => [{ dispatch_id, state: 'running' as const }];
/** The runtime's process died too. */
const anotherRuntime = () => ({ ...runtimeFacts(), boot_id: 'boot-runtime-2' });
const finished = (dispatch_id: string) => [{ dispatch_id, state: 'finished' as const }];

/** Kills the object as a deploy does: what runs in it is gone, its sockets are closed. */
async function kill(): Promise<void> {
  await expect(
    runInDurableObject(rig.object(), (_, state) => {
      state.abort('reset under the call');
    }),
  ).rejects.toThrow();
}

async function begin(wish: Wish = {}): Promise<{ input: CallInput; reply: Promise<CallReply> }> {
  const input = await callInput(rig, wish);
  return { input, reply: carry(bindings, input) };
}

describe.each(['read', 'write'] as const)('the socket is cut under a %s', (callClass) => {
  it('and the link comes back holding it: the caller gets the answer as if nothing had happened', async () => {
    verifies('dispatch.survives-cut');
    const first = await FakeLink.connect(rig.device);
    const { reply } = await begin({ class: callClass });
    const { call } = await first.nextCall();
    await first.cut();
    const second = await FakeLink.open(rig.device);
    const welcome = await second.hello({ holds: running(call.dispatch_id) });
    expect(welcome).toMatchObject({ awaited: [call.dispatch_id], missing: [], settled: [] });
    second.answer(call.dispatch_id, toolResult({ ok: true, survived: true }));
    expect(told(await reply)).toEqual({ ok: true, survived: true });
    expect(second.calls).toHaveLength(0);
    await second.until(() => second.acked.includes(call.dispatch_id), 'the acknowledgement');
  });

  it('before the link had it, and the same process comes back: it is sent again, once, and runs once', async () => {
    verifies('dispatch.at-most-once', 'link.outcome-table');
    const first = await FakeLink.connect(rig.device, { bootId: 'boot-1' });
    const { reply } = await begin({ class: callClass });
    const { call } = await first.nextCall();
    await first.cut();
    const second = await FakeLink.open(rig.device);
    expect(await second.hello({ bootId: 'boot-1' })).toMatchObject({ missing: [call.dispatch_id] });
    expect((await second.nextCall()).call.dispatch_id).toBe(call.dispatch_id);
    second.answer(call.dispatch_id, toolResult({ ok: true }));
    expect(told(await reply)).toEqual({ ok: true });
    expect(second.calls).toHaveLength(1);
  });

  it('in the middle of its result: the rest comes over the next connection', async () => {
    verifies('dispatch.survives-cut');
    const first = await FakeLink.connect(rig.device);
    const { reply } = await begin({ class: callClass });
    const { call } = await first.nextCall();
    const body = toolResult({ ok: true, text: 'x'.repeat(3 * CHUNK_BYTES) });
    const frames = [...resultFrames(resultOf(call.dispatch_id, body), body)];
    first.socket.send(frames[0] as Uint8Array);
    first.socket.send(frames[1] as Uint8Array);
    await first.cut();
    const second = await FakeLink.connect(rig.device, { holds: finished(call.dispatch_id) });
    second.answer(call.dispatch_id, body);
    expect(told(await reply)).toMatchObject({ ok: true });
  });

  it('and another process without it comes back', async () => {
    verifies('link.restart', 'link.outcome-table');
    const first = await FakeLink.connect(rig.device, { bootId: 'boot-1' });
    const { reply } = await begin({ class: callClass });
    const { call } = await first.nextCall();
    first.send({ kind: 'accepted', dispatch_id: call.dispatch_id });
    await first.cut();
    const second = await FakeLink.connect(rig.device, { bootId: 'boot-2', runtime: anotherRuntime() });
    if (callClass === 'read') {
      expect((await second.nextCall()).call.dispatch_id).toBe(call.dispatch_id);
      await second.cut();
      await FakeLink.connect(rig.device, { bootId: 'boot-3' });
      expect(told(await reply)).toMatchObject({ code: 'interrupted', delivery: 'unknown', retryable: true });
    } else {
      expect(told(await reply)).toMatchObject({ code: 'interrupted', delivery: 'unknown', retryable: false });
      expect(second.calls).toHaveLength(0);
      expect(await receiptOf(rig, call.dispatch_id)).toMatchObject({ delivery: 'unknown', code: 'interrupted' });
    }
  });
});

describe('a write', () => {
  it('waits for the verdict of a link that sees no runtime yet', async () => {
    const first = await FakeLink.connect(rig.device, { bootId: 'boot-1' });
    const { reply } = await begin({ class: 'write' });
    const { call } = await first.nextCall();
    await first.cut();
    const second = await FakeLink.connect(rig.device, { bootId: 'boot-2', runtime: null });
    await second.hello({ bootId: 'boot-2', holds: running(call.dispatch_id) });
    second.answer(call.dispatch_id, toolResult({ ok: true, late: true }));
    expect(told(await reply)).toMatchObject({ late: true });
    expect(second.calls).toHaveLength(0);
  });

  it.each(['unknown', 'not_delivered'] as const)(
    'that was accepted and then denied is never sent again: its ledger is asked, and the caller hears %s',
    async (delivery) => {
      verifies('dispatch.at-most-once', 'link.outcome-table');
      const first = await FakeLink.connect(rig.device, { bootId: 'boot-1' });
      const { reply } = await begin({ class: 'write' });
      const { call } = await first.nextCall();
      first.send({ kind: 'accepted', dispatch_id: call.dispatch_id });
      await first.cut();
      const second = await FakeLink.open(rig.device);
      second.onSettle = (id, link) => link.verdict(id, delivery);
      await second.hello({ bootId: 'boot-1' });
      expect(told(await reply)).toMatchObject({ code: 'interrupted', delivery });
      expect(second.of('settle')).toEqual([
        { kind: 'settle', dispatch_id: call.dispatch_id, runtime_boot_id: runtimeFacts().boot_id },
      ]);
      expect(second.calls).toHaveLength(0);
      await eventually(
        async () => ((await receiptOf(rig, call.dispatch_id))?.delivery === delivery ? true : undefined),
        'the receipt',
      );
    },
  );

  it('in doubt is asked about again over the next connection, and still not sent', async () => {
    verifies('dispatch.at-most-once');
    const first = await FakeLink.connect(rig.device, { bootId: 'boot-1' });
    const { reply } = await begin({ class: 'write' });
    await first.nextCall();
    await first.cut();
    const mute = await FakeLink.open(rig.device);
    mute.onSettle = () => undefined;
    await mute.hello({ bootId: 'boot-2', runtime: anotherRuntime() });
    await mute.until(() => mute.of('settle').length === 1, 'the question');
    await mute.cut();
    const third = await FakeLink.open(rig.device);
    third.onSettle = (id, link) => link.answer(id, toolResult({ ok: true, found: true }));
    await third.hello({ bootId: 'boot-2', runtime: anotherRuntime() });
    expect(told(await reply)).toEqual({ ok: true, found: true });
    expect(third.of('settle')[0]?.runtime_boot_id).toBe(runtimeFacts().boot_id);
    expect(mute.calls.length + third.calls.length).toBe(0);
  });

  it('of a link and an object that both died goes to the runtime that lives on, which the receipt names', async () => {
    verifies('link.restart', 'dispatch.survives-object-reset', 'dispatch.at-most-once');
    const first = await FakeLink.connect(rig.device, { bootId: 'boot-1' });
    const { reply } = await begin({ class: 'write' });
    const { call } = await first.nextCall();
    await kill();
    const second = await FakeLink.connect(rig.device, { bootId: 'boot-2' });
    expect((await second.nextCall()).call.dispatch_id).toBe(call.dispatch_id);
    second.answer(call.dispatch_id, toolResult({ ok: true }));
    expect(told(await reply)).toEqual({ ok: true });
  });

  it('whose link alone died goes under the same id to the runtime that lives on, whose ledger knows it once', async () => {
    verifies('link.restart', 'link.outcome-table', 'dispatch.at-most-once');
    const first = await FakeLink.connect(rig.device, { bootId: 'boot-1' });
    const { reply } = await begin({ class: 'write' });
    const { call } = await first.nextCall();
    first.send({ kind: 'accepted', dispatch_id: call.dispatch_id });
    await first.cut();
    const second = await FakeLink.connect(rig.device, { bootId: 'boot-2' });
    expect((await second.nextCall()).call.dispatch_id).toBe(call.dispatch_id);
    second.answer(call.dispatch_id, toolResult({ ok: true, once: true }));
    expect(told(await reply)).toMatchObject({ ok: true, once: true });
    await eventually(
      async () => ((await receiptOf(rig, call.dispatch_id))?.delivery === 'delivered' ? true : undefined),
      'the receipt',
    );
  });

  it('whose object and caller are gone is closed when it is looked up, though it was too young at the hello', async () => {
    verifies('dispatch.receipts');
    const first = await FakeLink.connect(rig.device, { bootId: 'boot-1' });
    // Made so long ago that the Worker's 45 s for coming back are over in a second.
    const id = dispatchId(Date.now() - CALL_MS_MAX + 1000, crypto.getRandomValues(new Uint8Array(10)));
    const input = await callInput(rig, { class: 'write', id });
    const lost = rig.object().call(input);
    lost.catch(() => undefined);
    await first.nextCall();
    await kill();
    const second = await FakeLink.connect(rig.device, { bootId: 'boot-1' });
    second.onSettle = (asked, link) => link.verdict(asked, 'not_delivered');
    await eventually(async () => ((await receiptOf(rig, id))?.delivery ? true : undefined), 'the verdict');
    expect(await receiptOf(rig, id)).toMatchObject({ delivery: 'not_delivered', code: 'interrupted' });
    await expect(lost).rejects.toThrow();
  });

  it('whose result comes after the verdict "unknown" corrects the receipt', async () => {
    verifies('dispatch.receipts');
    const first = await FakeLink.connect(rig.device, { bootId: 'boot-1' });
    const { reply } = await begin({ class: 'write' });
    const { call } = await first.nextCall();
    await first.cut();
    const second = await FakeLink.connect(rig.device, { bootId: 'boot-2', runtime: anotherRuntime() });
    expect(told(await reply)).toMatchObject({ delivery: 'unknown' });
    second.answer(call.dispatch_id, toolResult({ ok: true }));
    await eventually(
      async () => ((await receiptOf(rig, call.dispatch_id))?.delivery === 'delivered' ? true : undefined),
      'the correction',
    );
  });

  it('whose caller left is settled by what a later link holds, and closed when it holds nothing', async () => {
    verifies('dispatch.receipts');
    // An object that did not see the caller leave waits until nobody can be waiting any more; a test above shows it.
    stayInMemory();
    const first = await FakeLink.connect(rig.device, { bootId: 'boot-1' });
    const ids: string[] = [];
    for (let i = 0; i < 2; i++) {
      const { input, reply } = await begin({ class: 'write', deadlineInMs: LONG_ENOUGH_TO_BE_SENT_MS });
      ids.push(input.call.dispatch_id);
      expect(told(await reply)).toMatchObject({ code: 'request_timeout', delivery: 'unknown' });
    }
    await first.cut();
    const [held, gone] = ids as [string, string];
    const second = await FakeLink.connect(rig.device, { bootId: 'boot-2', holds: finished(held) });
    second.answer(held, toolResult({ ok: true }));
    await eventually(
      async () => ((await receiptOf(rig, held))?.delivery === 'delivered' ? true : undefined),
      'the result',
    );
    expect(await receiptOf(rig, gone)).toMatchObject({ delivery: 'unknown', code: 'interrupted' });
    await second.cut();
    const third = await FakeLink.open(rig.device);
    expect(await third.hello({ bootId: 'boot-2', holds: finished(held) })).toMatchObject({ settled: [held] });
  });
});

describe('no link is there', () => {
  it('but was moments ago: the call waits for it and is then sent', async () => {
    verifies('dispatch.survives-cut');
    const first = await FakeLink.connect(rig.device);
    await first.cut();
    // An object with a waiting call is not evicted: the plugin would wait for the end of the call.
    stayInMemory();
    const { reply } = await begin({ class: 'write' });
    const second = await FakeLink.connect(rig.device);
    const { call } = await second.nextCall();
    second.answer(call.dispatch_id, toolResult({ ok: true }));
    expect(told(await reply)).toEqual({ ok: true });
  });

  it('and does not come back in time: not delivered, nothing written down', async () => {
    verifies('link.outcome-table');
    const first = await FakeLink.connect(rig.device);
    await first.cut();
    const { input, reply } = await begin({ class: 'write', deadlineInMs: 200 });
    expect(told(await reply)).toMatchObject({ delivery: 'not_delivered', retryable: true });
    expect(await receiptOf(rig, input.call.dispatch_id)).toBeUndefined();
  });
});

describe.each(['read', 'write'] as const)('the object is reset under a %s', (callClass) => {
  it('that the link runs: the Worker attaches to the new object and gets the answer; one send in all', async () => {
    verifies('dispatch.survives-object-reset', 'dispatch.at-most-once');
    const first = await FakeLink.connect(rig.device);
    const { reply } = await begin({ class: callClass });
    const { call } = await first.nextCall();
    await kill();
    await first.until(() => first.closed !== undefined, 'the close');
    const second = await FakeLink.connect(rig.device, { holds: running(call.dispatch_id) });
    second.answer(call.dispatch_id, toolResult({ ok: true, survived: 'reset' }));
    expect(told(await reply)).toEqual({ ok: true, survived: 'reset' });
    expect(first.calls.length + second.calls.length).toBe(1);
    await second.until(() => second.acked.includes(call.dispatch_id), 'the acknowledgement');
  });

  it('that finished meanwhile: the result waits for the Worker', async () => {
    verifies('dispatch.survives-object-reset');
    const first = await FakeLink.connect(rig.device);
    const input = await callInput(rig, { class: callClass });
    const lost = rig.object().call(input);
    lost.catch(() => undefined);
    const { call } = await first.nextCall();
    await kill();
    const second = await FakeLink.open(rig.device);
    expect((await second.hello({ holds: finished(call.dispatch_id) })).settled).toEqual([]);
    second.answer(call.dispatch_id, toolResult({ ok: true, kept: true }));
    if (callClass === 'write') {
      await eventually(
        async () => ((await receiptOf(rig, call.dispatch_id))?.delivery ? true : undefined),
        'the receipt',
      );
    }
    expect(second.acked).not.toContain(call.dispatch_id);
    expect(told(await rig.object().call(input))).toEqual({ ok: true, kept: true });
    await second.until(() => second.acked.includes(call.dispatch_id), 'the acknowledgement');
    await expect(lost).rejects.toThrow();
  });

  it('before the link had it: the same process gets it once more', async () => {
    verifies('dispatch.survives-object-reset');
    const first = await FakeLink.connect(rig.device, { bootId: 'boot-1' });
    const { reply } = await begin({ class: callClass });
    await first.nextCall();
    await kill();
    const second = await FakeLink.connect(rig.device, { bootId: 'boot-1' });
    const { call } = await second.nextCall();
    second.answer(call.dispatch_id, toolResult({ ok: true }));
    expect(told(await reply)).toEqual({ ok: true });
  });

  it('again and again: still one answer', async () => {
    verifies('dispatch.survives-object-reset');
    let link = await FakeLink.connect(rig.device);
    const { reply } = await begin({ class: callClass });
    const { call } = await link.nextCall();
    for (let i = 0; i < 3; i++) {
      await kill();
      link = await FakeLink.connect(rig.device, { holds: running(call.dispatch_id) });
    }
    link.answer(call.dispatch_id, toolResult({ ok: true, at: 'last' }));
    expect(told(await reply)).toEqual({ ok: true, at: 'last' });
    expect(link.calls).toHaveLength(0);
  });
});

describe('an answer that was given', () => {
  it('and lost with the object is told as what the receipt knows, never run again', async () => {
    verifies('dispatch.at-most-once', 'link.outcome-table');
    const link = await FakeLink.connect(rig.device);
    const input = await callInput(rig, { class: 'write' });
    const calling = rig.object().call(input);
    const { call } = await link.nextCall();
    link.answer(call.dispatch_id, toolResult({ ok: true }));
    await calling;
    await link.until(() => link.acked.includes(call.dispatch_id), 'the acknowledgement');
    await kill();
    const again = await FakeLink.connect(rig.device);
    expect(told(await rig.object().call(input))).toMatchObject({
      code: 'delivery_uncertain',
      delivery: 'delivered',
      retryable: false,
    });
    expect(again.calls).toHaveLength(0);
  });
});

describe('hibernation', () => {
  it('between two steps changes nothing', async () => {
    verifies('dispatch.receipts', 'link.liveness');
    const link = await FakeLink.connect(rig.device);
    link.onCall = ({ call }) => link.answer(call.dispatch_id, toolResult({ ok: true }));
    for (const callClass of ['read', 'write', 'read', 'write'] as const) {
      await eventually(() => evictDurableObject(rig.object()).then(() => true), 'sleep');
      const { input, reply } = await begin({ class: callClass });
      expect(told(await reply)).toEqual({ ok: true });
      await link.until(() => link.acked.includes(input.call.dispatch_id), 'the acknowledgement');
    }
    expect(await rig.object().status()).toMatchObject({ connection: 'online', connections: 1 });
    expect(link.calls).toHaveLength(4);
  });

  it('wakes for a result that nobody waits for any more, settles its receipt and acknowledges it', async () => {
    const link = await FakeLink.connect(rig.device);
    const { input, reply } = await begin({ class: 'write', deadlineInMs: LONG_ENOUGH_TO_BE_SENT_MS });
    await reply;
    await evictDurableObject(rig.object());
    link.answer(input.call.dispatch_id, toolResult({ ok: true }));
    await eventually(
      async () => ((await receiptOf(rig, input.call.dispatch_id))?.delivery === 'delivered' ? true : undefined),
      'the receipt',
    );
  });
});
