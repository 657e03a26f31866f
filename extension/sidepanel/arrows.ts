/** Up and down among the rows, first and last: five hundred of them are too many for Tab alone. */
const STEP: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

export function moveAmongRows(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const step = STEP[event.key];
  const from = event.target instanceof HTMLElement ? event.target.closest<HTMLElement>('[data-row]') : null;
  // In a field the same keys move among its letters.
  if (step === undefined || from === null || event.altKey || event.ctrlKey || event.metaKey) return;
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-row]')].filter((row) => row.offsetParent);
  const to = Math.min(Math.max(rows.indexOf(from) + step, 0), rows.length - 1);
  event.preventDefault();
  rows[to]?.focus();
}
