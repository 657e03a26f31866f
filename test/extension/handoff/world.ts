/**
 * A worker, two tabs and a delivery service, without a browser: storage outlives the worker, the service knows each key
 * once and judges by proof alone, the site keeps what it accepted. Any step can be made the worker's last one.
 */
import type { ActuationCommand, Evidence } from '../../../contract/browser/actuation.ts';
import type { DispatchView } from '../../../contract/browser/dispatch.ts';
import { createWakes, type WakeParts } from '../../../extension/background/wakes.ts';
import { type Effect, type Event, type Fresh, hudOf, type State } from '../../../extension/machines/worker/index.ts';
import type { PageIdentity } from '../../../extension/page.ts';
import { judge } from '../../../runtime-a-b/browser/dispatch/judge.ts';
import { mortalWorker } from '../mortal.ts';
import { CHAT, chat, project, QUIET } from '../worker/world.ts';
import { HANDOFF, messageOf, view } from './fixtures.ts';

export const NEW = 'https://chatgpt.com/c/99999999-new';
const CHAIN = 'hc:1:abcdefgh';

export interface HandoffWorldOptions {
  /** The worker ends at this step. */
  stopAt?: number;
  /** The storage refuses the write of this step. */
  failAt?: number;
  /** A Project's chat; else a plain one. */
  inProject?: boolean;
  bound?: boolean;
  /** What the service's answers are made into before anybody reads them. */
  lies?: (dispatch: DispatchView) => DispatchView;
  /** What the new chat is and what the page says of it. */
  born?: () => PageIdentity;
  /** The site has taken the message and the page saw nothing of it. */
  swallowsProof?: boolean;
  /** The new page's composer holds a person's words. */
  draft?: boolean;
  chain?: 'live' | 'gone';
  /** The line of work; absent: always the same. */
  continuityId?: string;
  /** The last turn that the source's page shows as complete. */
  last?: { user: string; answer: string };
  /** No browser is told that anything waits. */
  asleep?: boolean;
  /** The runtime that says whose it is. */
  wakes?: Omit<WakeParts, 'state'>;
  /** The service hears that a handoff is ended, and its answer is lost. */
  mute?: boolean;
}

