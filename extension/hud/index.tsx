/** The bar and the Queue button on a chat page: one of each, in shadow roots of their own. */
import { signal } from '@preact/signals';
import { render } from 'preact';
import { say } from '../../look/words/index.ts';
import type { ActionName, BridgeControl, HudState, Reason } from '../messages.ts';
import type { Surface, SurfaceParts } from '../surface.ts';
import { Bar, type BarState } from './bar.tsx';
import { BAR_GAP_PX, TOAST_MS } from './limits.ts';
import { personsOnly } from './persons-only.ts';
import { createQueueButton } from './queue-button.ts';
import { judgeText, why } from './say.ts';
import { BAR_CSS, roomCss } from './style.ts';

export function createSurface({ adapter, ask, pause, ended }: SurfaceParts): Surface {
  // What an older script of ours left behind on this page has no one who serves it.
  for (const old of document.querySelectorAll('[data-herdr]')) old.remove();
  const host = document.createElement('div');
  host.dataset['herdr'] = 'bar';
  const root = host.attachShadow({ mode: 'open' });
  personsOnly(root);
  const style = document.createElement('style');
  style.textContent = BAR_CSS;
  const mount = document.createElement('div');
  root.append(style, mount);
  const room = document.createElement('style');
  room.dataset['herdr'] = 'room';
  // The bar has one line or more, as wide as the window is.
  const measured = new ResizeObserver(() => {
    const bar = root.querySelector('[role="toolbar"]');
    room.textContent = roomCss((bar?.getBoundingClientRect().height ?? 0) + BAR_GAP_PX);
  });

  const state = signal<BarState | null>(null);
  const change = (part: Partial<BarState>) => {
    if (state.value !== null) state.value = { ...state.value, ...part };
  };
  let toasts = 0;
  const toast = (text: string) => {
    toasts += 1;
    const mine = toasts;
    change({ toast: text });
    void pause(TOAST_MS).then(() => mine === toasts && change({ toast: null }));
  };
  const refused = (reason: Reason) => {
    if (state.value !== null)
      toast(say(state.value.hud.language, 'hud', 'notSent', { why: why(state.value.hud.language, reason) }));
  };
  const queue = createQueueButton({ adapter, ask, toast, refused });

  /** What Auto has just decided, once; what it only waits for is in the bar. */
  function tellJudged(before: HudState, hud: HudState): void {
    const { judge } = hud;
    if (judge === null || judge.mark === 'held' || judge.mark === 'deciding' || before.judge?.at === judge.at) return;
    const judged = judgeText(hud);
    if (judged !== null) toast(judged.text);
  }

  async function run(name: ActionName | 'auto', on = false): Promise<void> {
    const shown = state.value;
    if (shown === null || shown.running !== null) return;
    const locked = name === 'auto' ? null : shown.hud.actions[name];
    if (locked !== null) return refused(locked);
    change({ running: name, seen: name === 'check' ? null : shown.seen });
    const answer = await ask('action', name === 'auto' ? { name, on } : { name });
    change({ running: null });
    if (!answer.ok) return refused(answer.reason);
    if (answer.value.seen !== null) change({ seen: answer.value.seen });
    if (answer.value.notSent !== null) refused(answer.value.notSent);
    surface.show(answer.value.hud);
  }

  async function control(what: BridgeControl): Promise<void> {
    const answer = await ask('bridge.control', { what });
    if (answer.ok) surface.show(answer.value);
    else refused(answer.reason);
  }

  render(
    <Bar
      state={state}
      act={{
        press: (action) => void run(action),
        auto: (on) => {
          const { auto } = state.value?.hud ?? {};
          if (on && auto?.why === 'project_permission_off') change({ explains: true });
          else void run('auto', on);
        },
        options: () => void ask('options.open', null),
        toast,
        bridge: (what) => void control(what),
        closeSeen: () => change({ seen: null }),
        closeExplained: () => change({ explains: false }),
      }}
    />,
    mount,
  );
  document.documentElement.append(room, host);
  measured.observe(mount);

  const surface: Surface = {
    show(hud) {
      const before = state.value;
      if (before !== null && hud.revision < before.hud.revision) return;
      state.value =
        before === null ? { hud, toast: null, seen: null, running: null, explains: false } : { ...before, hud };
      if (before !== null) tellJudged(before.hud, hud);
      queue.show(hud);
    },
    place() {
      if (!host.isConnected) document.documentElement.append(room, host);
      queue.place();
    },
    toast,
    remove() {
      render(null, mount);
      measured.disconnect();
      queue.remove();
      host.remove();
      room.remove();
    },
  };
  ended.addEventListener('abort', () => surface.remove(), { once: true });
  return surface;
}
