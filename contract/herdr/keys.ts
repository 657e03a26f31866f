/**
 * Herdr's key combos and the bytes they become. `home`, `end`, `pageup`, `pagedown`, `insert` and `delete` do not exist
 * in Herdr, and `prefix+…` is refused. Source: reference/herdr-protocol.md 7.5.
 */

export interface KeyModes {
  /** DECCKM: the program asked for application cursor keys. */
  applicationCursor: boolean;
  /** The program asked the kitty protocol to report all keys as escape codes (flag 8). */
  reportAllKeys: boolean;
}

/** A combo's bytes, or why it is none. */
export type KeyBytes = { ok: true; bytes: string } | { ok: false; reason: string };

type Modifier = 'shift' | 'alt' | 'ctrl' | 'super' | 'hyper';

/** Maps, because names come from outside, and an object would also have what every object has. */
const MODIFIERS: ReadonlyMap<string, Modifier> = new Map(
  Object.entries<Modifier>({
    ctrl: 'ctrl',
    control: 'ctrl',
    shift: 'shift',
    alt: 'alt',
    option: 'alt',
    meta: 'alt',
    cmd: 'super',
    command: 'super',
    super: 'super',
    hyper: 'hyper',
  }),
);

/** Bits of xterm's and kitty's modifier parameter, which is one more than their sum. */
const MODIFIER_BITS: Readonly<Record<Modifier, number>> = { shift: 1, alt: 2, ctrl: 4, super: 8, hyper: 16 };

const NAMED_CHARACTERS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    space: ' ',
    minus: '-',
    comma: ',',
    period: '.',
    slash: '/',
    backslash: '\\',
    quote: "'",
    double_quote: '"',
    semicolon: ';',
    colon: ':',
    percent: '%',
    ampersand: '&',
    backtick: '`',
    plus: '+',
  }),
);

const CONTROL_KEYS: ReadonlyMap<string, { bytes: string; code: number }> = new Map(
  Object.entries({
    enter: { bytes: '\r', code: 13 },
    return: { bytes: '\r', code: 13 },
    esc: { bytes: '\x1b', code: 27 },
    escape: { bytes: '\x1b', code: 27 },
    tab: { bytes: '\t', code: 9 },
    backspace: { bytes: '\x7f', code: 127 },
    bs: { bytes: '\x7f', code: 127 },
  }),
);

const ARROWS: ReadonlyMap<string, string> = new Map(Object.entries({ up: 'A', down: 'B', right: 'C', left: 'D' }));

const FUNCTION_LETTERS = ['P', 'Q', 'R', 'S'];
/** The numbers of F5 and on leave gaps, as DEC's terminals did. */
const FUNCTION_NUMBERS = [15, 17, 18, 19, 20, 21, 23, 24, 25, 26, 28, 29, 31, 32, 33, 34];

const refuse = (combo: string, why: string): KeyBytes => ({ ok: false, reason: `${JSON.stringify(combo)} ${why}` });

function parse(combo: string): { modifiers: Set<Modifier>; key: string } | string {
  if (combo === '+') return { modifiers: new Set(), key: '+' };
  const emacs = /^[cC]-(.)$/u.exec(combo);
  if (emacs?.[1]) return { modifiers: new Set(['ctrl']), key: emacs[1].toLowerCase() };
  const parts = combo.split('+');
  const key = parts.pop() ?? '';
  if (key === '') return 'names no key';
  const modifiers = new Set<Modifier>();
  for (const part of parts) {
    const name = part.toLowerCase();
    if (name === 'prefix') return "asks for Herdr's own prefix key, which only a person at its screen can press";
    const modifier = MODIFIERS.get(name);
    if (!modifier) return `has an unknown modifier ${JSON.stringify(part)}`;
    modifiers.add(modifier);
  }
  return { modifiers, key };
}

