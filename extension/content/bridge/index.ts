/**
 * The JSON bridge in a page. It takes a person's message over before the site sends it, tells the worker of each whole
 * reply to a message of ours, and folds what is for machines only. What a reply means, and whether anything runs, is the
 * worker's; nothing is remembered here, so that a reload finds everything where it was.
 */
import { say } from '../../../look/words/index.ts';
import { lookForReply, NO_REPLY, overtaken, type ReplyWatch } from '../../machines/bridge/index.ts';
import { sameText } from '../../machines/page/index.ts';
import type { Answer, BridgeTurn, DeliveryOutcome, HudState, PageAsks, Reason } from '../../messages.ts';
import type { PageIdentity } from '../../page.ts';
import type { SiteAdapter } from '../../site/index.ts';
import type { Clock } from '../clock.ts';
import { createFolds } from './fold.ts';
import { LAUNCH_WAIT_MS, PASS_MS, REPLY_LOOK_MS, SAY_PAUSE_MS, SAY_TRIES, TELL_AGAIN_MS } from './limits.ts';
import { interceptSubmits } from './submits.ts';

type Asked = 'bridge.launch' | 'bridge.claim' | 'bridge.say' | 'bridge.turn' | 'bridge.unnamed' | 'bridge.control';

export interface BridgeParts {
  adapter: SiteAdapter;
  clock: Clock;
  ended: AbortSignal;
  page(): PageIdentity | null;
  hud(): HudState | null;
  ask<K extends Asked>(page: PageIdentity, kind: K, body: PageAsks[K]['ask']): Promise<PageAsks[K]['answer']>;
  /** The text of ours that is being sent now; null: none is. */
  ours(): string | null;
  /** The one way to send, in a page that is no chat yet. */
  send(text: string, waitMs: number, claim: () => Promise<Answer<null>>): Promise<DeliveryOutcome>;
  toast(text: string): void;
  /** Says the page's state again: its composer was emptied, or the worker waits for a quiet page. */
  cleared(): void;
}

