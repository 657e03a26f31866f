import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CallEnvelope } from '../../contract/call.ts';
import { randomOf } from '../support/random.ts';
import { verifies } from '../verifies.ts';
import { DEVICE_ID, type FakeSocket, newDispatchId } from './support/fake-edge.ts';
import { FakeRuntime, text } from './support/fake-runtime.ts';
import { turn, until, Workstation } from './support/workstation.ts';

let at: Workstation;
let second: FakeRuntime;
beforeEach(async () => {
  at = await new Workstation().prepare();
  second = await new FakeRuntime('b', at.runtime.ledger).listen();
});
afterEach(async () => {
  await at.stop();
  await second.close();
});

/** What the edge does about calls whose callers wait: awaited when the link holds them, sent again only when it never had them. */
class Callers {
  readonly waiting = new Map<string, CallEnvelope>();
  readonly answers = new Map<string, string>();
  readonly lies: string[] = [];

  constructor() {
    at.edge.onHello = (hello, socket) => {
      const held = new Set(hello.holds.map((hold) => hold.dispatch_id));
      const accepted = new Set(
        at.edge.sockets.flatMap((each) => each.of('accepted').map((frame) => frame.dispatch_id)),
      );
      queueMicrotask(() => {
        for (const [id, call] of this.waiting) {
          if (held.has(id)) continue;
          if (accepted.has(id) && call.class === 'write') this.lies.push(`${id} was accepted and is not held`);
          else this.#send(socket, call);
        }
      });
      return at.edge.welcome(hello, { awaited: [...this.waiting.keys()].filter((id) => held.has(id)) });
    };
    at.edge.onCallResult = (socket, id) => {
      const { envelope, body } = socket.results.get(id) ?? {};
      if (envelope?.delivery !== 'delivered') this.lies.push(`${id}: ${envelope?.code} ${envelope?.delivery}`);
      const answer = new TextDecoder().decode(body);
      const before = this.answers.get(id);
      if (before !== undefined && before !== answer) this.lies.push(`${id} was answered ${before} and ${answer}`);
      this.answers.set(id, answer);
      this.waiting.delete(id);
    };
  }

  call(callClass: 'read' | 'write'): void {
    const call: CallEnvelope = {
      dispatch_id: newDispatchId(),
      tool: 'herdr_exec',
      class: callClass,
      device_id: DEVICE_ID,
      principal: { kind: 'connector', id: 'c', label: 'l' },
      contract_epoch: 5,
      deadline_ms: 30_000,
    };
    this.waiting.set(call.dispatch_id, call);
    const { latest } = at.edge;
    if (latest !== undefined && latest.closed === undefined && latest.of('hello').length > 0) this.#send(latest, call);
  }

  #send(socket: FakeSocket, call: CallEnvelope): void {
    if (socket.socket.readyState === socket.socket.OPEN) {
      socket.send({ kind: 'call', call }, new TextEncoder().encode(JSON.stringify({ id: call.dispatch_id })));
    }
  }
}

describe('while everything is cut at random', () => {
  it.each([2, 5, 24])('every call is answered once, and every write ran once (seed %i)', async (seed) => {
    verifies('dispatch.at-most-once', 'dispatch.survives-cut');
    const random = randomOf(seed);
    for (const runtime of [at.runtime, second]) {
      runtime.tool = async ({ envelope }) => {
        if (random() < 0.5) await turn();
        return text(`ran ${envelope.dispatch_id}${random() < 0.1 ? 'x'.repeat(1_500_000) : ''}`);
      };
    }
    const callers = new Callers();
    await at.connect();
    let revision = 1;
    const harm: (() => Promise<void> | void)[] = [
      () => at.edge.cut(),
      () => at.edge.latest?.socket.close(1012, 'deploy'),
      () => at.runtime.cut(),
      () => second.cut(),
      () => {
        revision += 1;
        (revision % 2 === 0 ? second : at.runtime).announce(at.stateDir, true, revision);
      },
      async () => {
        await at.runtime.close();
        await turn();
        await at.runtime.listen();
      },
    ];
    for (let n = 0; n < 200; n += 1) {
      callers.call(random() < 0.7 ? 'write' : 'read');
      if (random() < 0.12) await harm[Math.floor(random() * harm.length)]?.();
      if (random() < 0.3) await turn();
    }
    await until(() => callers.waiting.size === 0 || callers.lies.length > 0);
    expect(callers.lies).toEqual([]);
    expect(callers.answers.size).toBe(200);
    for (const [id, answer] of callers.answers) expect(answer.startsWith(`ran ${id}`)).toBe(true);
    const writes = [...at.runtime.ran, ...second.ran].filter(({ envelope }) => envelope.class === 'write');
    const ids = writes.map(({ envelope }) => envelope.dispatch_id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
