/** What a person writes after `--since`. Pure. */
import { UsageError } from '../exit.ts';

const UNITS: Readonly<Record<string, number>> = { s: 1_000, min: 60_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `90s`, `15m`, `2h`, `7d` ago, or a date such as `2026-03-01` or `2026-03-01T09:00Z`; in ms since 1970. */
export function sinceMs(text: string | undefined, nowMs: number): number | undefined {
  if (text === undefined) return undefined;
  const ago = /^(\d{1,9}) ?(s|min|m|h|d)$/.exec(text.trim());
  if (ago) return nowMs - Number(ago[1]) * (UNITS[ago[2] ?? ''] ?? Number.NaN);
  const date = /^\d{4}-\d\d-\d\d/.test(text.trim()) ? Date.parse(text.trim()) : Number.NaN;
  if (Number.isNaN(date))
    throw new UsageError(`--since needs an age such as 2h or 7d, or a date; "${text}" is neither.`);
  return date;
}
