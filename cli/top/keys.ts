/** One key: a sequence of the terminal, a letter with Alt, or a letter. */
const KEY = /\u001b[[O][0-9;]*[A-Za-z~]|\u001b[^[O]|[\s\S]/g;

/**
 * What was pressed in `herdr-mcp top`: how many rows further, or that it is over. Pure. A wheel, a held key and a slow line
 * bring several keys at once.
 */
export function keysOf(bytes: string, rows: number): number | 'leave' {
  let far = 0;
  for (const [key] of bytes.matchAll(KEY)) {
    const meant = keyOf(key, rows);
    if (meant === 'leave') return meant;
    // First and last are from wherever one is.
    far = Number.isFinite(meant) ? far + meant : meant;
  }
  return far;
}

function keyOf(keys: string, rows: number): number | 'leave' {
  if (keys === 'q' || keys === 'Q' || keys === '\u0003' || keys === '\u0004' || keys === '\u001b') return 'leave';
  const page = Math.max(1, rows - 4);
  switch (keys) {
    case 'j':
    case '\u001b[B':
    case '\u001bOB':
      return 1;
    case 'k':
    case '\u001b[A':
    case '\u001bOA':
      return -1;
    case ' ':
    case '\u001b[6~':
      return page;
    case '\u001b[5~':
      return -page;
    case 'g':
    case '\u001b[H':
      return Number.NEGATIVE_INFINITY;
    case 'G':
    case '\u001b[F':
      return Number.POSITIVE_INFINITY;
    default:
      return 0;
  }
}
