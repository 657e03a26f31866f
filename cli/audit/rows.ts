/** The audit trail as a table for a person. Pure. */
import type { AuditEntry } from '../../runtime-a-b/state/index.ts';

/** The heading, then a line for each call, newest first. */
export function auditRows(entries: readonly AuditEntry[]): string[][] {
  return [
    ['when', 'who', 'tool', 'on what', 'outcome', 'took'],
    ...entries.map((entry) => [
      new Date(entry.at).toISOString(),
      `${entry.principalKind} ${entry.principalLabel || entry.principalId}`,
      entry.method === null ? entry.tool : `${entry.tool} ${entry.method}`,
      entry.target ?? '',
      outcomeOf(entry),
      `${entry.durationMs} ms`,
    ]),
  ];
}

/** A failure says whether it reached what it was for: a refused write and a lost one are not the same thing. */
function outcomeOf({ ok, code, delivery }: AuditEntry): string {
  return ok ? 'ok' : `${code ?? 'failed'} (${delivery})`;
}
