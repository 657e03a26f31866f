import { keyBytes } from '../../contract/herdr/index.ts';
import type { Pane } from '../session/index.ts';
import { CallError } from './call.ts';

const PASTE_BEGIN = '\x1b[200~';
const PASTE_END = '\x1b[201~';

/**
 * Text as a program takes it: wrapped as a paste where it asked for that. A paste's end inside the text is taken out,
 * again and again until none is left, or the rest of the text would be typed as keys.
 */
export function pasted(pane: Pane, text: string): string {
  if (!pane.terminal.bracketedPaste() || text === '') return text;
  let inner = text;
  while (inner.includes(PASTE_END)) inner = inner.replaceAll(PASTE_END, '');
  return `${PASTE_BEGIN}${inner}${PASTE_END}`;
}

/** The bytes of key combos, each its own entry. Every one is checked before any is given. */
export function keysOf(pane: Pane, combos: readonly string[]): string[] {
  const modes = pane.terminal.keyModes();
  return combos.map((combo) => {
    const key = keyBytes(combo, modes);
    if (!key.ok) throw new CallError('invalid_key', `${key.reason}; nothing was sent`);
    return key.bytes;
  });
}

/** Writes to the pane's program or refuses with the code of the calling method. */
export function type(
  pane: Pane,
  bytes: string,
  code: 'pane_send_failed' | 'agent_send_keys_failed' | 'agent_prompt_failed' | 'agent_start_input_failed',
): void {
  if (bytes === '' || pane.terminal.write(bytes)) return;
  throw new CallError(code, `${pane.id} takes no more input: its program does not read, or has just ended`);
}