/** The byte that ctrl makes of a character, where a terminal has one. */
function controlByte(character: string): string | undefined {
  if (/^[a-z]$/.test(character)) return String.fromCharCode(character.charCodeAt(0) - 96);
  if (/^[@[\\\]^_]$/.test(character)) return String.fromCharCode(character.charCodeAt(0) - 64);
  if (character === ' ' || character === '2') return '\0';
  if (character === '/' || character === '-') return '\x1f';
  if (character === '?') return '\x7f';
  return undefined;
}

const modifierParameter = (modifiers: ReadonlySet<Modifier>): number =>
  1 + [...modifiers].reduce((sum, modifier) => sum + MODIFIER_BITS[modifier], 0);

const csiU = (code: number, parameter: number): string =>
  parameter === 1 ? `\x1b[${code}u` : `\x1b[${code};${parameter}u`;

function functionKey(number: number, parameter: number): string | undefined {
  const letter = FUNCTION_LETTERS[number - 1];
  if (letter) return parameter === 1 ? `\x1bO${letter}` : `\x1b[1;${parameter}${letter}`;
  const code = FUNCTION_NUMBERS[number - 5];
  if (code === undefined) return undefined;
  return parameter === 1 ? `\x1b[${code}~` : `\x1b[${code};${parameter}~`;
}

function characterBytes(combo: string, character: string, modifiers: Set<Modifier>, modes: KeyModes): KeyBytes {
  if (/^[A-Z]$/.test(character)) modifiers.add('shift');
  const lower = character.toLowerCase();
  const parameter = modifierParameter(modifiers);
  if (modes.reportAllKeys || modifiers.has('super') || modifiers.has('hyper')) {
    return { ok: true, bytes: csiU(lower.codePointAt(0) ?? 0, parameter) };
  }
  let bytes = modifiers.has('shift') ? character.toUpperCase() : character;
  if (modifiers.has('ctrl')) {
    const control = controlByte(lower);
    if (control === undefined) return refuse(combo, 'has no control character');
    bytes = control;
  }
  return { ok: true, bytes: modifiers.has('alt') ? `\x1b${bytes}` : bytes };
}

/**
 * The bytes of one combo such as `ctrl+c`, `shift+tab`, `Enter`, `a` or `A`. Modifiers and key names ignore case; a
 * single character keeps its own.
 */
export function keyBytes(combo: string, modes: KeyModes): KeyBytes {
  const parsed = parse(combo);
  if (typeof parsed === 'string') return refuse(combo, parsed);
  const { modifiers, key } = parsed;
  const name = key.toLowerCase();
  const parameter = modifierParameter(modifiers);

  const control = CONTROL_KEYS.get(name);
  if (control) {
    if (name === 'tab' && modifiers.size === 1 && modifiers.has('shift') && !modes.reportAllKeys) {
      return { ok: true, bytes: '\x1b[Z' };
    }
    if (modes.reportAllKeys) return { ok: true, bytes: csiU(control.code, parameter) };
    if (modifiers.size === 0) return { ok: true, bytes: control.bytes };
    if (modifiers.size === 1 && modifiers.has('alt')) return { ok: true, bytes: `\x1b${control.bytes}` };
    return { ok: true, bytes: csiU(control.code, parameter) };
  }

  const arrow = ARROWS.get(name);
  if (arrow) {
    if (parameter !== 1) return { ok: true, bytes: `\x1b[1;${parameter}${arrow}` };
    return { ok: true, bytes: modes.applicationCursor ? `\x1bO${arrow}` : `\x1b[${arrow}` };
  }

  const numbered = /^f([1-9]\d?)$/.exec(name);
  if (numbered) {
    const bytes = functionKey(Number(numbered[1]), parameter);
    return bytes === undefined ? refuse(combo, 'is no function key that terminals have') : { ok: true, bytes };
  }

  const character = NAMED_CHARACTERS.get(name) ?? ([...key].length === 1 ? key : undefined);
  if (character === undefined) return refuse(combo, 'is not a key that Herdr knows');
  return characterBytes(combo, character, modifiers, modes);
}
