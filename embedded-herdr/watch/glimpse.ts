import type { Glimpse } from '../agents/index.ts';
import type { Pane } from '../session/index.ts';
import { titleSpins } from '../terminal/index.ts';

/** OSC 9;4 states that mean that something runs: a known share, and an unknown one. */
const RUNNING = new Set([1, 3]);

/** What the screen rules see of a pane: the bottom screenful, its title and its progress report. */
export function glimpse(pane: Pane): Glimpse {
  const title = pane.terminal.title();
  return {
    screen: pane.terminal.read('detection', undefined, 'text').text,
    title,
    titleSpins: titleSpins(title),
    progressing: RUNNING.has(pane.terminal.progress()),
  };
}
