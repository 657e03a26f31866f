/**
 * The stand-in's page: a single-page application that shows what the server holds, follows it by waiting for the next
 * change, and sends what stands in its composer. Addresses change without a load, as on the real site.
 */

import { type Editor, openEditor } from '../../base/page/editor.ts';
import { el } from '../../base/page/element.ts';
import type { Looks, SendAnswer, View } from '../wire.ts';
import { renderThread } from './thread.ts';

declare global {
  interface Window {
    /** The handle by which a test acts as the person at the page. */
    person: {
      type(text: string): void;
      draft(): string;
      pills(): string[];
      go(path: string): void;
      pick(connector: string): void;
    };
  }
}

const nav = el('nav', { 'aria-label': 'Chat history' }, []);
const thread = el('div', { id: 'thread' }, []);
const form = el('form', { 'data-type': 'unified-composer' }, []);
const menu = el('div', { role: 'menu', hidden: '' }, []);
const options = el('div', { class: 'chat-options' }, []);
const modes = el('div', {}, []);
document.body.append(nav, el('main', {}, [options, modes, thread, form]), menu);

let view: View = await ask('/stand-in/view');
const editor: Editor = compose(view.looks);
let pending: { text: string; pills: string[] } | null = null;
let stopped = false;
render();
void follow();

window.addEventListener('popstate', () => void reload());
window.person = {
  type: (text) => editor.type(text),
  draft: () => editor.text(),
  pills: () => editor.pills(),
  go(path) {
    history.pushState(null, '', path);
    void reload();
  },
  pick: (connector) => editor.addPill(connector),
};

function compose(looks: Looks): Editor {
  const box = el('div', { class: 'composer-box' }, []);
  const controls = el('div', { class: 'composer-controls' }, []);
  form.replaceChildren(
    el('button', { type: 'button', id: looks.names.plusId, 'aria-label': 'Add files and more' }, ['+']),
    box,
    controls,
  );
  form.querySelector('button')?.addEventListener('click', () => openMenu());
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send();
  });
  return openEditor(box, {
    attributes: { id: looks.names.composerId },
    placeholder: 'Ask anything',
    suggestion: looks.suggestion,
    submit: () => void send(),
    changed: () => renderControls(),
  });
}

/** The "+" menu draws itself a moment later, as menus of the real page do. */
function openMenu(): void {
  setTimeout(() => {
    menu.hidden = false;
    menu.replaceChildren(
      el('div', { role: 'menuitem' }, ['Add photos & files']),
      ...view.looks.connectors.map((name) => {
        const item = el('div', { role: 'menuitem', 'data-testid': `app-${name}` }, [name]);
        item.addEventListener('click', () => {
          menu.hidden = true;
          setTimeout(() => editor.addPill(name), 60);
        });
        return item;
      }),
    );
  }, 80);
}

/** The menu of the chat: Archive stands between its neighbours, and takes the page to its Project's home, or to the root. */
function renderOptions(): void {
  const shown = view.conversation?.id ?? '';
  if (options.getAttribute('data-of') === shown) return;
  options.setAttribute('data-of', shown);
  const { names, archive } = view.looks;
  const opener = el(
    'button',
    { type: 'button', 'data-testid': names.optionsTestId, 'aria-label': names.optionsLabel },
    ['…'],
  );
  opener.addEventListener('click', () => {
    setTimeout(() => {
      const entry = (label: string, what: string) => {
        const item = el('div', { role: 'menuitem' }, [label]);
        item.addEventListener('click', () => void leave(what));
        return item;
      };
      const archives =
        archive === 'none' ? [] : Array.from({ length: archive === 'two' ? 2 : 1 }, () => entry('Archive', 'archive'));
      options.querySelector('[role=menu]')?.remove();
      options.append(
        el('div', { role: 'menu' }, [
          entry('Rename', 'rename'),
          ...archives,
          entry('Archived chats', 'list'),
          entry('Delete', 'delete'),
        ]),
      );
    }, 60);
  });
  options.replaceChildren(...(shown === '' ? [] : [opener]));
}
/** Chat or Work; a press takes a moment. */
function renderModes(): void {
  const { mode } = view.looks;
  if (modes.getAttribute('data-of') === mode) return;
  modes.setAttribute('data-of', mode ?? '');
  const switcher = () => {
    const radios = ['Chat', 'Work'].map((name) => {
      const checked = (name === 'Chat') === (mode === 'chat');
      return el('button', { type: 'button', role: 'radio', 'aria-checked': String(checked) }, [name]);
    });
    for (const radio of radios)
      radio.addEventListener('click', () => {
        if (mode === 'stuck') return;
        setTimeout(() => {
          for (const each of radios) each.setAttribute('aria-checked', String(each === radio));
        }, 60);
      });
    return el('div', { role: 'radiogroup' }, radios);
  };
  modes.replaceChildren(...(mode === null ? [] : mode === 'two' ? [switcher(), switcher()] : [switcher()]));
}

