/** Herdr's digits: 1 to 9, then letters without I, L, O and U, then 0 as the last. */
const DIGITS = '123456789ABCDEFGHJKMNPQRSTVWXYZ0';

/**
 * A number from 1 on in bijective base 32, as Herdr's ids carry it: 1 → `1`, 31 → `Z`, 32 → `0`, 33 → `11`.
 * Throws a RangeError below 1.
 */
export function bijective32(number: number): string {
  if (!Number.isSafeInteger(number) || number < 1) throw new RangeError(`no id for ${number}: ids begin at 1`);
  let text = '';
  for (let rest = number; rest > 0; rest = Math.floor((rest - 1) / 32)) text = DIGITS.charAt((rest - 1) % 32) + text;
  return text;
}

export const workspaceId = (number: number): string => `w${bijective32(number)}`;
export const tabId = (workspace: string, number: number): string => `${workspace}:t${bijective32(number)}`;
export const paneId = (workspace: string, number: number): string => `${workspace}:p${bijective32(number)}`;
