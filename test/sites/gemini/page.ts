/** Gemini's page. */
import { el } from '../base/page/element.ts';
import { openPage, paragraphs } from '../base/page/plain.ts';
import { pathOf } from './path.ts';

const button = (what: string, label: string) =>
  el('button', { type: 'button', class: `send-button ${what}`, 'aria-label': label }, [what]);

await openPage({
  title: (name) => (name === null ? 'Google Gemini' : `${name} - Google Gemini`),
  path: pathOf,
  editor: { class: 'ProseMirror ql-editor textarea', 'aria-label': 'Enter a prompt here' },
  form: (editor, controls, names) =>
    names === 'usual'
      ? el('input-area-v2', {}, [el('rich-textarea', {}, [editor]), controls])
      : el('prompt-area', {}, [editor, controls]),
  send: (names) => (names === 'usual' ? button('submit', 'Send message') : button('go', 'Go')),
  stop: (names) => (names === 'usual' ? button('stop', 'Stop response') : button('halt', 'Halt')),
  badge: (email) => [
    email === null
      ? el('a', { href: 'https://accounts.google.com/ServiceLogin' }, ['Sign in'])
      : el(
          'a',
          { href: 'https://accounts.google.com/SignOutOptions', 'aria-label': `Google Account: Jane (${email})` },
          [],
        ),
  ],
  attachment: () => el('uploader-file-preview', {}, ['notes.txt']),
  message(turn, _at, { ids, names }) {
    const named = ids === 'none' || turn.exchange === null ? null : turn.exchange.replaceAll('-', '');
    const id =
      named === null ? {} : { id: ids === 'torn' ? `tmp ${named}` : ids === 'shared' ? 'a'.repeat(16) : named };
    const container = (message: HTMLElement) => el('div', { class: 'conversation-container', ...id }, [message]);
    if (turn.role === 'user') {
      const lines = turn.text
        .split('\n')
        .map((line) => el('p', { class: 'query-text-line' }, line === '' ? [el('br', {}, [])] : [line]));
      const heard = el('span', { class: 'cdk-visually-hidden' }, ['You said']);
      return container(
        el(names === 'usual' ? 'user-query' : 'user-ask', {}, [el('div', { class: 'query-text' }, [heard, ...lines])]),
      );
    }
    const body = el(
      'div',
      { class: 'markdown', 'aria-busy': String(turn.status === 'in_progress') },
      paragraphs(turn.text),
    );
    return container(
      el(names === 'usual' ? 'model-response' : 'model-answer', {}, [el('message-content', {}, [body])]),
    );
  },
});
