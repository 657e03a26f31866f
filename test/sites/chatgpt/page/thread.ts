/** The thread: turns of the end of the conversation, tool cards, permission cards, error cards. Rebuilt at each change. */

import { el } from '../../base/page/element.ts';
import type { Card, Turn } from '../../base/truth.ts';
import type { Looks, View } from '../wire.ts';

export function renderThread(
  view: View,
  looks: Looks,
  press: { card(card: string, button: string): void; retry(): void },
): HTMLElement[] {
  const conversation = view.conversation;
  if (conversation === null) return [];
  const first = Math.max(0, conversation.turns.length - looks.mounted);
  const parts = conversation.turns.slice(first).map((turn, at) => section(turn, first + at, looks));
  for (const card of conversation.cards) parts.push(permissionCard(card, looks, press.card));
  if (conversation.threadError !== null) {
    parts.push(
      el('div', { class: 'thread-error', role: 'alert' }, [
        el('p', {}, [conversation.threadError]),
        ...(conversation.retry ? [button('Retry', { 'data-testid': looks.names.retryTestId }, press.retry)] : []),
      ]),
    );
  }
  return parts;
}

function section(turn: Turn, index: number, looks: Looks): HTMLElement {
  const { names } = looks;
  const message = el(
    'div',
    {
      'data-message-author-role': turn.role,
      'data-message-id': turn.id,
      ...(turn.status === 'in_progress' ? { 'data-is-streaming': 'true' } : {}),
    },
    turn.role === 'user' ? userBody(turn, looks) : assistantBody(turn),
  );
  return el(
    'section',
    { 'data-turn': turn.role, 'data-turn-id': turn.id, 'data-testid': `${names.turnTestIdPrefix}${index}` },
    [message],
  );
}

function userBody(turn: Turn, looks: Looks): HTMLElement[] {
  const pills = turn.pills.map((keyword) =>
    el('span', { 'data-inline-selection-pill': '', 'data-symbol': 'ecosystemMention', 'data-keyword': keyword }, [
      keyword,
    ]),
  );
  const body = [el('div', { class: 'whitespace-pre-wrap' }, [...pills, turn.text])];
  if (turn.text.length > 600) body.push(button('Show more', { 'data-testid': looks.names.collapseTestId }, () => {}));
  return body;
}

function assistantBody(turn: Turn): HTMLElement[] {
  const parts: HTMLElement[] = [];
  if (turn.tool !== null) {
    parts.push(
      el('div', { class: 'group/tool-message', 'aria-busy': 'true', 'aria-label': `Tool ${turn.tool} running` }, [
        el('span', { class: 'animate-spin' }, []),
        `Calling ${turn.tool}`,
      ]),
    );
  }
  const prose = el('div', { class: 'markdown prose' }, []);
  for (const paragraph of turn.text.split('\n\n')) {
    if (paragraph === '') continue;
    const lines = paragraph.split('\n').flatMap((line, at) => (at === 0 ? [line] : [el('br', {}, []), line]));
    prose.append(el('p', {}, lines));
  }
  parts.push(prose);
  if (turn.notice !== null) parts.push(el('div', { class: 'text-token-text-error' }, [turn.notice]));
  return parts;
}

function permissionCard(card: Card, looks: Looks, press: (card: string, button: string) => void): HTMLElement {
  const buttons = card.buttons.map((label) => button(label, {}, () => press(card.id, label)));
  if (card.shape === 'dialog') {
    return el('div', { role: 'dialog', 'data-card': card.id }, [el('p', {}, [card.text]), ...buttons]);
  }
  return el('div', { class: 'group/tool-message', 'data-card': card.id }, [
    el('div', { class: 'tool-text' }, [card.text]),
    el('div', { 'data-testid': looks.names.cardActionsTestId }, buttons),
  ]);
}

function button(label: string, attributes: Record<string, string>, press: () => void): HTMLElement {
  const made = el('button', { type: 'button', ...attributes }, [label]);
  made.addEventListener('click', press);
  return made;
}
