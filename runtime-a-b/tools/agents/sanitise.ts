/** A prompt as it may be typed into a terminal. Pure. */

/** ESC, the other C0 controls but tab and newline, DEL and C1. */
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/**
 * Control characters could end a bracketed paste (`ESC[201~`) or press keys, and Herdr does not strip them (protocol
 * 7.5), so they go. A carriage return becomes a newline. The printable rest of a sequence stays as the text that it is.
 */
export function sanitisePrompt(text: string): { text: string; removed: number } {
  const lines = text.replaceAll('\r\n', '\n').replaceAll('\r', '\n');
  const clean = lines.replace(CONTROLS, '');
  return { text: clean, removed: lines.length - clean.length };
}
