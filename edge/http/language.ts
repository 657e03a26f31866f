export type Language = 'en' | 'ja' | 'zh';

const KNOWN: readonly Language[] = ['en', 'ja', 'zh'];

/** The best of our three languages for an `Accept-Language` header (RFC 9110 section 12.5.4); English when none fits. */
export function languageOf(header: string | null): Language {
  let best: Language = 'en';
  let bestWeight = 0;
  for (const entry of (header ?? '').slice(0, 500).split(',')) {
    const [range = '', ...parameters] = entry.trim().toLowerCase().split(';');
    const weight = weightOf(parameters);
    const language = KNOWN.find((known) => range === known || range.startsWith(`${known}-`));
    if (language && weight > bestWeight) {
      best = language;
      bestWeight = weight;
    }
  }
  return best;
}

function weightOf(parameters: string[]): number {
  const q = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('q='));
  if (q === undefined) return 1;
  const weight = Number(q.slice(2));
  return Number.isFinite(weight) ? weight : 0;
}
