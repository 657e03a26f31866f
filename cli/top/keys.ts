/** What a key means in `herdr-mcp top`: how many rows further, or that it is over. Pure. */
export function keyOf(keys: string, rows: number): number | 'leave' {
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
