/**
 * A chat with the bridge, for the tables: storage that outlives a worker, a page that types and reads as the page script
 * does, a model that follows a script, a runtime that keeps its keys. Any point between two steps can be made the last one
 * of the worker or of the page, and what had left the worker by then still runs.
 */
import {
  type BridgeEvent,
  type Catalogue,
  isBehind,
  isStillWanted,
  lookForReply,
  markOf,
  NO_REPLY,
  type ReplyWatch,
} from '../../../extension/machines/bridge/index.ts';
import { type Effect, type Event, type From, hudOf, type State } from '../../../extension/machines/worker/index.ts';
import type { BridgeControl, Delivery, DeliveryOutcome, Reason } from '../../../extension/messages.ts';
import type { PageIdentity } from '../../../extension/page.ts';
import type { Message } from '../../../extension/site/index.ts';
import { mortalWorker } from '../mortal.ts';
import { LIVE } from './catalogue.ts';
import { CHAT, toldIn, zaiChat } from './chat.ts';
import { PlayedRuntime, type Tool, UNWANTED } from './played-runtime.ts';

export type Fault = { at: number; who: 'worker' | 'page' };

/** What the model answers to each message of ours, in order; the last one repeats. */
export type Script = readonly ((message: string) => string)[];

export interface WorldOptions {
  faults?: readonly Fault[];
  script?: Script;
  catalogue?: Catalogue;
  /** What the runtime does with a call before it answers; throw to never answer. */
  tool?: Tool;
}

