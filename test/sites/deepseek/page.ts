/** DeepSeek's page. */
import { openArea } from '../base/page/area.ts';
import { el } from '../base/page/element.ts';
import { markdown } from '../base/page/markdown.ts';
import { openPage } from '../base/page/plain.ts';
import { pathOf } from './path.ts';

const code = (lines: readonly string[], language: string) =>
  el('div', { class: 'md-code-block' }, [
    el('div', { class: 'md-code-block-banner' }, [language, el('div', { role: 'button' }, ['Copy'])]),
    el('pre', {}, [lines.join('\n')]),
  ]);

await openPage({
  title: (name) => (name === null ? 'DeepSeek' : `${name} - DeepSeek`),
  path: pathOf,
  editor: { name: 'search' },
  compose: openArea,
  form: (editor, controls) => el('div', { class: 'ds-chat-input' }, [editor, controls]),
  // Nothing names it: neither a label nor an id.
  send: () => el('div', { role: 'button', class: 'ds-icon-button' }, ['↑']),
  stop: () => el('div', { role: 'button', 'data-testid': 'stop-button', class: 'ds-icon-button' }, ['■']),
  attachment: () => el('div', { class: 'ds-file-card' }, ['notes.txt']),
  mounted: 6,
  message(turn, at, { ids }) {
    const row = ids === 'none' || turn.id === null ? {} : { 'data-virtual-list-item-key': String(at + 1) };
    if (turn.role === 'user') {
      const words = el('div', { class: 'ds-user-text whitespace-pre-wrap' }, [turn.text]);
      return el('div', row, [el('div', { class: 'ds-message' }, [words])]);
    }
    const writing = turn.status === 'in_progress';
    const body =
      writing && turn.text === ''
        ? [el('div', { class: 'ds-loading' }, [])]
        : [
            el('div', { class: 'ds-think-content' }, ['Perhaps {"tool":"herdr_exec","args":{"command":"true"}}']),
            el('div', { class: 'ds-assistant-message-main-content' }, markdown(turn.text, code)),
            ...(writing ? [el('span', { class: 'ds-cursor' }, [])] : []),
          ];
    return el('div', row, [el('div', { class: 'ds-message' }, body)]);
  },
});
