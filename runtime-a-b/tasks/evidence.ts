/** The last rows of an agent's screen when its task ends. Herdr is asked for what is visible only, never scrolled. */
import { type HerdrClient, HerdrFailure } from '../herdr/index.ts';
import { EVIDENCE_CHARS, EVIDENCE_MS, EVIDENCE_ROWS } from './limits.ts';

/** JSON of `{rows, at_ms}`, or null when the screen cannot be read (the pane may be gone). */
export async function readEvidence(herdr: HerdrClient, paneId: string, nowMs: () => number): Promise<string | null> {
  try {
    const { read } = await herdr.call(
      'pane.read',
      { pane_id: paneId, source: 'detection', format: 'text' },
      { timeoutMs: EVIDENCE_MS },
    );
    return JSON.stringify({ rows: lastRows(read.text), at_ms: nowMs() });
  } catch (error) {
    if (error instanceof HerdrFailure) return null;
    throw error;
  }
}

/** The last rows that hold something, within a number of rows and of characters. Pure. */
function lastRows(screen: string): string[] {
  const rows = screen
    .split('\n')
    .map((row) => row.trimEnd())
    .filter((row) => row !== '')
    .slice(-EVIDENCE_ROWS);
  let room = EVIDENCE_CHARS;
  const kept: string[] = [];
  for (const row of rows.reverse()) {
    if (room <= 0) break;
    const cut = [...row].slice(0, room).join('');
    kept.unshift(cut);
    room -= cut.length;
  }
  return kept;
}
