/** When a probability counts as an answer: one pair of thresholds for every yes/no question of the product. Pure. */

/** From here on a probability is a yes. */
export const YES_FROM = 0.8;
/** Up to here a probability is a no; between the two nobody is sure, and the way without advice is taken. */
export const NO_UP_TO = 0.2;

export type Verdict = 'yes' | 'no' | 'not_sure';

export function verdictOf(noul: number): Verdict {
  if (noul >= YES_FROM) return 'yes';
  return noul <= NO_UP_TO ? 'no' : 'not_sure';
}
