/** `herdr-mcp top`: what every pane does, live. The Side Panel shows the same, from the same words of the same runtime. */
import {
  changesOf,
  type Picture,
  type View,
  viewOf,
  WATCH_PANES_MAX,
  WATCH_RENEW_MS,
} from '../../contract/control/index.ts';
import { resolveStateDir } from '../../local/paths/index.ts';
import { action } from '../command.ts';
import { followPicture, watchPanes } from '../live/index.ts';
import { sayJson, takeScreen } from '../terminal/index.ts';
import { type Drawn, draw } from './draw.ts';
import { keysOf } from './keys.ts';
import { CLOCK_MS, GATHER_MS } from './limits.ts';

export { countsSentence, rowText } from './draw.ts';

export const top = action(
  'top',
  'What every workspace, pane and agent does, live',
  { json: { type: 'boolean', description: 'One JSON line for the whole, then one for each change' } },
  async (args) => {
    const stateDir = resolveStateDir(process.env);
    const watcher = `top:${process.pid}`;
    await (args.json ? stream(stateDir, watcher) : screen(stateDir, watcher));
  },
);

/** Until the reader goes, or a signal comes. */
function stream(stateDir: string, watcher: string): Promise<void> {
  return new Promise((resolve) => {
    let before: View | undefined;
    let away = false;
    let latest: Picture | undefined;
    let timer: NodeJS.Timeout | undefined;
    const renew = setInterval(watch, WATCH_RENEW_MS);
    const stop = followPicture(stateDir, {
      changed(picture) {
        if (picture === undefined) return lost();
        latest = picture;
        // Several events of one moment are one change.
        timer ??= setTimeout(tell, before === undefined ? 0 : GATHER_MS);
      },
    });

    function watch(): void {
      const panes = [...(latest?.panes.keys() ?? [])].slice(0, WATCH_PANES_MAX);
      watchPanes(stateDir, { watcher, panes });
    }
    function lost(): void {
      clearTimeout(timer);
      timer = undefined;
      if (!away) sayJson({ event: 'away', at_ms: Date.now() });
      away = true;
      before = undefined;
    }
    function tell(): void {
      timer = undefined;
      if (latest === undefined) return;
      const view = viewOf(latest);
      const at_ms = Date.now();
      if (before === undefined) {
        sayJson({ event: 'view', at_ms, ...view });
        watch();
      } else for (const change of changesOf(before, view)) sayJson({ ...change, at_ms });
      away = false;
      before = view;
    }
    function end(): void {
      stop();
      clearTimeout(timer);
      clearInterval(renew);
      watchPanes(stateDir, { watcher, panes: [] });
      resolve();
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, end);
    // A reader that has had enough, as `head` has.
    process.stdout.once('error', end);
  });
}

function screen(stateDir: string, watcher: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let view: View | undefined;
    let live = true;
    let scroll = 0;
    let drawn: Drawn | undefined;
    let told = '';
    let taken: ReturnType<typeof takeScreen>;
    try {
      taken = takeScreen(
        { input: (bytes) => press(bytes.toString('utf8')), resized: show, ended: end },
        'herdr-mcp status prints once, herdr-mcp top --json for programs.',
      );
    } catch (error) {
      return reject(error);
    }
    const clock = setInterval(show, CLOCK_MS);
    const renew = setInterval(() => watch(true), WATCH_RENEW_MS);
    const stop = followPicture(stateDir, {
      changed(picture) {
        live = picture !== undefined;
        if (picture !== undefined) view = viewOf(picture);
        show();
      },
    });

    function show(): void {
      const colours = process.env['NO_COLOR'] === undefined;
      drawn = draw({ view, live, now: Date.now(), scroll, colours }, taken.size());
      scroll = Math.min(scroll, drawn.last);
      taken.show(drawn.frame);
      watch(false);
    }
    /** What is on the screen is what is looked at. */
    function watch(anew: boolean): void {
      const panes = drawn?.panes.slice(0, WATCH_PANES_MAX) ?? [];
      if (panes.join() === told && !anew) return;
      told = panes.join();
      watchPanes(stateDir, { watcher, panes });
    }
    function press(keys: string): void {
      const key = keysOf(keys, taken.size().rows);
      if (key === 'leave') {
        end();
        return;
      }
      scroll = Math.min(Math.max(0, scroll + key), drawn?.last ?? 0);
      show();
    }
    let ended = false;
    function end(): void {
      if (ended) return;
      ended = true;
      clearInterval(clock);
      clearInterval(renew);
      stop();
      watchPanes(stateDir, { watcher, panes: [] });
      taken.leave();
      resolve();
    }
    show();
  });
}
