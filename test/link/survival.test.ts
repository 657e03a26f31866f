/** Calls go on when a socket, a runtime or the pointer to it changes under them. */
import { rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { onePiece } from '../../contract/link/index.ts';
import { statePaths } from '../../local/paths/index.ts';
import { verifies } from '../verifies.ts';
import { at, gate } from './support/each.ts';
import { FakeRuntime, text } from './support/fake-runtime.ts';
import { TestClock } from './support/test-clock.ts';
import { until } from './support/workstation.ts';

describe('the socket is cut', () => {
  it('under running calls: each is answered on the next socket, none runs again', async () => {
    verifies('dispatch.survives-cut', 'dispatch.at-most-once');
    const { tool, release } = gate();
    at.runtime.tool = tool;
    const before = await at.connect();
    const ids = Array.from({ length: 50 }, (_, n) =>
      before.call({ class: n % 2 ? 'write' : 'read' }, { slow: true, n }),
    );
    await until(() => at.runtime.ran.length === 50);
    at.edge.onHello = (hello) => at.edge.welcome(hello, { awaited: ids });
    at.edge.cut();
    await until(() => at.edge.sockets.length === 2);
    release();
    const after = at.socket();
    await until(() => ids.every((id) => after.results.has(id)));
    expect(after.of('hello')[0]?.holds).toHaveLength(50);
    expect(at.runtime.ran).toHaveLength(50);
  });

  it('after a result was sent and before it was acknowledged: it is sent again, awaited ones first', async () => {
    at.edge.acknowledge = false;
    const before = await at.connect();
    const early = before.call({ class: 'write' });
    await until(() => before.results.has(early));
    const late = before.call({ class: 'write' });
    await until(() => before.results.has(late));
    at.edge.acknowledge = true;
    at.edge.onHello = (hello) => at.edge.welcome(hello, { awaited: [late] });
    at.edge.cut();
    await until(() => at.edge.sockets.length === 2 && at.socket().results.size === 2);
    expect(
      at
        .socket()
        .of('result')
        .map(({ result }) => result.dispatch_id),
    ).toEqual([late, early]);
    await until(() => at.runtime.acked.includes(late) && at.runtime.acked.includes(early));
  });

  it('and what the edge calls settled is forgotten, here and in the runtime', async () => {
    at.edge.acknowledge = false;
    const before = await at.connect();
    const id = before.call({ class: 'write' });
    await until(() => before.results.has(id));
    at.edge.onHello = (hello) => at.edge.welcome(hello, { settled: hello.holds.map((hold) => hold.dispatch_id) });
    at.edge.cut();
    await until(() => at.runtime.acked.includes(id));
    at.edge.cut();
    await until(() => at.edge.sockets.length === 3 && at.socket().of('hello').length === 1);
    expect(at.socket().of('hello')[0]?.holds).toEqual([]);
    expect(at.socket().of('result')).toEqual([]);
  });

  it('while a call waits for a place: it is not lost', async () => {
    const { tool, release } = gate();
    at.runtime.tool = tool;
    const before = await at.connect();
    for (let n = 0; n < 64; n += 1) before.call({}, { slow: true });
    const waiting = before.call({ class: 'write' }, { n: 1 });
    await until(() => at.runtime.ran.length === 64);
    at.edge.cut();
    await until(() => at.state === 'connected' && at.edge.sockets.length === 2);
    release();
    await until(() => at.socket().results.has(waiting));
    expect(at.runtime.ran).toHaveLength(65);
  });
});

describe('the runtime', () => {
  it('loses the connection of a running call: the call is joined, not repeated', async () => {
    verifies('dispatch.at-most-once', 'runtime.call-join');
    const { tool, release } = gate();
    at.runtime.tool = tool;
    const socket = await at.connect();
    const id = socket.call({ class: 'write' }, { slow: true });
    await until(() => at.runtime.ran.length === 1);
    at.runtime.cut();
    await until(() => at.runtime.arrivals.filter((each) => each === 'call').length === 2);
    release();
    await until(() => socket.results.has(id));
    expect(at.runtime.ran).toHaveLength(1);
  });

  it('is down when a call comes, and back a moment later: the call is handed over then', async () => {
    const socket = await at.connect();
    await at.runtime.close();
    const id = socket.call({ class: 'write' });
    await until(() => socket.of('accepted').length === 1);
    await at.runtime.listen();
    await until(() => socket.results.has(id));
    expect(socket.results.get(id)?.envelope.ok).toBe(true);
  });

  it('stays down: the call was certainly not delivered, and the edge hears that there is no runtime', async () => {
    verifies('link.outcome-table');
    const clock = new TestClock();
    const socket = await at.connect({ clock });
    await at.runtime.close();
    rmSync(statePaths(at.stateDir).runtimeActive);
    const id = socket.call({ class: 'write' });
    await clock.passUntil(() => socket.results.has(id));
    const { envelope, body } = socket.results.get(id) ?? {};
    expect(envelope).toMatchObject({ delivery: 'not_delivered', ok: false, code: 'runtime_unavailable' });
    const result = JSON.parse(new TextDecoder().decode(body)) as { isError: boolean; content: [{ text: string }] };
    expect(result.isError).toBe(true);
    expect(JSON.parse(result.content[0].text)).toMatchObject({ ok: false, retryable: true, dispatch_id: id });
    await clock.passUntil(() => socket.of('hello').length >= 2);
    expect(socket.of('hello').at(-1)?.runtime).toBeUndefined();
    await at.runtime.listen();
    at.runtime.announce(at.stateDir);
    await clock.passUntil(() => socket.of('hello').at(-1)?.runtime !== undefined);
  });

  it('that accepts and then refuses to start takes nothing: the call waits for the next', async () => {
    const socket = await at.connect();
    let refusals = 0;
    at.runtime.interceptCall = () => {
      if (refusals >= 2) return undefined;
      refusals += 1;
      return [onePiece(0, 503, [text('{"code":"draining","message":"draining"}')])];
    };
    const id = socket.call({ class: 'write' });
    await until(() => socket.results.has(id));
    expect(socket.results.get(id)?.envelope.ok).toBe(true);
    expect(at.runtime.ran).toHaveLength(1);
  });

  it('is told of cancels, of revoked connectors, and what waits is cancelled here', async () => {
    const { tool, release } = gate();
    at.runtime.tool = tool;
    const socket = await at.connect();
    const running = Array.from({ length: 64 }, () => socket.call({}, { slow: true }));
    const waiting = socket.call({ class: 'write' });
    await until(() => at.runtime.ran.length === 64);
    socket.send({ kind: 'cancel', dispatch_id: waiting });
    socket.send({ kind: 'cancel', dispatch_id: running[0] as string, reason: 'the caller left' });
    socket.send({ kind: 'revoke', connector_id: 'conn_1' });
    await until(
      () => socket.results.has(waiting) && at.runtime.cancelled.length === 1 && at.runtime.revoked.length === 1,
    );
    expect(socket.results.get(waiting)?.envelope).toMatchObject({ code: 'cancelled', delivery: 'not_delivered' });
    expect(at.runtime.cancelled).toEqual([running[0]]);
    expect(at.runtime.revoked).toEqual(['conn_1']);
    release();
    await until(() => running.every((id) => socket.results.has(id)));
    expect(at.runtime.ran).toHaveLength(64);
  });
});

describe('the pointer moves', () => {
  it('under running calls: those finish where they run, new ones go to the new generation, on the same socket', async () => {
    verifies('ab.promotion');
    const { tool, release } = gate();
    at.runtime.tool = tool;
    const next = await new FakeRuntime('b', at.runtime.ledger).listen();
    const socket = await at.connect();
    const old = socket.call({ class: 'write' }, { slow: true });
    await until(() => at.runtime.ran.length === 1);
    next.announce(at.stateDir, true, 2);
    await until(() => socket.of('hello').length === 2);
    expect(socket.of('hello')[1]).toMatchObject({
      runtime: { generation: 'b', boot_id: next.bootId },
      holds: [{ dispatch_id: old, state: 'running' }],
    });
    const young = socket.call({ class: 'write' });
    await until(() => socket.results.has(young));
    expect(next.ran.map(({ envelope }) => envelope.dispatch_id)).toEqual([young]);
    release();
    await until(() => socket.results.has(old));
    expect(at.runtime.ran).toHaveLength(1);
    expect(at.edge.sockets).toHaveLength(1);
    await next.close();
  });

  it('and a session of the old generation is still reached there', async () => {
    const next = await new FakeRuntime('b').listen();
    const socket = await at.connect();
    next.announce(at.stateDir, true, 2);
    await until(() => socket.of('hello').length === 2);
    const here = socket.call({ tool: 'herdr_exec_read' }, { session_id: 'es_a_1' });
    const there = socket.call({ tool: 'herdr_exec_read' }, { session_id: 'es_b_1' });
    await until(() => socket.results.has(here) && socket.results.has(there));
    expect(at.runtime.ran.map(({ envelope }) => envelope.dispatch_id)).toEqual([here]);
    expect(next.ran.map(({ envelope }) => envelope.dispatch_id)).toEqual([there]);
    at.runtime.retire(at.stateDir);
    const gone = socket.call({ tool: 'herdr_exec_read' }, { session_id: 'es_a_1' });
    await until(() => socket.results.has(gone));
    expect(next.ran.map(({ envelope }) => envelope.dispatch_id)).toEqual([there, gone]);
    await next.close();
  });

  it('after the process that had the call is gone: the other one says what became of it', async () => {
    verifies('ab.promotion');
    const { tool } = gate();
    at.runtime.tool = tool;
    const socket = await at.connect();
    const id = socket.call({ class: 'write' }, { slow: true });
    await until(() => at.runtime.ran.length === 1);
    const body = text('interrupted');
    const envelope = {
      dispatch_id: id,
      delivery: 'unknown' as const,
      ok: false,
      code: 'interrupted',
      size: body.length,
    };
    const next = new FakeRuntime(
      'b',
      new Map([[id, { class: 'write', promise: Promise.resolve({ envelope, body }), finished: true }]]),
    );
    await next.listen();
    at.runtime.retire(at.stateDir);
    next.announce(at.stateDir, true, 2);
    await at.runtime.close();
    await until(() => socket.results.has(id));
    expect(socket.results.get(id)?.envelope).toMatchObject({ delivery: 'unknown', code: 'interrupted' });
    expect(next.ran).toEqual([]);
    await next.close();
  });
});
