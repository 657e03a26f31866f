/**
 * Every point of a call's life × every way in which it is interrupted × every way in which the workstation comes back:
 * the object is reset or evicted, the socket cut, the link or the runtime replaced. A model of the workstation runs the
 * calls and counts; whatever the caller is told must be true of that count. `npm run test:matrix` plays all, `npm test`
 * one in {@link SAMPLE}.
 */
import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { CHUNK_BYTES } from '../../../contract/limits.ts';
import { resultFrames } from '../../../contract/link/index.ts';
import type { CallClass, Delivery } from '../../../contract/outcome.ts';
import { carry } from '../../../edge/mcp/carry.ts';
import { played } from '../../played.ts';
import { verifies } from '../../verifies.ts';
import { FakeLink, resultOf, runtimeFacts, toolResult } from './fake-link.ts';
import { bindings, callInput, eventually, freshEdge, PRINCIPAL, type Rig, told } from './rig.ts';

const SAMPLE = inject('evictEvery') === 1 ? 1 : 7;

const POINTS = [
  'the link has it',
  'it runs',
  'a piece of its result is out',
  'all but the last piece is out',
  'its result is out',
  'it is acknowledged',
] as const;
const BREAKS = ['the socket is cut', 'the object is reset', 'the object is reset twice', 'the object sleeps'] as const;
const RETURNS = [
  'the same link',
  'a new link',
  'a new link and a new runtime',
  'a new link that finds its runtime late',
] as const;
type Point = (typeof POINTS)[number];
type Break = (typeof BREAKS)[number];
type Return = (typeof RETURNS)[number];

const BODY = toolResult({ ok: true, text: 'x'.repeat(2 * CHUNK_BYTES + 100) });

/** A runtime with its ledger, and whatever link stands before it. */
class Model {
  readonly callClass: CallClass;
  readonly id: string;
  /** How often the call ran. */
  runs = 0;
  state: 'unknown' | 'running' | 'finished' = 'unknown';
  runtimeBoot = runtimeFacts().boot_id;
  /** The boot under which it began to run. */
  ranUnder: string | undefined;
  link: FakeLink | undefined;

  constructor(callClass: CallClass, id: string) {
    this.callClass = callClass;
    this.id = id;
  }

  facts = () => ({ ...runtimeFacts(), boot_id: this.runtimeBoot });

  begin(): void {
    this.runs += 1;
    this.state = 'running';
    this.ranUnder = this.runtimeBoot;
  }

  /** The process that ran it died with it: its ledger knows that it began, and of a read it knows nothing. */
  get isLost(): boolean {
    return this.state === 'running' && this.ranUnder !== this.runtimeBoot;
  }

  /** What a link that comes back finds held, in its own memory or at the runtime. */
  holds() {
    if (this.state === 'unknown' || this.isLost) return [];
    return [{ dispatch_id: this.id, state: this.state } as const];
  }

  /** The call, or the question about it, reaches the runtime. */
  reach(link: FakeLink, mayRun: boolean): void {
    const isForgotten = this.state === 'unknown' || (this.isLost && this.callClass === 'read');
    if (this.isLost && !isForgotten) link.verdict(this.id, 'unknown');
    else if (isForgotten && !mayRun) link.verdict(this.id, 'not_delivered');
    else {
      if (isForgotten) this.begin();
      this.state = 'finished';
      link.answer(this.id, BODY);
    }
  }

  async connect(rig: Rig, bootId: string, late: boolean): Promise<void> {
    const link = await FakeLink.open(rig.device);
    this.link = link;
    link.onCall = ({ call }) => call.dispatch_id === this.id && this.reach(link, true);
    link.onSettle = (id) => id === this.id && this.reach(link, false);
    if (late) await link.hello({ bootId, runtime: null });
    const welcome = await link.hello({ bootId, runtime: this.facts(), holds: this.holds() });
    if (this.holds().length > 0 && !welcome.settled.includes(this.id)) this.reach(link, false);
  }
}

let rig: Rig;
beforeAll(async () => {
  rig = await freshEdge();
});

const receipt = async (dispatchId: string) => {
  const answer = await rig.object().lookUp({ dispatchId }, PRINCIPAL.id);
  return 'receipts' in answer ? answer.receipts[0] : undefined;
};

