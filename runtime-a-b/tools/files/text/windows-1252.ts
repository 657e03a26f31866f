/**
 * Windows-1252 both ways. Five bytes are undefined in it; they stand for the control characters of the same number, as
 * browsers do it (WHATWG Encoding), so that every byte has a character and comes back.
 */
const HIGH = [
  0x20ac, 0x81, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8d, 0x017d,
  0x8f, 0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x9d,
  0x017e, 0x0178,
];

const BYTE_OF = new Map(HIGH.map((point, index) => [point, 0x80 + index]));

export function fromWindows1252(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(/[\x80-\x9f]/g, (char) => String.fromCharCode(HIGH[char.charCodeAt(0) - 0x80] ?? 0xfffd));
}

/** `undefined` when a character has no byte. */
export function toWindows1252(text: string): Buffer | undefined {
  const bytes = Buffer.allocUnsafe(text.length);
  for (let index = 0; index < text.length; index += 1) {
    const point = text.charCodeAt(index);
    const byte = BYTE_OF.get(point) ?? (point < 0x80 || (point >= 0xa0 && point <= 0xff) ? point : undefined);
    if (byte === undefined) return undefined;
    bytes[index] = byte;
  }
  return bytes;
}
