/** Does what was decided and written down, and gives back what came of it as a new event. */
import { browser } from 'wxt/browser';
import type { BridgeCall, CallOutcome } from '../machines/bridge/index.ts';
import type { Effect, State } from '../machines/worker/index.ts';
import { type Answer, type FromWorker, PROTOCOL, type WorkerAsks } from '../messages.ts';
import type { BridgeDoor } from './bridge.ts';
import { type JudgingParts, performJudge } from './judging.ts';
import { isMoving, type MovingParts, performMoving } from './moving.ts';
import type { RuntimeDoor } from './runtime.ts';

export interface EffectParts extends JudgingParts, MovingParts {
  version: string;
  runtime: RuntimeDoor;
  bridge: BridgeDoor;
  pause(ms: number): Promise<void>;
  isWanted(call: BridgeCall): Promise<boolean>;
  state(): Promise<State>;
  documentOf(tab: number): Promise<string | null>;
  renewStream(): void;
  /** Tells the delivery service the answer that it waits for, when a page shows it whole. */
  answer(tab: number, conversation: string, of: readonly string[]): Promise<void>;
}

export async function perform(parts: EffectParts, effect: Effect): Promise<void> {
  const { runtime, take } = parts;
  if (isMoving(effect)) return performMoving(parts, effect);
  switch (effect.type) {
    case 'deliver': {
      const { tab, conversation, order } = effect;
      const elsewhere = await parts.wakes.claim(order.id, order.attempt);
      if (elsewhere !== null) return void (await take(elsewhere));
      const document = await parts.documentOf(tab);
      const shown = order.opens === undefined ? conversation : null;
      const answer = await askPage(parts.version, tab, shown, 'deliver', order);
      if (answer === null) await take({ type: 'no_receiver', tab, document: document ?? '' });
      else if (!answer.ok) await take({ type: 'refused', id: order.id, attempt: order.attempt, reason: answer.reason });
      return;
    }
    case 'probe': {
      const { id, tab, conversation, text, baseline } = effect;
      const answer = await askPage(parts.version, tab, conversation, 'delivery.probe', { id, text, baseline });
      const { arrived, messageId } = answer?.ok ? answer.value : { arrived: 'unknown' as const, messageId: null };
      await take({ type: 'probed', id, arrived, messageId });
      return;
    }
    case 'answer':
      return parts.answer(effect.tab, effect.conversation, effect.messages);
    case 'ask': {
      const answer = await askPage(parts.version, effect.tab, null, 'probe', null);
      if (!answer?.ok) return;
      const { page, version, document, state } = answer.value;
      await take({ type: 'page', from: { tab: effect.tab, document, version, page }, state });
      return;
    }
    case 'examine': {
      const { tab, conversation, document } = effect;
      const answer = await askPage(parts.version, tab, conversation, 'health.examine', null);
      const state = await parts.state();
      const open = state.tabs[tab];
      // Another document, or another chat by now: what it would say is about something else.
      if (!answer?.ok || open?.document !== document || open.page.conversation !== conversation) return;
      const { version, page } = open;
      await take({ type: 'examined', from: { tab, document, version, page }, ...answer.value });
      return;
    }
    case 'recover': {
      const { tab, conversation, order } = effect;
      const answer = await askPage(parts.version, tab, conversation, 'recover', order);
      const became = answer === null ? 'gone' : answer.ok ? 'done' : answer.reason;
      await take({ type: 'recovered', conversation, id: order.id, answer: became });
      return;
    }
    case 'reload_tab':
      // A tab that has gone meanwhile needs no healing.
      await browser.tabs.reload(effect.tab).catch(() => undefined);
      return;
    case 'look': {
      const { binding, revision, session } = effect;
      const [fresh, inbox] = await Promise.all([
        runtime.fresh(),
        session === null ? Promise.resolve('none' as const) : runtime.inbox(session, null),
      ]);
      await take({ type: 'looked', binding, revision, fresh, inbox });
      return;
    }
    case 'output': {
      const { binding, revision, panes } = effect;
      const [fresh, output] = await Promise.all([runtime.fresh(), runtime.output(panes)]);
      await take({ type: 'output', binding, revision, fresh, output });
      return;
    }
    case 'acknowledge': {
      const done = await Promise.all(effect.tasks.map((task) => runtime.acknowledge(effect.session, task)));
      if (done.every(Boolean)) await take({ type: 'acknowledged', delivery: effect.delivery });
      return;
    }
    case 'bridge_call': {
      const { conversation, answers, index, attempt, tool, args, afterMs } = effect;
      if (afterMs > 0) await parts.pause(afterMs);
      // A person may have stopped it while it waited for its turn.
      const outcome: CallOutcome = (await parts.isWanted(effect))
        ? await parts.bridge.call(tool, args)
        : { kind: 'unknown', why: 'stopped' };
      const event = { type: 'called' as const, conversation, answers, index, attempt, outcome };
      await take({ type: 'bridge', event, from: null });
      return;
    }
    case 'judge':
      return performJudge(parts, effect);
    case 'services': {
      const services = await parts.advice.services();
      if (services !== null) await take({ type: 'services', services });
      return;
    }
    case 'reconnect':
      parts.renewStream();
      return;
    case 'keep_tab':
      // A tab that has gone meanwhile needs no keeping.
      await browser.tabs.update(effect.tab, { autoDiscardable: !effect.keep }).catch(() => undefined);
  }
}

/** Asks a page script; null: nobody is there (any more). */
export async function askPage<K extends keyof WorkerAsks>(
  version: string,
  tab: number,
  conversation: string | null,
  kind: K,
  body: WorkerAsks[K]['ask'],
): Promise<WorkerAsks[K]['answer'] | null> {
  const message: FromWorker<K> = { herdr: PROTOCOL, to: 'page', version, conversation, kind, body };
  try {
    const answer: unknown = await browser.tabs.sendMessage(tab, message);
    return isAnswer(answer) ? (answer as WorkerAsks[K]['answer']) : null;
  } catch {
    return null; // the tab is gone, or holds no page script of ours
  }
}

function isAnswer(value: unknown): value is Answer<unknown> {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'ok') === 'boolean';
}