async function reset(): Promise<void> {
  const gone = runInDurableObject(rig.object(), (_, state) => state.abort('reset under the call'));
  await expect(gone).rejects.toThrow();
}

/** Brings the call to a point of its life, and no further. */
async function advance(model: Model, link: FakeLink, point: Point): Promise<void> {
  await link.until(() => link.calls.some(({ call }) => call.dispatch_id === model.id), 'the call');
  const at = POINTS.indexOf(point);
  if (at >= 1) {
    model.begin();
    if (model.callClass === 'write') link.send({ kind: 'accepted', dispatch_id: model.id });
  }
  if (at < 2) return;
  model.state = 'finished';
  const frames = [...resultFrames(resultOf(model.id, BODY), BODY)];
  const sent = at === 2 ? 1 : at === 3 ? frames.length - 1 : frames.length;
  for (const frame of frames.slice(0, sent)) link.socket.send(frame);
  if (at === 5) await link.until(() => link.acked.includes(model.id), 'the acknowledgement');
}

async function play(callClass: CallClass, point: Point, broken: Break, comesBack: Return): Promise<void> {
  const input = await callInput(rig, { class: callClass });
  const model = new Model(callClass, input.call.dispatch_id);
  const link = await FakeLink.connect(rig.device, { bootId: 'boot-1' });
  const reply = carry(bindings, input);
  await advance(model, link, point);
  const isOver = POINTS.indexOf(point) >= 4;
  if (isOver) await reply; // else an answer may still be lost with the object, as a caller may still wait

  if (broken === 'the object sleeps')
    await eventually(() => evictDurableObject(rig.object()).then(() => true), 'sleep');
  else if (broken === 'the socket is cut') await link.cut();
  else await reset();
  if (comesBack === 'a new link and a new runtime') model.runtimeBoot = 'boot-runtime-2';
  const bootId = comesBack === 'the same link' ? 'boot-1' : 'boot-2';
  if (broken === 'the object is reset twice') {
    const short = await FakeLink.connect(rig.device, { bootId, runtime: model.facts(), holds: model.holds() });
    await reset();
    await short.until(() => short.closed !== undefined, 'the close');
  }
  await model.connect(rig, bootId, comesBack === 'a new link that finds its runtime late');

  const heard = told(await reply);
  const delivery = (heard.delivery ?? (heard.ok ? 'delivered' : undefined)) as Delivery;
  const story = JSON.stringify({ heard, runs: model.runs, state: model.state }).slice(0, 400);
  if (callClass === 'write') expect(model.runs, story).toBeLessThanOrEqual(1);
  if (delivery === 'delivered') expect(model.runs, story).toBeGreaterThan(0);
  if (delivery === 'not_delivered') expect(model.runs, story).toBe(0);
  // Only the death of the process that ran a write leaves anybody in doubt.
  if (delivery === 'unknown') expect([callClass, model.isLost], story).toEqual(['write', true]);
  if (heard.ok) expect(String(heard.text).length, story).toBe(2 * CHUNK_BYTES + 100);
  if (callClass === 'write') {
    const agrees = async () => ((await receipt(model.id))?.delivery === delivery ? true : undefined);
    await eventually(agrees, `a receipt that says ${delivery}`);
  }
  // The same dispatch asked for once more, as a Worker does that lost the answer: only what certainly never ran may run.
  const again = told(await rig.object().call(input));
  if (callClass === 'write') {
    expect(model.runs, story).toBeLessThanOrEqual(1);
    if (delivery !== 'not_delivered') expect(again.delivery ?? 'delivered', story).toBe(delivery);
  }
  await model.link?.cut();
}

const all = (['read', 'write'] as const).flatMap((callClass) =>
  POINTS.flatMap((point) =>
    BREAKS.flatMap((broken) =>
      RETURNS.map((comesBack) => [callClass, point, broken, comesBack] as const).filter(
        // Nobody puts an object to sleep that still has somebody to answer.
        () => broken !== 'the object sleeps' || POINTS.indexOf(point) >= 4,
      ),
    ),
  ),
);

describe('a call that is interrupted', () => {
  it.each(all.filter((_, index) => index % SAMPLE === 0))(
    'a %s when %s: %s, and back comes %s',
    async (...scenario) => {
      verifies('dispatch.survives-object-reset', 'dispatch.at-most-once', 'link.outcome-table');
      await play(...scenario);
      played('broken calls');
    },
  );
});
