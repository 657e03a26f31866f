/** Checking often, sending seldom: whether output is news (reference/extension.md 4.2). Pure. */
import { fnv1a } from '../../fnv.ts';
import type { Progress } from './at-work.ts';
import { FINGERPRINT_CHARS } from './limits.ts';
import type { Binding, Config } from './state.ts';

export type ProgressDecision = { send: 'new_output' | 'fallback' } | { send: null };

/** Whether it is time to look at a working workspace's output. */
export function isCheckDue(row: Binding, config: Config, now: number): boolean {
  if (config.progressTickSec === 0 || row.activity.status !== 'working') return false;
  return (
    now - row.activity.progress.checkedAt >= config.progressTickSec * 1_000 || now < row.activity.progress.checkedAt
  );
}

/**
 * The first message of a round needs new output; after it nothing goes out until the fallback interval has passed, and
 * then also unchanged output may. An interval of 0 means: only new output, and at every check.
 */
export function decideProgress(progress: Progress, fingerprint: string, config: Config, now: number): ProgressDecision {
  const changed = fingerprint !== '' && fingerprint !== progress.fingerprint;
  if (progress.sentAt === null) return { send: changed ? 'new_output' : null };
  const quietMs = config.progressFallbackSec * 1_000;
  if (now - progress.sentAt < quietMs) return { send: null };
  if (changed) return { send: 'new_output' };
  return { send: quietMs > 0 ? 'fallback' : null };
}

// biome-ignore lint/complexity/useRegexLiterals: the escape character is named, not typed
const ANSI = new RegExp('\\u001b(?:\\[[0-9;?]*[ -/]*[@-~]|\\][^\\u0007\\u001b]*(?:\\u0007|\\u001b\\\\)|[@-_])', 'g');
const SPINNERS = /[\u2800-\u28ff◐◓◑◒◴◷◶◵⣾⣽⣻⢿⡿⣟⣯⣷✢✳✶✻✽·•]/g;
const CLOCKS = /\b\d{1,2}:\d{2}(?::\d{2})?\b/g;
const COUNTERS = /\b\d+(?:\.\d+)?\s?(?:ms|s|m|h|min|sec)\b/gi;

/** What stays the same while only a spinner turns and a clock runs. Empty: nothing to tell. */
export function fingerprintOf(output: string): string {
  const plain = output.replace(ANSI, '').replace(SPINNERS, '').replace(CLOCKS, '').replace(COUNTERS, '');
  const text = plain.replace(/\s+/g, ' ').trim().slice(-FINGERPRINT_CHARS);
  return text === '' ? '' : `${text.length}:${fnv1a(text)}`;
}
