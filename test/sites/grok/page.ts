/** Grok's page. */
import { el } from '../base/page/element.ts';
import { openPage, paragraphs } from '../base/page/plain.ts';
import { pathOf } from './path.ts';

/** What two messages bear on a bad day. */
const SHARED = '5b0f6f4e-1111-4222-8333-444455556666';

const button = (testId: string, label: string) =>
  el('button', { type: 'button', 'data-testid': testId, 'aria-label': label }, [label]);

await openPage({
  title: (name) => (name === null ? 'Grok' : `${name} - Grok`),
  path: pathOf,
  editor: { class: 'ProseMirror tiptap', 'data-testid': 'chat-input' },
  form: (editor, controls) => {
    const form = el('form', {}, [editor, controls]);
    form.addEventListener('submit', (event) => event.preventDefault());
    return form;
  },
  send: (names) => (names === 'usual' ? button('chat-submit', 'Submit') : button('chat-go', 'Go')),
  stop: (names) => (names === 'usual' ? button('chat-stop', 'Stop model response') : button('chat-halt', 'Halt')),
  attachment: () => el('div', { 'data-testid': 'file-attachment' }, ['notes.txt']),
  message(turn, _at, { ids, names }) {
    const named = ids === 'none' || turn.id === null ? null : turn.id;
    const id = named === null ? {} : { id: `response-${ids === 'torn' ? 'x' : ids === 'shared' ? SHARED : named}` };
    const streaming = turn.status === 'in_progress' ? { 'data-is-streaming': 'true' } : {};
    const testId = names === 'usual' ? `${turn.role}-message` : `bubble-${turn.role}`;
    const body =
      turn.role === 'user'
        ? el('div', { class: 'response-content-markdown' }, [el('p', { class: 'whitespace-pre-wrap' }, [turn.text])])
        : el('div', { class: 'response-content-markdown' }, paragraphs(turn.text));
    return el('div', id, [el('div', { 'data-testid': testId, ...streaming }, [body])]);
  },
});
