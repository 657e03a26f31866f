/**
 * The Queue button beside the composer. What a person wrote is stored by the worker first; only then is it taken out of
 * the composer, and only while it is still that text.
 */
import { say } from '../../look/words/index.ts';
import type { HudState, Reason } from '../messages.ts';
import type { SiteAdapter } from '../site/index.ts';
import type { PageAsk } from '../surface.ts';
import { personsOnly } from './persons-only.ts';
import { QUEUE_CSS } from './style.ts';

export interface QueueParts {
  adapter: SiteAdapter;
  ask: PageAsk;
  /** Shows a sentence to the person. */
  toast(text: string): void;
  refused(reason: Reason): void;
}

export function createQueueButton(parts: QueueParts) {
  const { adapter, ask } = parts;
  const host = document.createElement('span');
  host.dataset['herdr'] = 'queue';
  const root = host.attachShadow({ mode: 'open' });
  personsOnly(root);
  const style = document.createElement('style');
  style.textContent = QUEUE_CSS;
  const button = document.createElement('button');
  button.type = 'button';
  root.append(style, button);
  let hud: HudState | null = null;
  let working = false;
  let unanswered: { text: string; entry: string } | null = null;

  button.addEventListener('click', (event) => {
    event.preventDefault();
    event.stopPropagation();
    void pressed(event.shiftKey);
  });
  // A press must not take the caret out of the composer.
  button.addEventListener('mousedown', (event) => event.preventDefault());
  button.addEventListener('contextmenu', (event) => {
    event.preventDefault();
    void drop();
  });

  async function pressed(shift: boolean): Promise<void> {
    if (working || hud === null) return;
    working = true;
    try {
      if (shift) return await clear();
      const draft = adapter.draft();
      if (draft.found === null) return parts.refused('composer_missing');
      if (draft.found === '') return await flush();
      await add(draft.found);
    } finally {
      working = false;
    }
  }

  async function add(text: string): Promise<void> {
    if (hud === null) return;
    const { language } = hud;
    // Nobody may have answered because the worker was stopped after it had written: the same words keep their id.
    if (unanswered?.text !== text) unanswered = { text, entry: `qi:${crypto.randomUUID()}` };
    const kept = await ask('queue.add', unanswered);
    if (!kept.ok) return parts.refused(kept.reason);
    unanswered = null;
    const cleared = await adapter.clear(text);
    parts.toast(say(language, 'hud', cleared ? 'queueAdded' : 'queueNotCleared'));
  }

  async function flush(): Promise<void> {
    const sent = await ask('queue.flush', null);
    if (!sent.ok) parts.refused(sent.reason);
  }

  async function drop(): Promise<void> {
    if (working) return;
    working = true;
    await clear().finally(() => {
      working = false;
    });
  }

  async function clear(): Promise<void> {
    if (hud === null || hud.queue.count === 0) return parts.refused('queue_empty');
    const question = say(hud.language, 'hud', 'queueClear', { count: hud.queue.count });
    if (!window.confirm(question)) return;
    const dropped = await ask('queue.clear', null);
    if (!dropped.ok) return parts.refused(dropped.reason);
    parts.toast(say(hud.language, 'hud', 'queueCleared'));
  }

  return {
    show(next: HudState): void {
      hud = next;
      const { count, uncertain } = next.queue;
      button.textContent = say(next.language, 'hud', count === 0 ? 'queue' : 'queueCount', { count });
      button.title = say(
        next.language,
        'hud',
        uncertain ? 'queueUncertain' : count === 0 ? 'queueTitle' : 'queueFlushTitle',
        { count },
      );
      button.className = uncertain ? 'doubt' : '';
    },
    /** Back to its place, if the site has rebuilt it; away while there is none. */
    place(): void {
      const isChat = adapter.identity()?.place === 'conversation';
      const place = isChat && hud !== null ? adapter.queuePlace() : null;
      if (place === null || place.found === null) {
        host.remove();
        return;
      }
      const { parent, before } = place.found;
      if (host.parentElement !== parent || host.nextElementSibling !== before) parent.insertBefore(host, before);
    },
    remove: () => host.remove(),
  };
}
