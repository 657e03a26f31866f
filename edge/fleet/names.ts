/**
 * The name that a new device gets: the one that the pairing's maker chose, else the workstation's own, else its id; with
 * a number behind it when another device already has it, because people route by name.
 */
export function nameFor(
  wished: readonly (string | null | undefined)[],
  deviceId: string,
  taken: ReadonlySet<string>,
): string {
  const wish = wished.find((name) => name !== null && name !== undefined && name.trim() !== '')?.trim() ?? deviceId;
  if (!taken.has(wish)) return wish;
  for (let n = 2; ; n++) {
    const numbered = `${wish.slice(0, 120)} ${n}`;
    if (!taken.has(numbered)) return numbered;
  }
}
