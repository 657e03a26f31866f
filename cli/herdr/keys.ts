/**
 * What a terminal in raw mode sends, as what Herdr is asked to press. Plain text goes as it is; arrows go by name, because
 * only Herdr knows which of their two forms the program in the pane has asked for. Pure.
 */

/** Ctrl-] as telnet has it: no shell and no agent uses it. */
const DETACH = '\u001d';

export type Press = { text: string } | { keys: string[] };

const ARROWS: Readonly<Record<string, string>> = { A: 'up', B: 'down', C: 'right', D: 'left' };

/** The presses in order, and whether the detach key came; what follows it is not sent. */
export function pressesOf(input: string): { presses: Press[]; detach: boolean } {
  const end = input.indexOf(DETACH);
  const sent = end < 0 ? input : input.slice(0, end);
  const presses: Press[] = [];
  let at = 0;
  for (const match of sent.matchAll(/\u001b[[O]([ABCD])/g)) {
    if (match.index > at) presses.push({ text: sent.slice(at, match.index) });
    const key = ARROWS[match[1] ?? ''] ?? '';
    const last = presses.at(-1);
    if (last && 'keys' in last) last.keys.push(key);
    else presses.push({ keys: [key] });
    at = match.index + match[0].length;
  }
  if (at < sent.length) presses.push({ text: sent.slice(at) });
  return { presses, detach: end >= 0 };
}
