import type { DispatchView } from '../../../contract/browser/dispatch.ts';
import { createWakes, type WakeParts } from '../../../extension/background/wakes.ts';
import type { ActuationEvent } from '../../../extension/machines/actuation/index.ts';
import { type Effect, type Event, type Fresh, hudOf, type State } from '../../../extension/machines/worker/index.ts';
import type { DeliveryOutcome } from '../../../extension/messages.ts';
import type { PageIdentity } from '../../../extension/page.ts';
import { mortalWorker } from '../mortal.ts';
import { CHAT, chat, FRESH, project, QUIET } from '../worker/chat.ts';
import { HANDOFF, messageOf } from './fixtures.ts';
import { PlayedService } from './played-service.ts';

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
  const opened: number[] = [];
  const moved: string[] = [];
  const retired: number[] = [];
  const ended: string[] = [];
  const pages = new Map<number, { document: string; page: PageIdentity }>([
    [7, { document: 'd7', page: chat(CHAT, place) }],
  ]);
  let fresh: Fresh = FRESH;
  let now = 1_764_500_000_000;
  const service = new PlayedService(key, () => now);

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
    const waiting = options.asleep ? [] : service.waiting();
    if (waiting.length > 0) await tell({ type: 'actuations', waiting, claimant: `life${worker.life()}xx` });
  }
  const from = (tab: number) => {
    const { document, page } = pages.get(tab) ?? { document: 'gone', page: chat() };
    return { tab, document, version: '1.0.0', page };
  };
  const here = (tab: number, state = QUIET) => tell({ type: 'here', from: from(tab), state });

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
        const made = service.begin(wants.transfer.handoffId ?? '', wants.transfer.message ?? '');
        const dispatch = options.lies?.(made.view) ?? made.view;
        background(waitingFor());
        const answer = { kind: 'dispatch' as const, dispatch, replayed: made.replayed };
        return take({ type: 'handoff', transfer: wants.transfer.id, event: { type: 'delivered', answer } });
      }
      case 'observe': {
        const found = service.find(wants.dispatch);
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
        const { handoffId, dispatch, message } = wants.transfer;
        ended.push(handoffId ?? '');
        if (options.mute) return undefined;
        const answer = service.end(handoffId ?? '', dispatch, message ?? '');
        return take({ type: 'handoff_ended', transfer: wants.transfer.id, answer });
      }
      case 'open_target':
        opened.push(-1);
    }
  }

  async function actuate(wants: Extract<Effect, { type: 'actuate' }>['wants'], take: (event: Event) => Promise<void>) {
    const answer = (event: ActuationEvent, more: { dispatch?: string; applied?: boolean } = {}) =>
      take({ type: 'actuation', id: 'id' in wants ? wants.id : '', event, ...more });
    switch (wants.type) {
      case 'claim':
        return answer({ type: 'claimed', command: service.claim(wants.id, wants.claimant) });
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
        return answer({ type: 'opened', tab });
      }
      case 'check':
        return answer({ type: 'checked', answer: 'confirmed', account: { salt: 's', digest: 'd' } });
      case 'name':
        return answer({ type: 'named', ref: 'br_target', generation: 1, message: null });
      case 'report': {
        const told = service.report(wants.id, wants.evidence);
        if (!told) return answer({ type: 'reported', answer: 'over' });
        const applied = told.delivery_state === 'applied';
        return answer({ type: 'reported', answer: 'told' }, { dispatch: told.dispatch_id, applied });
      }
      default:
        return undefined;
    }
  }

  /** What the page script does: claim, press once, and say what it saw. */
  async function write(
    tab: number,
    order: { id: string; attempt: number; text: string; opens?: object },
  ): Promise<unknown> {
    const before = from(tab);
    const done = (outcome: DeliveryOutcome, at = before) =>
      tell({ type: 'done', from: at, id: order.id, attempt: order.attempt, outcome });
    const allowed = await worker.loop().take({
      type: 'claim',
      from: before,
      id: order.id,
      attempt: order.attempt,
      baseline: { userIds: [], userTurns: 0 },
    });
    if (!allowed.ok) {
      const reason = allowed.reason === 'storage_unavailable' ? 'worker_unavailable' : allowed.reason;
      return done({ state: 'blocked', reason });
    }
    const conversation = order.opens === undefined ? (before.page.conversation ?? '') : NEW;
    turns[conversation] = [...(turns[conversation] ?? []), order.text];
    if (options.swallowsProof) return done({ state: 'uncertain', reason: 'no_new_turn' });
    if (order.opens !== undefined) pages.set(tab, { document: `d${tab}`, page: options.born?.() ?? chat(NEW, place) });
    await done({ state: 'sent', messageId: 'm1', url: conversation }, from(tab));
    await here(tab);
  }

  return {
    turns,
    opened,
    moved,
    retired,
    ended,
    dispatches: service.dispatches,
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
