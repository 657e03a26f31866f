/** z.ai's page. */
import { openArea } from '../base/page/area.ts';
import { el } from '../base/page/element.ts';
import { markdown } from '../base/page/markdown.ts';
import { openPage } from '../base/page/plain.ts';
import { pathOf } from './path.ts';

const SHARED = '5b0f6f4e-1111-4222-8333-444455556666';

const button = (id: string, label: string, type: 'submit' | 'button') =>
  el('button', { type, id, 'aria-label': label }, [label]);

/** Of a line longer than this only the beginning is drawn, and an empty box keeps the place of the rest. */
const LINE_DRAWN = 4_000;
const drawn = (line: string) =>
  line.length <= LINE_DRAWN ? [line] : [line.slice(0, LINE_DRAWN / 2), el('div', {}, []), line.slice(-LINE_DRAWN / 2)];

/** Code stands in an editor of its own, a line an element, with a toolbar that is no code. */
const code = (lines: readonly string[], language: string) =>
  el('div', { class: 'code-block' }, [
    el('div', { class: 'code-toolbar' }, [language, el('button', { type: 'button' }, ['Copy'])]),
    el('div', { class: 'cm-editor' }, [
      el(
        'div',
        { class: 'cm-content' },
        lines.map((line) => el('div', { class: 'cm-line' }, drawn(line))),
      ),
    ]),
  ]);

await openPage({
  title: (name) => (name === null ? 'Z.ai' : `${name} | Z.ai`),
  path: pathOf,
  editor: { id: 'chat-input' },
  compose: openArea,
  form: (editor, controls) => {
    const form = el('form', {}, [editor, controls]);
    form.addEventListener('submit', (event) => event.preventDefault());
    return form;
  },
  send: (names) =>
    names === 'usual' ? button('send-message-button', 'Send message', 'submit') : button('go', 'Go', 'submit'),
  stop: (names) =>
    names === 'usual' ? button('stop-generation-button', 'Stop', 'button') : button('halt', 'Halt', 'button'),
  attachment: () => el('div', { 'data-testid': 'file-item' }, ['notes.txt']),
  message(turn, _at, { ids }) {
    const named = ids === 'none' || turn.id === null ? null : ids === 'shared' ? SHARED : turn.id;
    const id = named === null ? {} : { id: ids === 'torn' ? `message ${named}` : `message-${named}` };
    if (turn.role === 'user') {
      const long = turn.text.length > 600 ? [el('button', { type: 'button' }, ['Show more'])] : [];
      const words = el('div', { class: 'chat-user whitespace-pre-wrap' }, [turn.text]);
      return el('div', id, [el('div', { class: 'user-message' }, [words, ...long])]);
    }
    const writing = turn.status === 'in_progress';
    const thinking = el('div', { class: 'thinking-chain', 'data-running': String(writing && turn.text === '') }, [
      'Thinking about {"tool":"herdr_exec","args":{"command":"true"}}',
    ]);
    const prose = el('div', { class: 'markdown-prose' }, markdown(turn.text, code));
    return el('div', id, [
      el('div', { class: 'chat-assistant', 'data-generating': String(writing) }, [thinking, prose]),
    ]);
  },
});
