/**
 * A terminal title without one leading spinner or activity glyph: braille dots, stars, circles, quadrants and their
 * like that agents turn while they work. Source: reference/herdr-protocol.md 2.4.
 */
export function strippedTitle(title: string): string {
  return title.replace(/^\s*[\u2800-\u28ff\u2190-\u21ff\u25a0-\u27bf\u2b00-\u2bff·•*✳✻✶✽✢◐◓◑◒|/\\-]\s+/u, '').trim();
}

/** Whether a title begins with a glyph of a turning spinner: braille dots or quarter circles. */
export function titleSpins(title: string): boolean {
  return /^\s*[\u2801-\u28ff◐◓◑◒◴◷◶◵]/u.test(title);
}
