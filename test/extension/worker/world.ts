/**
 * A browser for the worker's decisions: storage that outlives a worker, a chat page that types and submits as the page
 * script does, a runtime that answers. Any step between two of them can be made the last one of the worker or the page.
 */
import type { TasksAnswer } from '../../../contract/extension/tasks.ts';
import type { Loop } from '../../../extension/background/loop.ts';
import { createWakes, type WakeParts } from '../../../extension/background/wakes.ts';
import type { JudgedTurn } from '../../../extension/machines/auto/index.ts';
import {
  type Effect,
  type Event,
  type Fresh,
  type From,
  hudOf,
  type State,
} from '../../../extension/machines/worker/index.ts';
import type { Action, DeliveryOutcome, PageState } from '../../../extension/messages.ts';
import type { PageIdentity } from '../../../extension/page.ts';
import { mortalWorker } from '../mortal.ts';
import { chat, FRESH, QUIET } from './chat.ts';

/** Counts steps; at the one that was chosen the worker or the page ends. */
export type Fault = { at: number; who: 'worker' | 'page' } | null;

export interface WorldOptions {
  fault?: Fault;
  page?: PageIdentity;
  inbox?: () => TasksAnswer | 'none' | null;
  /** Answers what Auto asks, from the last turn that the page shows; null: nobody answers. */
  models?: (wanted: Extract<Effect, { type: 'judge' | 'services' }>, shown: JudgedTurn | null) => Event | null;
  /** The chat, when another browser shows it too. */
  turns?: string[];
  /** The runtime that says whose wake it is. */
  wakes?: Omit<WakeParts, 'state'>;
  /** The site brings the composer's text back after a reload, as a draft. */
  restoresDrafts?: boolean;
}

