/**
 * A pane live in the person's own terminal: it looks at what Herdr shows, draws when that differs, and passes keys on in
 * order. It changes neither the pane's size nor its scrolling. A key that may have arrived is never sent again.
 */
import { StringDecoder } from 'node:string_decoder';
import { type HerdrClient, HerdrFailure } from '../../runtime-a-b/herdr/index.ts';
import { takeScreen } from '../terminal/index.ts';
import { frame } from './frame.ts';
import { type Press, pressesOf } from './keys.ts';
import { LOOK_MS, LOOK_TYPING_MS, TYPING_MS } from './limits.ts';

/** Resolves with why it ended: the person detached, or the pane is gone. */
export async function attach(herdr: HerdrClient, pane: string, title: string): Promise<'detached' | 'gone'> {
  const decoder = new StringDecoder('utf8');
  let ending: 'detached' | 'gone' | undefined;
  let text = '';
  let trouble: string | undefined;
  let typedAt = Number.NEGATIVE_INFINITY;
  let sending = Promise.resolve();
  let wake = () => {};

  const end = (why: 'detached' | 'gone') => {
    ending ??= why;
    wake();
  };
  const draw = () => {
    const say = trouble ?? title;
    screen.show(frame(text, ` ${pane}  ${say}  │ Ctrl-] detaches`, screen.size()));
  };
  /** Gone ends it; anything else is said in the last row, and the next look tries again. */
  const failed = (error: unknown, what: string) => {
    if (!(error instanceof HerdrFailure)) throw error;
    if (error.code === 'pane_not_found') return end('gone');
    trouble = `${what}: ${error.message}`;
  };

  async function press(one: Press): Promise<void> {
    try {
      if ('text' in one) await herdr.call('pane.send_text', { pane_id: pane, text: one.text });
      else await herdr.call('pane.send_keys', { pane_id: pane, keys: one.keys });
    } catch (error) {
      failed(error, 'a key may not have arrived');
    }
    wake();
  }

  const screen = takeScreen(
    {
      input(bytes) {
        const { presses, detach } = pressesOf(decoder.write(bytes));
        typedAt = performance.now();
        for (const one of presses) sending = sending.then(() => press(one));
        if (detach) void sending.then(() => end('detached'));
      },
      resized: draw,
      ended: () => end('detached'),
    },
    'herdr-mcp herdr read prints a pane once.',
  );
  try {
    while (ending === undefined) {
      try {
        const { read } = await herdr.call('pane.read', { pane_id: pane, source: 'visible', format: 'ansi' });
        text = read.text;
        trouble = undefined;
      } catch (error) {
        failed(error, 'Herdr does not answer');
      }
      if (ending !== undefined) break;
      draw();
      const waitMs = performance.now() - typedAt < TYPING_MS ? LOOK_TYPING_MS : LOOK_MS;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, waitMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    await sending;
    return ending ?? 'detached';
  } finally {
    screen.leave();
  }
}
