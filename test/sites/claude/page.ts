/** Claude's page. */
import { el } from '../base/page/element.ts';
import { openPage, paragraphs } from '../base/page/plain.ts';
import { pathOf } from './path.ts';

await openPage({
  title: (name) => (name === null ? 'Claude' : `${name} - Claude`),
  path: pathOf,
  editor: { class: 'ProseMirror', 'data-testid': 'chat-input', 'aria-label': 'Write your prompt to Claude' },
  form: (editor, controls, names) =>
    el(names === 'usual' ? 'fieldset' : 'section', {}, [el('div', {}, [editor]), controls]),
  send: (names) => el('button', { type: 'button', 'aria-label': names === 'usual' ? 'Send message' : 'Post' }, ['↑']),
  stop: (names) => el('button', { type: 'button', 'aria-label': names === 'usual' ? 'Stop response' : 'Halt' }, ['■']),
  attachment: () => el('div', { 'data-testid': 'file-thumbnail' }, ['notes.txt']),
  header: ({ project }) => [
    el('header', {}, project === null ? ['Chat'] : [el('a', { href: `/project/${project}` }, ['Parsers']), ' / Chat']),
  ],
  message(turn, at, { ids, names }) {
    const streaming = turn.status === 'in_progress';
    const index = String(ids === 'shared' ? 0 : at);
    const named = ids !== 'none' && turn.id !== null;
    const row = {
      'data-testid': 'transcript-row',
      ...(named
        ? { 'data-perf-row': '', 'data-index': index, 'data-rs-index': ids === 'torn' ? String(at + 3) : index }
        : {}),
      ...(named ? { 'aria-posinset': String(Number(index) + 1) } : {}),
      ...(streaming ? { 'data-perf-row-streaming': 'true' } : {}),
    };
    if (turn.role === 'user') {
      const message = el('div', { 'data-testid': names === 'usual' ? 'user-message' : 'human-turn' }, [
        el('p', { class: 'whitespace-pre-wrap break-words' }, [turn.text]),
      ]);
      return el('div', row, [message, el('button', { type: 'button' }, ['Edit'])]);
    }
    const body = el('div', { class: 'standard-markdown' }, paragraphs(turn.text));
    return el('div', row, [
      el('div', { 'data-is-streaming': String(streaming) }, [
        el('div', { class: names === 'usual' ? 'font-claude-response' : 'font-reply' }, [body]),
      ]),
    ]);
  },
});
