/** What arguments must not hold, whatever their schema allows: text that no file, command or name can keep. Pure. */

/** Levels of nesting; a layout of Herdr's, the deepest thing that is ever sent, has a dozen. Deeper ones exhaust a stack. */
const DEPTH_MAX = 100;

const LONE_SURROGATE = /\p{Cs}/u;

/**
 * The first place that holds half of a character (a lone UTF-16 surrogate: written down it would become another one) or
 * is nested too deep, with what is wrong there; undefined when all is well. Values are never repeated.
 */
export function flawOf(value: unknown, where = '', depth = 0): string | undefined {
  if (typeof value === 'string') {
    if (!LONE_SURROGATE.test(value)) return undefined;
    return `${where === '' ? 'the text' : JSON.stringify(where)} holds half of a character (a lone surrogate)`;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth >= DEPTH_MAX) return `the arguments are nested deeper than ${DEPTH_MAX} levels`;
  for (const [name, member] of Object.entries(value)) {
    const flaw =
      flawOf(name, where, depth) ?? flawOf(member, where === '' ? name : `${where}.${name}`.slice(0, 200), depth + 1);
    if (flaw !== undefined) return flaw;
  }
  return undefined;
}
