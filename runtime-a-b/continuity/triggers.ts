/** Words that ask for earlier work without saying which: a reason to search, never a reason to choose. Pure. */
import { fold } from '../journal/index.ts';

const TRIGGERS: ReadonlySet<string> = new Set(
  [
    ...[
      'continue',
      'resume',
      'go on',
      'carry on',
      'keep going',
      'proceed',
      'next',
      'continue please',
      'please continue',
    ],
    ...['pick up where we left off', 'where did we leave off', 'where were we', 'how far did we get', 'what is next'],
    ...[
      '続けて',
      '続けてください',
      '続き',
      '続きから',
      '続きをお願いします',
      '続行',
      '再開',
      '再開して',
      '次へ',
      '進捗',
    ],
    ...['どこまで進んだ', 'どこまで進んだか', 'どこまでやった', '前回の続き'],
    ...['继续', '继续吧', '请继续', '接着', '接着做', '恢复', '下一步', '进行到哪了', '做到哪了'],
  ].map(plain),
);

/** Whether a query says nothing but "go on". */
export function isTrigger(query: string): boolean {
  return TRIGGERS.has(plain(query));
}

function plain(text: string): string {
  return fold(text)
    .replace(/[\p{P}\p{S}]+/gu, ' ')
    .replace(/\s+/gu, ' ')
    .trim();
}