export function bridgeWorld(options: WorldOptions = {}) {
  const thread: Message[] = [];
  const runtime = new PlayedRuntime(options.tool);
  /** Of each call: the tools that were under way with it. */
  const beside: string[][] = [];
  const catalogue = options.catalogue ?? LIVE;
  const faults = [...(options.faults ?? [])];
  const tab = 7;
  let script = [...(options.script ?? [])];
  let answers = 0;
  let now = 1_764_500_000_000;
  let generation = 0;
  let place = zaiChat();
  let composer = '';
  let busy = false;
  let watch: ReplyWatch = NO_REPLY;
  let silent = false;
  let accepts = true;
  /** Why the page could not send what it had typed; null: it can. */
  let unsendable: Reason | null = null;
  let typed = 0;
  /** Calls that are to be sent again wait until they are released. */
  let parks = false;
  let delivering: string | null = null;
  /** Calls that wait for their moment to be sent again. */
  const parked: Extract<Effect, { type: 'bridge_call' }>[] = [];

  const from = (): From => ({ tab, document: `d${generation}`, version: '1.0.0', page: place });

  const worker = mortalWorker({
    nowMs: () => now,
    endsAt: (step) => faults.find(({ at }) => at === step)?.who ?? null,
    perform: (effect, life) => perform(effect, life),
    started: async (loop) => {
      await loop.take({ type: 'started' });
      await loop.take({ type: 'link', status: 'connected' });
    },
    page: { generation: () => generation, load: () => loadPage() },
  });
  const { point, background, tell, settle } = worker;

  function loadPage(): void {
    generation += 1;
    composer = '';
    watch = NO_REPLY;
    delivering = null;
    background(tell({ type: 'here', from: from(), state: pageState() }));
  }

  const pageState = () => ({ busy, draft: composer !== '', card: false, visible: true });

  async function perform(effect: Effect, mine: number): Promise<void> {
    await point({ life: mine });
    const own = worker.loop();
    switch (effect.type) {
      case 'deliver':
        background(write(effect.order, effect.conversation));
        return;
      case 'probe': {
        const there = thread.some(({ role, text }) => role === 'user' && text === effect.text);
        await point({ life: mine });
        await own.take({ type: 'probed', id: effect.id, arrived: there ? 'yes' : 'unknown' });
        return;
      }
      case 'ask':
        await own.take({ type: 'page', from: from(), state: pageState() });
        return;
      case 'bridge_call': {
        if (effect.afterMs > 0 && (parks || !runtime.answersCalls)) {
          parked.push(effect);
          return;
        }
        now += effect.afterMs;
        const { bridge, config } = await own.state();
        const under = bridge.loops[effect.conversation]?.round?.calls ?? [];
        beside.push(under.filter(({ state }) => state === 'executing').map(({ tool }) => tool));
        const wanted = isStillWanted(bridge, effect, (site) => config.sites.includes(site));
        await point({ life: mine });
        // From here on it has left: the worker may end, the runtime goes on.
        const outcome = wanted ? runtime.call(effect.tool, { ...effect.args }) : UNWANTED;
        await point({ life: mine });
        const { conversation, answers: n, index, attempt } = effect;
        const event: BridgeEvent = { type: 'called', conversation, answers: n, index, attempt, outcome };
        await own.take({ type: 'bridge', event, from: null });
        return;
      }
      default:
        return undefined;
    }
  }

  /** What the page script does with a delivery. */
  async function write(order: Delivery, conversation: string): Promise<void> {
    const mine = { generation };
    const here = from();
    const { id, attempt } = order;
    const report = async (outcome: DeliveryOutcome) => {
      if (mine.generation === generation) delivering = null;
      await point(mine);
      await tell({ type: 'done', from: here, id, attempt, outcome });
    };
    await point(mine);
    if (place.conversation !== conversation) return report({ state: 'blocked', reason: 'conversation_changed' });
    if (composer !== '') return report({ state: 'blocked', reason: 'user_typing' });
    if (busy) return report({ state: 'blocked', reason: 'turn_in_progress' });
    if (delivering !== null && delivering !== id) return report({ state: 'blocked', reason: 'wake_in_flight' });
    if (isBehind({ mounted: thread }, order)) return report({ state: 'blocked', reason: 'conversation_changed' });
    delivering = id;
    typed += 1;
    if (unsendable !== null) return report({ state: 'blocked', reason: unsendable });
    composer = order.text;
    await point(mine);
    const baseline = { userIds: thread.flatMap((one) => one.id ?? []), userTurns: thread.length };
    const allowed = await worker.loop().take({ type: 'claim', from: here, id, attempt, baseline });
    await point(mine);
    composer = '';
    if (!allowed.ok) return report({ state: 'blocked', reason: allowed.reason });
    if (!accepts) return report({ state: 'uncertain', reason: 'no_new_turn' });
    accept(order.text);
    await report({ state: 'sent', messageId: `u${thread.length}`, url: place.url });
  }

  function accept(text: string): void {
    thread.push({ role: 'user', id: `m${thread.length}`, text });
    const answer = script[Math.min(answers, script.length - 1)];
    answers += 1;
    if (silent || answer === undefined) return;
    thread.push({ role: 'assistant', id: `m${thread.length}`, text: answer(text) });
  }

  /** One moment of the page: it says its state, and what it sees at the conversation's end. */
  async function look(): Promise<void> {
    now += 1_100;
    const mine = { generation };
    await tell({ type: 'page', from: from(), state: pageState() });
    if (mine.generation !== generation) return;
    const step = lookForReply(watch, { now, conversation: place.conversation, mounted: thread, busy });
    watch = step.watch;
    if (step.seen === null || place.conversation === null) return;
    const { seen } = step;
    const event: BridgeEvent = {
      type: 'turn',
      site: 'zai',
      conversation: place.conversation,
      turn: seen,
      catalogue: seen.reply === null || !runtime.up ? null : catalogue,
    };
    await tell({ type: 'bridge', event, from: from() });
  }

  const world = {
    thread,
    ran: runtime.ran,
    asked: runtime.asked,
    beside,
    steps: worker.steps,
    now: () => now,
    /** How often something was typed into the page. */
    typed: () => typed,
    /** The results that the model was told, each list once as it stands in the chat. */
    told: () => toldIn(thread),
    numbers: () => thread.flatMap(({ role, text }) => (role === 'user' ? (markOf(text)?.n ?? []) : [])),
    async begin() {
      background(worker.loop().take({ type: 'started' }));
      await settle();
      await tell({ type: 'config', config: { sites: ['zai', 'deepseek'] } });
      await tell({ type: 'link', status: 'connected' });
      await tell({ type: 'here', from: from(), state: pageState() });
      await settle();
    },
    async say(text: string, entry = `be:${text}`) {
      const loopId = 'bl_00000000000000aa';
      const event: BridgeEvent = { type: 'say', site: 'zai', conversation: CHAT, entry, loop: loopId, text, catalogue };
      const reply = await tell({ type: 'bridge', event, from: from() });
      await settle();
      return reply;
    },
    async control(what: BridgeControl) {
      const event: BridgeEvent = { type: 'control', site: 'zai', conversation: CHAT, what };
      const reply = await tell({ type: 'bridge', event, from: from() });
      await settle();
      return reply;
    },
    async take(event: Event) {
      const reply = await worker.loop().take(event);
      await settle();
      return reply;
    },
    look: async () => {
      await look();
      await settle();
    },
    /** Lets it go on for so many moments, with an alarm now and then; ends early when `over` says so. */
    async run(moments = 120, over: () => boolean = () => false) {
      for (let moment = 1; moment <= moments && !over(); moment += 1) {
        await look();
        await settle();
        if (moment % 27 === 0) {
          await worker.loop().take({ type: 'tick' });
          await settle();
        }
      }
    },
    async pass(ms: number) {
      now += ms;
      await worker.loop().take({ type: 'tick' });
      await settle();
    },
    async restartWorker() {
      worker.restart();
      await settle();
    },
    async reloadPage() {
      loadPage();
      await settle();
    },
    set: (change: {
      script?: Script;
      runtimeUp?: boolean;
      accepts?: boolean;
      answersCalls?: boolean;
      losesAnswers?: boolean;
      parks?: boolean;
      refusal?: unknown;
      unsendable?: Reason | null;
      silent?: boolean;
      busy?: boolean;
      draft?: string;
      place?: PageIdentity;
    }) => {
      if (change.script !== undefined) {
        script = [...change.script];
        answers = 0;
      }
      runtime.up = change.runtimeUp ?? runtime.up;
      accepts = change.accepts ?? accepts;
      runtime.answersCalls = change.answersCalls ?? runtime.answersCalls;
      parks = change.parks ?? parks;
      runtime.losesAnswers = change.losesAnswers ?? runtime.losesAnswers;
      if (change.refusal !== undefined) runtime.refusal = change.refusal;
      unsendable = change.unsendable === undefined ? unsendable : change.unsendable;
      silent = change.silent ?? silent;
      busy = change.busy ?? busy;
      composer = change.draft ?? composer;
      place = change.place ?? place;
    },
    /** Their moment has come. */
    async release() {
      for (const effect of parked.splice(0)) background(perform({ ...effect, afterMs: 0 }, worker.life()));
      await settle();
    },
    answer(text: string) {
      thread.push({ role: 'assistant', id: `m${thread.length}`, text });
    },
    accept,
    from,
    state: (): Promise<State> => worker.loop().state(),
    hud: async () => hudOf(await worker.loop().state(), place, tab, 'en'),
    ledger: async () => (await worker.loop().state()).bridge.loops[CHAT],
  };
  return world;
}