export function world(options: WorldOptions = {}) {
  const turns = options.turns ?? [];
  const acknowledged: string[] = [];
  const looked: Effect[] = [];
  const handovers = new Map<string, string>();
  /** The last answer that the page shows. */
  let shown: JudgedTurn | null = null;
  let now = 1_764_500_000_000;
  let generation = 0;
  let place = options.page ?? chat();
  let composer = '';
  let state: PageState = QUIET;
  let runtimeUp = true;
  let fresh: Fresh = { ...FRESH, boot: 'boot_1' };
  let position = 0;
  const tab = 7;

  const from = (): From => ({ tab, document: `d${generation}`, version: '1.0.0', page: place });

  const worker = mortalWorker({
    nowMs: () => now,
    endsAt: (step) => (options.fault?.at === step ? options.fault.who : null),
    perform: (effect, life) => perform(effect, life),
    started: async (loop) => {
      await loop.take({ type: 'started' });
      await connect(loop);
    },
    changed: (after, before) => wakes?.changed(after, before),
    page: { generation: () => generation, load: () => loadPage() },
  });
  const { point, background, tell, settle } = worker;
  const wakes = options.wakes && createWakes({ ...options.wakes, state: () => worker.loop().state() });

  async function connect(to: Loop): Promise<void> {
    if (!runtimeUp) return void (await to.take({ type: 'link', status: 'offline' }));
    await to.take({ type: 'hello', boot: fresh.boot, position, replaying: false, fresh, at: now });
  }

  function loadPage(): void {
    generation += 1;
    if (options.restoresDrafts) state = { ...state, draft: composer !== '' };
    else composer = '';
    background(tell({ type: 'here', from: from(), state }));
  }

  async function perform(effect: Effect, mine: number): Promise<void> {
    await point({ life: mine });
    const own = worker.loop();
    const take = async (event: Event) => {
      await point({ life: mine });
      await own.take(event);
    };
    switch (effect.type) {
      case 'deliver': {
        const elsewhere = (await wakes?.claim(effect.order.id, effect.order.attempt)) ?? null;
        if (elsewhere !== null) return take(elsewhere);
        background(write(effect.order, effect.conversation));
        return;
      }
      case 'probe':
        return take({ type: 'probed', id: effect.id, arrived: turns.includes(effect.text) ? 'yes' : 'unknown' });
      case 'look':
        looked.push(effect);
        return take({
          type: 'looked',
          binding: effect.binding,
          revision: effect.revision,
          fresh: runtimeUp ? fresh : null,
          inbox: effect.session === null ? 'none' : (options.inbox?.() ?? 'none'),
        });
      case 'output':
        return take({ ...effect, type: 'output', fresh: runtimeUp ? fresh : null, output: output() });
      case 'acknowledge':
        acknowledged.push(...effect.tasks);
        return take({ type: 'acknowledged', delivery: effect.delivery });
      case 'ask':
        return take({ type: 'page', from: from(), state });
      case 'services':
      case 'judge': {
        const event = options.models?.(effect, shown);
        return event == null ? undefined : take(event);
      }
      case 'hand_over':
        if (effect.wants.type === 'prepare') handovers.set(effect.wants.transfer.id, effect.wants.transfer.trigger);
        return undefined;
      default:
        return undefined;
    }
  }
  let output = () => 'line 1';

  /** What the page script does with a delivery, with a fault possible between any two of its steps. */
  async function write(order: { id: string; attempt: number; text: string }, conversation: string): Promise<void> {
    const mine = { generation };
    const here = from();
    const { id, attempt } = order;
    const report = async (outcome: DeliveryOutcome) => {
      await point(mine);
      await tell({ type: 'done', from: here, id, attempt, outcome });
    };
    await point(mine);
    if (place.conversation !== conversation) return report({ state: 'blocked', reason: 'conversation_changed' });
    if (state.draft && composer !== order.text) return report({ state: 'blocked', reason: 'user_typing' });
    if (state.busy) return report({ state: 'blocked', reason: 'turn_in_progress' });
    composer = order.text;
    await point(mine);
    const baseline = { userIds: turns.map((_, index) => `u${index}`), userTurns: turns.length };
    const objection = (await wakes?.leave(id)) ?? null;
    const allowed =
      objection === null
        ? await worker.loop().take({ type: 'claim', from: here, id, attempt, baseline })
        : ({ ok: false, reason: objection } as const);
    await point(mine);
    if (!allowed.ok) {
      composer = '';
      return report({ state: 'blocked', reason: allowed.reason });
    }
    turns.push(composer);
    composer = '';
    state = { ...state, busy: true, draft: false };
    await report({ state: 'sent', messageId: `u${turns.length - 1}`, url: place.url });
  }

  return {
    turns,
    acknowledged,
    looked,
    /** What each handoff that was begun was begun for. */
    get handovers() {
      return [...handovers.values()];
    },
    steps: worker.steps,
    now: () => now,
    tab,
    from,
    async take(event: Event) {
      const reply = await worker.loop().take(event);
      await settle();
      return reply;
    },
    async begin() {
      background(worker.loop().take({ type: 'started' }));
      await settle();
      await connect(worker.loop());
      await tell({ type: 'here', from: from(), state });
      await settle();
    },
    async hello(change: Partial<Fresh> = {}) {
      fresh = { ...fresh, ...change };
      await connect(worker.loop());
      await settle();
    },
    async pushed(name: string, data: Record<string, unknown>, at: { boot?: string; position?: number } = {}) {
      const number = at.position ?? position + 1;
      position = Math.max(position, number);
      await worker.loop().take({ type: 'pushed', boot: at.boot ?? fresh.boot, position: number, name, data });
      await settle();
    },
    /** An agent's status in the live state and as an event. */
    async agent(pane: string, status: string, seq: number) {
      const agents = fresh.agents.filter((one) => one.pane !== pane);
      const cwd = '/home/ada/site';
      const terminal = `term_${pane}`;
      const fact = { pane, name: 'pi', agent: 'pi', status, workspace: 'w1', cwd, terminal_title: 'a title', seq };
      fresh = { ...fresh, agents: [...agents, { ...fact, terminal, last_activity_at: now }] };
      const name = status === 'working' ? 'agent_working' : 'agent_settled';
      await this.pushed(name, { ...fact, terminal_id: terminal, at: now });
    },
    async page(next: Partial<PageState>, moved?: PageIdentity) {
      state = { ...state, ...next };
      if (moved) place = moved;
      await tell(moved ? { type: 'here', from: from(), state } : { type: 'page', from: from(), state });
      await settle();
    },
    /** The answer has ended; `turn`: what was said, as far as the site's server confirms it. */
    async turnEnded(turn?: JudgedTurn, confirmed = true) {
      state = { ...state, busy: false };
      if (turn) shown = turn;
      await tell({ type: 'turn_ended', from: from(), ...(turn ? { turn, confirmed } : {}) });
      await settle();
    },
    async tick(ms = 30_000) {
      now += ms;
      await worker.loop().take({ type: 'tick' });
      await settle();
    },
    async press(action: Action) {
      const id = `press${worker.steps()}`;
      const reply = await worker
        .loop()
        .take({ type: 'action', from: from(), action, id, fresh: runtimeUp ? fresh : null });
      await settle();
      return reply;
    },
    async queue(text: string, id = `q${worker.steps()}`) {
      const reply = await worker.loop().take({ type: 'queue_add', from: from(), entry: { id, text, createdAt: now } });
      await settle();
      return reply;
    },
    async bind(workspace = 'w1') {
      const reply = await worker
        .loop()
        .take({ type: 'bind', tab, page: place, workspace, continuityId: 'hc:1:abcdefgh' });
      await settle();
      return reply;
    },
    async restartWorker() {
      worker.restart();
      await settle();
    },
    async reloadPage() {
      loadPage();
      await settle();
    },
    /** The browser was closed and opened: its session storage and its tabs are gone. */
    async restartBrowser() {
      worker.forgetSession();
      generation += 1;
      composer = '';
      worker.restart();
      await settle();
    },
    setRuntime(up: boolean) {
      runtimeUp = up;
    },
    setOutput(text: string) {
      output = () => text;
    },
    composer: () => composer,
    /** What a person has written instead. */
    write(text: string) {
      composer = text;
    },
    state: (): Promise<State> => worker.loop().state(),
    hud: async () => hudOf(await worker.loop().state(), place, tab, 'en'),
  };
}
