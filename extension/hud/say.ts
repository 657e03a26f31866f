/** Sentences of the bar. */
import { type Language, say } from '../../look/words/index.ts';
import type { ActionName, HudState, JudgeView, Reason } from '../messages.ts';

/** Why something cannot be done, as the end of a sentence. */
export function why(language: Language, reason: Reason): string {
  return say(language, 'hud', `why.${reason}`);
}

/** What stands in the bar about the runtime and the bound work, with its colour. The worst comes first. */
export function stateOf(hud: HudState): { text: string; tone: 'good' | 'warn' | 'bad' | 'quiet' } {
  const { language } = hud;
  if (hud.runtime !== 'connected') {
    const tone = hud.runtime === 'unknown' || hud.runtime === 'standby' ? 'quiet' : 'bad';
    return { text: say(language, 'hud', `state.${hud.runtime}`), tone };
  }
  if (hud.herdr !== null && hud.herdr !== 'live') return { text: say(language, 'hud', 'herdr.away'), tone: 'warn' };
  const [first] = hud.bound;
  if (first === undefined) return { text: say(language, 'hud', 'unbound'), tone: 'quiet' };
  const shown =
    hud.bound.find(({ status }) => status === 'blocked') ??
    hud.bound.find(({ status }) => status === 'working') ??
    first;
  const tone = shown.status === 'blocked' ? 'warn' : shown.status === 'unknown' ? 'quiet' : 'good';
  return { text: `${shown.label}: ${say(language, 'hud', `work.${shown.status}`)}`, tone };
}

/** Why a button cannot be pressed, as its tooltip; empty when it can. */
export function actionTitle(hud: HudState, action: ActionName): string {
  const reason = hud.actions[action];
  if (reason === null) return '';
  return why(hud.language, reason);
}

const COUNTED = ['running', 'completed', 'blocked', 'failed', 'uncertain'] as const;

/** The inbox of this conversation, without what is zero; null while there is nothing to count. */
export function tasksText({ tasks, language }: HudState): string | null {
  if (tasks === null) return null;
  const parts = COUNTED.filter((part) => tasks[part] > 0);
  return parts.length === 0
    ? null
    : parts.map((part) => say(language, 'hud', `tasks.${part}`, { count: tasks[part] })).join(' · ');
}

/** What became of the last message, while it is worth a sentence. */
export function deliveryText(hud: HudState): string | null {
  const { delivery, language } = hud;
  if (delivery === null || delivery.state === 'sent') return null;
  const reason = delivery.reason === null ? '' : why(language, delivery.reason);
  return say(language, 'hud', `delivery.${delivery.state}`, { why: reason });
}

/** The Auto switch: the person's choice, and why it has no effect now. */
export function autoText({ auto, language }: HudState): { text: string; title: string } {
  const text = say(language, 'hud', auto.on ? (auto.effective ? 'autoOn' : 'autoIdle') : 'autoOff');
  return { text, title: auto.why === null ? '' : why(language, auto.why) };
}

const MARKS: Readonly<Record<JudgeView['mark'], string>> = {
  deciding: '…',
  held: '·',
  sent: '→',
  done: '✓',
  unsure: '?',
  person: '!',
  failed: '!',
};

/** What Auto decided last, as a mark on its switch and a sentence; null: nothing that a person has to know. */
export function judgeText({ judge, auto, language }: HudState): { mark: string; text: string } | null {
  if (judge === null || !auto.on) return null;
  const reason = say(language, 'auto', `why.${judge.why}`);
  const text =
    judge.note === null
      ? say(language, 'auto', 'resultTitle', { why: reason })
      : say(language, 'auto', 'resultNote', { why: reason, note: judge.note });
  return { mark: MARKS[judge.mark], text };
}

/** How long the chat has grown; null: not worth a word. */
export function pressureText({ pressure, language }: HudState): { text: string; title: string; warns: boolean } | null {
  if (pressure === null) return null;
  const { level, tokens, messages } = pressure;
  const title = say(language, 'auto', 'pressureTitle', { tokens: rounded(tokens), messages });
  const warns = level === 'rollover_required' || level === 'high_risk';
  return { text: say(language, 'auto', `pressure.${level}`), title, warns };
}

/** An estimate has no last digits. */
const rounded = (tokens: number): number => Math.round(tokens / 1_000) * 1_000;