export function startBridge(parts: BridgeParts): void {
  const { adapter, clock, ended } = parts;
  let watch: ReplyWatch = NO_REPLY;
  let last: Promise<unknown> = Promise.resolve();
  let unanswered: { text: string; id: string } | null = null;
  /** Words that were refused: the next press sends them as they are. */
  let passing: { text: string; until: number } | null = null;
  let told: { key: string; again: number } = { key: '', again: 0 };
  let unnamedIn: string | null = null;
  let poked = 0;

  const isOn = () => {
    const hud = parts.hud();
    return hud?.bridge?.tools === 'on' && hud.runtime === 'connected' && parts.page() !== null;
  };
  const words = (key: Parameters<typeof say<'bridge'>>[2], values: Record<string, string> = {}) =>
    say(parts.hud()?.language ?? 'en', 'bridge', key, values);

  const folds = createFolds(adapter, ended, () => ({
    results: words('foldedResults'),
    note: words('foldedNote'),
    calls: (tools) => words('foldedCalls', { tools }),
  }));

  interceptSubmits({
    adapter,
    ended,
    ours: parts.ours,
    isActive: () => isOn() && !isPassing(adapter.draft().found ?? '') && !adapter.attached(),
    submitted: (text) => {
      // One after the other; a press whose words are gone by then was the same press twice.
      last = last
        .then(() => (sameText(adapter.draft().found ?? '', text) ? take(text) : undefined))
        .catch((error: unknown) => console.error('herdr-mcp: a message could not be taken over', error));
    },
  });

  const lastOfPerson = () => adapter.messages().found?.mounted.findLast(({ role }) => role === 'user');

  // Who stops the answer does not want what it has asked for so far.
  window.addEventListener(
    'click',
    ({ isTrusted, target }) => {
      const page = parts.page();
      const stop = isTrusted && isWorking() ? adapter.stop().found : null;
      if (page === null || stop === null || !(target instanceof Node) || !stop.contains(target)) return;
      void parts.ask(page, 'bridge.control', { what: 'stop' });
    },
    { capture: true, signal: ended },
  );
  const isWorking = () => {
    const phase = parts.hud()?.bridge?.phase ?? 'idle';
    return phase !== 'idle' && phase !== 'paused';
  };

  const isPassing = (text: string) => passing !== null && passing.text === text && clock.now() < passing.until;

  async function take(text: string): Promise<void> {
    const page = parts.page();
    if (page === null) return;
    // Nobody may have answered because the worker was stopped after it had written: the same words keep their id.
    if (unanswered?.text !== text) unanswered = { text, id: crypto.randomUUID() };
    const { id } = unanswered;
    const refusal = page.conversation === null ? await launch(page, text, id) : await keep(page, text, id);
    if (refusal === 'worker_unavailable') return parts.toast(words('notTakenNow'));
    unanswered = null;
    if (refusal === null) return;
    passing = { text, until: clock.now() + PASS_MS };
    parts.toast(words('notTaken', { why: say(parts.hud()?.language ?? 'en', 'hud', `why.${refusal}`) }));
  }

  /** Stored by the worker first; only then taken out of the composer, and only while it is still that text. */
  async function keep(page: PageIdentity, text: string, id: string): Promise<Reason | null> {
    const entry = { entry: `be:${id}`, loop: loopOf(id), text };
    // What stands there comes before these words: the first message, which makes the loop of a new chat, or an answer.
    const before = overtaken(adapter.messages().found?.mounted ?? [], adapter.streaming().found);
    if (before !== null) await parts.ask(page, 'bridge.turn', before);
    const kept = await again(() => parts.ask(page, 'bridge.say', entry));
    if (!kept.ok) return kept.reason;
    if (!(await adapter.clear(text))) parts.toast(words('notCleared'));
    parts.cleared();
    return null;
  }

  async function launch(page: PageIdentity, text: string, id: string): Promise<Reason | null> {
    const loop = loopOf(id);
    const message = await again(() => parts.ask(page, 'bridge.launch', { id: loop, text }));
    if (!message.ok) return message.reason;
    // Taken out only where ours goes in at once: words that a person writes in between would keep these from coming back.
    if (adapter.cardWaiting()) return 'card_waiting';
    if (adapter.streaming().found !== false) return 'turn_in_progress';
    if (!(await adapter.clear(text))) return 'user_typing';
    const outcome = await parts.send(message.value, LAUNCH_WAIT_MS, () =>
      parts.ask(page, 'bridge.claim', { id: loop }),
    );
    if (outcome.state !== 'blocked') return null;
    // Certainly not sent: the person's own words come back.
    await adapter.insert(text, ended);
    return outcome.reason;
  }

  async function again<T>(ask: () => Promise<Answer<T>>): Promise<Answer<T>> {
    for (let tried = 1; ; tried += 1) {
      const answer = await ask();
      if (answer.ok || answer.reason !== 'worker_unavailable' || tried === SAY_TRIES || ended.aborted) return answer;
      await clock.pause(SAY_PAUSE_MS);
    }
  }

  clock.every(REPLY_LOOK_MS, async () => {
    const page = parts.page();
    const hud = parts.hud();
    const messages = adapter.messages().found;
    if (page === null || hud?.bridge == null || messages === null) return folds.clear();
    const { mounted } = messages;
    folds.look();
    const busy = adapter.streaming().found;
    // What was refused a moment ago waits: the worker hears that this page is still there for it.
    if (hud.bridge.phase === 'posting' && clock.now() - poked > TELL_AGAIN_MS) {
      poked = clock.now();
      parts.cleared();
    }
    const { conversation } = page;
    const step = lookForReply(watch, { now: clock.now(), conversation, mounted, busy });
    watch = step.watch;
    if (step.seen !== null) await tell(page, step.seen);
    const last = lastOfPerson();
    if (conversation !== null && busy === false && last?.id === null && unnamedIn !== conversation) {
      const answer = await parts.ask(page, 'bridge.unnamed', null);
      if (answer.ok) unnamedIn = conversation;
    }
  });

  /** Told until it is answered. What is no message of ours by the worker's word is not told again. */
  async function tell(page: PageIdentity, seen: BridgeTurn): Promise<void> {
    const key = `${page.conversation}\n${seen.loop}\n${seen.n}\n${seen.reply?.text.length ?? ''}\n${seen.reply?.text ?? ''}`;
    if (told.key === key && clock.now() < told.again) return;
    const answer = await parts.ask(page, 'bridge.turn', seen);
    const over = answer.ok || answer.reason === 'unbound';
    told = { key, again: over ? Number.POSITIVE_INFINITY : clock.now() + TELL_AGAIN_MS };
  }
}

/** One press's own id, as the name of the loop that it may begin. */
const loopOf = (id: string): string => `bl_${id.replaceAll('-', '').slice(0, 16)}`;