export function handoffWorld(options: HandoffWorldOptions = {}) {
  const { continuityId = CHAIN } = options;
  const place = options.inProject === false ? ('none' as const) : project();
  const key = place === 'none' ? null : place.key;
  const turns: Record<string, string[]> = {};
  const dispatches = new Map<string, { view: DispatchView; command: ActuationCommand; claimant: string | null }>();
  const opened: number[] = [];
  const moved: string[] = [];
  const retired: number[] = [];
  const ended: string[] = [];
  const pages = new Map<number, { document: string; page: PageIdentity }>([
    [7, { document: 'd7', page: chat(CHAT, place) }],
  ]);
  let fresh: Fresh = {
    boot: 'b1',
    server: 'embedded',
    herdr: 'live',
    workspaces: [{ id: 'w1', label: 'site' }],
    agents: [],
  };
  let now = 1_764_500_000_000;

  const worker = mortalWorker({
    nowMs: () => now,
    endsAt: (step) => (options.stopAt === step ? 'worker' : null),
    failsAt: (step) => options.failAt === step,
    perform: (effect, life) => perform(effect, life),
    started: () => begin(),
    changed: (after, before) => wakes?.changed(after, before),
  });
  const wakes = options.wakes && createWakes({ ...options.wakes, state: () => worker.loop().state() });
  const { background, tell, settle } = worker;
  const point = (life: number) => worker.point({ life });

  async function begin(): Promise<void> {
    await tell({ type: 'started' });
    await tell({ type: 'hello', boot: fresh.boot, position: 0, replaying: false, fresh, at: now });
    await waitingFor();
  }
  async function waitingFor(): Promise<void> {
    const waiting = [...dispatches.values()]
      .filter(({ claimant, view: { delivery_state } }) => claimant === null && delivery_state === 'uncertain')
      .filter(() => options.asleep !== true)
      .map(({ command }) => command.actuation_id);
    if (waiting.length > 0) await tell({ type: 'actuations', waiting, claimant: `life${worker.life()}xx` });
  }
  const from = (tab: number) => {
    const { document, page } = pages.get(tab) ?? { document: 'gone', page: chat() };
    return { tab, document, version: '1.0.0', page };
  };
  const here = (tab: number, state = QUIET) => tell({ type: 'here', from: from(tab), state });

  function begun(id: string, message: string): { view: DispatchView; replayed: boolean } {
    const known = dispatches.get(id);
    if (known) return { view: known.view, replayed: true };
    const dispatch_id = `bd_${String(dispatches.size + 1)
      .repeat(64)
      .slice(0, 64)}`;
    const command: ActuationCommand = {
      protocol: 'herdr-browser-actuation/v1',
      actuation_id: `ba_${String(dispatches.size + 1).padStart(16, '0')}`,
      dispatch_id,
      operation: 'session.create',
      provider: 'chatgpt',
      expected_generation: 1,
      account_ref: `br_${'c'.repeat(64)}`,
      session: null,
      space: key === null ? null : { space_ref: 'br_space', canonical_url: key },
      source_url: CHAT,
      message,
    };
    const made = { view: view({ dispatch_id, created_at_ms: now }), command, claimant: null };
    dispatches.set(id, made);
    return { view: made.view, replayed: false };
  }
  function stopped(key: string, one: DispatchView): void {
    const known = dispatches.get(key);
    const became = {
      ...one,
      delivery_state: 'stopped' as const,
      execution_state: 'stopped' as const,
      reason: 'withdrawn',
    };
    if (known) dispatches.set(key, { ...known, view: became });
  }
  const byActuation = (id: string) => [...dispatches.values()].find(({ command }) => command.actuation_id === id);

  async function perform(effect: Effect, mine: number): Promise<void> {
    await point(mine);
    const own = worker.loop();
    const take = async (event: Event) => {
      await point(mine);
      await own.take(event);
    };
    switch (effect.type) {
      case 'hand_over':
        return handOver(effect.wants, take);
      case 'actuate':
        return actuate(effect.wants, take);
      case 'cut_over':
        moved.push(`${effect.cutover.source}→${effect.cutover.target}`);
        return take({ type: 'cut_over', id: effect.cutover.id, target: effect.cutover.target });
      case 'retire_tab':
        retired.push(effect.tab);
        return;
      case 'deliver':
        background(write(effect.tab, effect.order));
        return;
      case 'probe': {
        const found = (turns[effect.conversation] ?? []).some((text) => text === effect.text);
        return take({
          type: 'probed',
          id: effect.id,
          arrived: found ? 'yes' : 'unknown',
          messageId: found ? 'm1' : null,
        });
      }
      default:
        return undefined;
    }
  }

  async function handOver(
    wants: Extract<Effect, { type: 'hand_over' }>['wants'],
    take: (event: Event) => Promise<void>,
  ) {
    switch (wants.type) {
      case 'prepare': {
        const handoffId = wants.transfer.handoffId ?? HANDOFF;
        const answer =
          options.chain === 'gone'
            ? ('refused' as const)
            : { handoffId, continuityId, message: messageOf(handoffId, continuityId), workChainId: null };
        return take({ type: 'handoff', transfer: wants.transfer.id, event: { type: 'prepared', answer } });
      }
      case 'deliver': {
        const elsewhere = (await wakes?.handOver(wants.transfer)) ?? null;
        if (elsewhere !== null) return take({ type: 'handoff', transfer: wants.transfer.id, event: elsewhere });
        const made = begun(wants.transfer.handoffId ?? '', wants.transfer.message ?? '');
        const dispatch = options.lies?.(made.view) ?? made.view;
        background(waitingFor());
        const answer = { kind: 'dispatch' as const, dispatch, replayed: made.replayed };
        return take({ type: 'handoff', transfer: wants.transfer.id, event: { type: 'delivered', answer } });
      }
      case 'observe': {
        const found = [...dispatches.values()].find((one) => one.view.dispatch_id === wants.dispatch)?.view;
        const dispatch = found === undefined ? ('unknown' as const) : (options.lies?.(found) ?? found);
        return take({ type: 'handoff', transfer: wants.transfer, event: { type: 'observed', dispatch } });
      }
      case 'verify': {
        const { transfer, conversation, mark } = wants;
        const said = turns[conversation];
        const yes = said?.some((text) => text.includes(mark)) ?? false;
        const found = yes ? ('yes' as const) : said?.length === 0 ? ('none' as const) : ('unknown' as const);
        const event = { type: 'verified' as const, conversation, found, message: yes ? 'm1' : null };
        return take({ type: 'handoff', transfer, event });
      }
      case 'read_summary': {
        const turn = options.last ?? null;
        return take({ type: 'handoff', transfer: wants.transfer, event: { type: 'summary', turn } });
      }
      case 'end': {
        const { handoffId, dispatch } = wants.transfer;
        const known = [...dispatches.entries()].find(
          ([key, one]) => key === handoffId || one.view.dispatch_id === dispatch,
        );
        ended.push(handoffId ?? '');
        if (options.mute) return undefined;
        if (known === undefined) {
          const made = begun(handoffId ?? '', wants.transfer.message ?? '').view;
          stopped(handoffId ?? '', made);
        } else if (known[1].claimant === null && known[1].view.delivery_state === 'uncertain')
          stopped(known[0], known[1].view);
        const answer = dispatches.get(known?.[0] ?? handoffId ?? '')?.view ?? ('never' as const);
        return take({ type: 'handoff_ended', transfer: wants.transfer.id, answer });
      }
      case 'open_target':
        opened.push(-1);
    }
  }

  async function actuate(wants: Extract<Effect, { type: 'actuate' }>['wants'], take: (event: Event) => Promise<void>) {
    switch (wants.type) {
      case 'claim': {
        const one = byActuation(wants.id);
        const mine = one !== undefined && (one.claimant === null || one.claimant === wants.claimant);
        if (one && mine) one.claimant = wants.claimant;
        const command = one && mine ? one.command : null;
        return take({ type: 'actuation', id: wants.id, event: { type: 'claimed', command } });
      }
      case 'open': {
        const tab = 100 + opened.length;
        opened.push(tab);
        const url = key === null ? 'https://chatgpt.com/' : `${key}/project`;
        const at = key === null ? ('root' as const) : ('project' as const);
        pages.set(tab, {
          document: `d${tab}`,
          page: { site: 'chatgpt', place: at, conversation: null, project: place, url, title: null },
        });
        background(here(tab, { ...QUIET, draft: options.draft ?? false }));
        return take({ type: 'actuation', id: wants.id, event: { type: 'opened', tab } });
      }
      case 'check':
        return take({
          type: 'actuation',
          id: wants.id,
          event: { type: 'checked', answer: 'confirmed', account: { salt: 's', digest: 'd' } },
        });
      case 'name':
        return take({
          type: 'actuation',
          id: wants.id,
          event: { type: 'named', ref: 'br_target', generation: 1, message: null },
        });
      case 'report': {
        const one = byActuation(wants.id);
        if (!one) return take({ type: 'actuation', id: wants.id, event: { type: 'reported', answer: 'over' } });
        told(one, wants.evidence);
        return take({
          type: 'actuation',
          id: wants.id,
          event: { type: 'reported', answer: 'told' },
          dispatch: one.view.dispatch_id,
          applied: one.view.delivery_state === 'applied',
        });
      }
      default:
        return undefined;
    }
  }

  function told(one: { view: DispatchView }, evidence: Evidence): void {
    if (one.view.delivery_state !== 'uncertain') return;
    const { delivery, execution, reason } = judge(
      { operation: 'session.create', expectedGeneration: 1, sessionRef: '' },
      evidence,
    );
    one.view = {
      ...one.view,
      delivery_state: delivery,
      execution_state: execution,
      reason,
      session_ref: evidence.session_ref ?? null,
      canonical_url: evidence.canonical_url ?? null,
    };
  }

  /** What the page script does: claim, press once, and say what it saw. */
  async function write(
    tab: number,
    order: { id: string; attempt: number; text: string; opens?: object },
  ): Promise<unknown> {
    const before = from(tab);
    const say = (event: Event) => tell(event);
    const allowed = await worker.loop().take({
      type: 'claim',
      from: before,
      id: order.id,
      attempt: order.attempt,
      baseline: { userIds: [], userTurns: 0 },
    });
    if (!allowed.ok) {
      const reason = allowed.reason === 'storage_unavailable' ? 'worker_unavailable' : allowed.reason;
      return say({
        type: 'done',
        from: before,
        id: order.id,
        attempt: order.attempt,
        outcome: { state: 'blocked', reason },
      });
    }
    const conversation = order.opens === undefined ? (before.page.conversation ?? '') : NEW;
    turns[conversation] = [...(turns[conversation] ?? []), order.text];
    if (options.swallowsProof) {
      const outcome = { state: 'uncertain' as const, reason: 'no_new_turn' as const };
      return say({ type: 'done', from: before, id: order.id, attempt: order.attempt, outcome });
    }
    if (order.opens !== undefined) pages.set(tab, { document: `d${tab}`, page: options.born?.() ?? chat(NEW, place) });
    const outcome = { state: 'sent' as const, messageId: 'm1', url: conversation };
    await say({ type: 'done', from: from(tab), id: order.id, attempt: order.attempt, outcome });
    await here(tab);
  }

  return {
    turns,
    opened,
    moved,
    retired,
    ended,
    dispatches,
    steps: worker.steps,
    project: place,
    async take(event: Event) {
      const reply = await worker.loop().take(event);
      await settle();
      return reply;
    },
    async begin() {
      background(begin());
      await settle();
      await here(7);
      if (options.bound !== false)
        await worker.loop().take({ type: 'bind', tab: 7, page: chat(CHAT, place), workspace: 'w1', continuityId });
      await tell({ type: 'session', conversation: CHAT, ref: 'br_source' });
      await settle();
    },
    async show(tab: number, page: PageIdentity) {
      pages.set(tab, { document: `d${tab}`, page });
      await here(tab);
      await settle();
    },
    async press(tab = 7) {
      const event: Event = {
        type: 'action',
        from: from(tab),
        action: { name: 'handoff' },
        id: '0123456789abcdef0123456789abcdef',
        fresh,
      };
      for (;;) {
        const reply = await worker.loop().take(event);
        await settle();
        if (reply.ok || reply.reason !== 'storage_unavailable') return reply;
      }
    },
    async tick(ms = 30_000) {
      now += ms;
      background(tell({ type: 'tick' }));
      background(waitingFor());
      await settle();
    },
    working(on: boolean) {
      const agent = {
        pane: 'p1',
        name: 'pi',
        agent: 'pi',
        status: on ? 'working' : 'idle',
        workspace: 'w1',
        cwd: null,
        terminal_title: null,
        seq: 1,
      };
      fresh = { ...fresh, agents: [{ ...agent, last_activity_at: now }] };
    },
    state: (): Promise<State> => worker.loop().state(),
    hud: async (tab = 7) => hudOf(await worker.loop().state(), from(tab).page, tab, 'en'),
  };
}
