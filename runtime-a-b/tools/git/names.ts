/** File names as Git prints them. Pure. Text is latin1 of the bytes, so that nothing is lost before a name is decoded. */

/** A name between quotes as Git writes it (`"a\tb\303\244"`), or the text itself when it has none. */
export function unquote(text: string): string {
  if (!text.startsWith('"') || !text.endsWith('"') || text.length < 2) return text;
  return text.slice(1, -1).replace(/\\([0-7]{3}|.)/g, (_, code: string) => {
    if (/^[0-7]{3}$/.test(code)) return String.fromCharCode(Number.parseInt(code, 8));
    return ESCAPES[code] ?? code;
  });
}

const ESCAPES: Readonly<Record<string, string>> = { a: '\x07', b: '\b', t: '\t', n: '\n', v: '\v', f: '\f', r: '\r' };

/** A name on a line of its own or beside others: as JSON when it could be misread. */
export function printable(name: string): string {
  return /^[^\s"\\\p{Cc}]([^"\\\p{Cc}]*[^\s"\\\p{Cc}])?$/u.test(name) ? name : JSON.stringify(name);
}

export const utf8 = (latin1: string): string => Buffer.from(latin1, 'latin1').toString('utf8');
