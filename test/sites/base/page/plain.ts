/**
 * The page of a plain chat site. What differs between the sites, where things stand and what they are called, is a
 * {@link Skin}; everything that moves is here.
 */
import type { Turn } from '../truth.ts';
import type { PlainLooks, PlainSent, PlainView } from '../wire.ts';
import type { openArea } from './area.ts';
import { type Editor, openEditor } from './editor.ts';
import { el } from './element.ts';

export interface Skin {
  /** The tab's title for a chat's name, or for none. */
  title(name: string | null): string;
  path(conversation: { id: string; project: string | null }): string;
  editor: Readonly<Record<string, string>>;
  /** Another kind of composer than the rich one. */
  compose?: typeof openArea;
  /** How many messages of the end are mounted; absent: all. */
  mounted?: number;
  /** The form around the editor's place and the controls. */
  form(editor: HTMLElement, controls: HTMLElement, names: PlainLooks['names']): HTMLElement;
  send(names: PlainLooks['names']): HTMLElement;
  stop(names: PlainLooks['names']): HTMLElement;
  attachment(): HTMLElement;
  /** `index` counts the messages that are shown; `id` is null while the server has not answered. */
  message(turn: Shown, index: number, looks: PlainLooks): HTMLElement;
  /** What stands over the chat. */
  header?(conversation: { project: string | null }): HTMLElement[];
  /** What the page shows of who is signed in. */
  badge?(email: string | null): HTMLElement[];
}

export type Shown = Pick<Turn, 'role' | 'text' | 'status'> & {
  id: string | null;
  /** The id of the user's turn that this one is, or answers. */
  exchange: string | null;
};

declare global {
  interface Window {
    /** The handle by which a test acts as the person at the page. */
    visitor: { type(text: string): void; draft(): string; go(path: string): void };
  }
}

export async function openPage(skin: Skin): Promise<void> {
  const thread = el('main', {}, []);
  const box = el('div', {}, []);
  const controls = el('div', { class: 'controls' }, []);
  const asking = el('div', {}, []);
  const header = el('div', {}, []);
  let view = await ask<PlainView>('/stand-in/view');
  const form = skin.form(box, controls, view.looks.names);
  document.body.append(header, thread, form, asking);
  let pending: string | null = null;
  const compose = skin.compose ?? openEditor;
  const editor: Editor = compose(box, {
    attributes: view.looks.names === 'usual' ? skin.editor : { class: 'ProseMirror' },
    placeholder: 'Reply …',
    suggestion: view.looks.suggestion,
    submit: () => void send(),
    changed: renderControls,
  });
  // The editor's own place is where the site has it.
  box.replaceWith(...box.childNodes);

  function render(): void {
    const { conversation, looks } = view;
    document.title = skin.title(conversation?.title ?? null);
    const badge = skin.badge?.(view.signedIn) ?? [];
    header.replaceChildren(...badge, ...(conversation && skin.header ? skin.header(conversation) : []));
    const shown: Shown[] = [];
    let exchange: string | null = null;
    for (const turn of conversation?.turns ?? []) {
      if (turn.role === 'user') exchange = turn.id;
      shown.push({ ...turn, exchange });
    }
    // Shown before the server has it, under no id.
    if (pending !== null) {
      shown.push({ role: 'user', text: pending, status: 'finished_successfully', id: null, exchange: null });
    }
    const first = Math.max(0, shown.length - (skin.mounted ?? shown.length));
    thread.replaceChildren(...shown.slice(first).map((turn, at) => skin.message(turn, first + at, looks)));
    asking.replaceChildren(
      ...(looks.dialog === null
        ? []
        : [
            el('div', { role: 'dialog' }, [looks.dialog, el('button', {}, ['Allow once']), el('button', {}, ['Deny'])]),
          ]),
    );
    renderControls();
  }

  const isBusy = () => view.conversation?.turns.some(({ status }) => status === 'in_progress') ?? false;

  /** Stop while an answer is written, Send while there is something to send. */
  function renderControls(): void {
    const { looks } = view;
    const wanted = isBusy() ? 'stop' : editor.isEmpty() ? 'none' : `send ${looks.send}`;
    const key = `${wanted} ${looks.attachment}`;
    if (controls.getAttribute('data-wanted') === key) return;
    controls.setAttribute('data-wanted', key);
    const made: HTMLElement[] = looks.attachment ? [skin.attachment()] : [];
    if (wanted === 'stop') {
      const stop = skin.stop(looks.names);
      stop.addEventListener('click', () => void ask('/stand-in/stop', {}).then(reload));
      made.push(stop);
    } else if (wanted !== 'none') {
      for (let count = looks.send === 'two' ? 2 : 1; count > 0; count -= 1) {
        const button = skin.send(looks.names);
        if (looks.send === 'hidden') button.style.visibility = 'hidden';
        if (looks.send === 'off') button.setAttribute('aria-disabled', 'true');
        button.addEventListener('click', () => void send());
        made.push(button);
      }
    }
    controls.replaceChildren(...made);
  }

  async function send(): Promise<void> {
    const text = editor.text();
    if (text.trim() === '' || isBusy() || pending !== null) return;
    pending = text;
    editor.clear();
    render();
    const answer = await ask<PlainSent | null>('/stand-in/send', { text });
    pending = null;
    if (answer?.accepted === false) editor.type(text);
    if (answer?.accepted === true) {
      const path = skin.path({ id: answer.conversation, project: view.conversation?.project ?? null });
      if (!(location.pathname + location.search).endsWith(path)) history.pushState(null, '', path);
    }
    await reload();
  }

  async function reload(): Promise<void> {
    view = await ask<PlainView>('/stand-in/view');
    render();
  }

  async function follow(): Promise<void> {
    for (let gone = false; !gone; ) {
      window.addEventListener('pagehide', () => (gone = true), { once: true });
      try {
        const next = await ask<PlainView | null>(`/stand-in/next?revision=${view.revision}`);
        if (next === null) continue;
        view = next;
        render();
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
    }
  }

  window.addEventListener('popstate', () => void reload());
  window.visitor = {
    type: (text) => editor.type(text),
    draft: () => editor.text(),
    go(path) {
      history.pushState(null, '', path);
      void reload();
    },
  };
  render();
  document.body.setAttribute('data-ready', '');
  void follow();
}

/** A message's text as its page shows it: a paragraph for each blank line, a break for each other. */
export function paragraphs(text: string): HTMLElement[] {
  return text
    .split('\n\n')
    .filter((paragraph) => paragraph !== '')
    .map((paragraph) =>
      el(
        'p',
        {},
        paragraph.split('\n').flatMap((line, at) => (at === 0 ? [line] : [el('br', {}, []), line])),
      ),
    );
}

async function ask<T>(path: string, body?: unknown): Promise<T> {
  const response = await fetch(path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'x-page': location.href, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return (await response.json()) as T;
}