document.addEventListener('keydown', ({ key }) => key === 'Escape' && options.querySelector('[role=menu]')?.remove());

async function leave(what: string): Promise<void> {
  options.querySelector('[role=menu]')?.remove();
  const project = view.projects.find(({ id }) => id === view.conversation?.project);
  const home = project === undefined ? '/' : `/g/${project.id}-${project.slug}/project`;
  await ask('/stand-in/chat', { what });
  if (what === 'archive') history.pushState(null, '', home);
  await reload();
}

function isBusy(): boolean {
  return pending !== null || (view.conversation?.turns.some((turn) => turn.status === 'in_progress') ?? false);
}

function render(): void {
  document.title = view.conversation?.title ?? 'ChatGPT';
  nav.replaceChildren(
    ...view.projects.map((project) =>
      el('a', { href: `/g/${project.id}-${project.slug}/project`, 'aria-label': project.name }, [project.name]),
    ),
  );
  const parts = renderThread(view, view.looks, {
    card: (card, button) => void ask('/stand-in/card', { card, button }).then(reload),
    retry: () => void ask('/stand-in/retry', {}).then(reload),
  });
  if (pending !== null) {
    // Shown before the server has it, under an id that will not stay.
    parts.push(
      el('section', { 'data-turn': 'user' }, [
        el('div', { 'data-message-author-role': 'user', 'data-message-id': 'placeholder-request' }, [
          el('div', { class: 'whitespace-pre-wrap' }, [pending.text]),
        ]),
      ]),
    );
  }
  thread.replaceChildren(...parts);
  renderOptions();
  renderModes();
  renderControls();
}

/** Stop while an answer is written, Send while there is something to send, a microphone otherwise. */
function renderControls(): void {
  const controls = form.querySelector('.composer-controls');
  if (controls === null) return;
  const { names } = view.looks;
  const wanted = isBusy() ? 'stop' : editor.isEmpty() ? 'voice' : 'send';
  if (controls.getAttribute('data-wanted') === wanted) return;
  controls.setAttribute('data-wanted', wanted);
  const control =
    wanted === 'stop'
      ? el('button', { type: 'button', 'data-testid': names.stopTestId, 'aria-label': names.stopLabel }, ['■'])
      : wanted === 'send'
        ? el('button', { type: 'submit', 'data-testid': names.sendTestId, 'aria-label': names.sendLabel }, ['↑'])
        : el('button', { type: 'button', 'aria-label': 'Start voice mode' }, ['≋']);
  if (wanted === 'stop') control.addEventListener('click', () => void ask('/stand-in/stop', {}).then(reload));
  controls.replaceChildren(control);
}

async function send(): Promise<void> {
  const text = editor.text();
  const pills = editor.pills();
  if (text.trim() === '' || isBusy()) return;
  pending = { text: text.replace(/^ /, ''), pills };
  editor.clear();
  render();
  const parent = view.conversation?.turns.at(-1)?.id ?? null;
  const message = { text: pending.text, pills, parent };
  const answer = await ask<SendAnswer | null>('/backend-api/conversation', message).catch(() => null);
  pending = null;
  if (answer?.accepted === true) {
    const path = location.pathname.match(/^\/g\/[^/]+/)?.[0] ?? '';
    if (!location.pathname.endsWith(`/c/${answer.conversation}`)) {
      history.pushState(null, '', `${path}/c/${answer.conversation}`);
    }
  }
  await reload();
}

async function reload(): Promise<void> {
  view = await ask('/stand-in/view');
  render();
}

/** Waits for the next change and shows it, for as long as the page lives. */
async function follow(): Promise<void> {
  while (!stopped) {
    try {
      const next = await ask<View | null>(`/stand-in/next?revision=${view.revision}`);
      if (next === null) continue;
      view = next;
      render();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  }
}
window.addEventListener('pagehide', () => {
  stopped = true;
});

async function ask<T = View>(path: string, body?: unknown): Promise<T> {
  const response = await fetch(path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'x-page-path': location.pathname, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status}`);
  return (await response.json()) as T;
}
