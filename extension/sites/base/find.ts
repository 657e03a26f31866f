/** Finding one element: visible, enabled, and the only one. */
import type { Look } from '../../site/index.ts';

export function isVisible(element: Element): boolean {
  if (!(element instanceof HTMLElement) || !element.isConnected) return false;
  return (
    element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && element.getClientRects().length > 0
  );
}

export function isEnabled(control: HTMLElement): boolean {
  return (
    !control.hasAttribute('disabled') &&
    control.getAttribute('aria-disabled') !== 'true' &&
    control.getAttribute('data-disabled') !== 'true'
  );
}

/** What a control says of itself, in lower case, spaces folded. */
export function labelOf(control: Element): string {
  return folded(control.getAttribute('aria-label') ?? control.textContent ?? '');
}

/** In lower case, spaces folded: how labels are compared. */
export function folded(said: string): string {
  return said.replaceAll(/\s+/g, ' ').trim().toLowerCase();
}

/** The first selector that finds something visible decides; two of it are ambiguous. */
export function only(within: ParentNode, selectors: readonly string[]): Look<HTMLElement> {
  let hidden = false;
  for (const selector of selectors) {
    const all = [...within.querySelectorAll<HTMLElement>(selector)];
    const visible = all.filter(isVisible);
    const [found] = visible;
    if (found !== undefined) return visible.length === 1 ? { found } : { found: null, why: 'ambiguous' };
    hidden ||= all.length > 0;
  }
  return { found: null, why: hidden ? 'hidden' : 'missing' };
}

/** A control by its test id, else by its label inside `within`. */
export function control(
  within: ParentNode,
  selectors: readonly string[],
  labels: readonly string[],
): Look<HTMLElement> {
  const byName = only(within, selectors);
  const look = byName.found === null && byName.why === 'missing' ? byLabel(within, labels) : byName;
  if (look.found !== null && !isEnabled(look.found)) return { found: null, why: 'disabled' };
  return look;
}

function byLabel(within: ParentNode, labels: readonly string[]): Look<HTMLElement> {
  const matching = [...within.querySelectorAll<HTMLElement>('button')].filter(
    (button) => labels.includes(labelOf(button)) && isVisible(button),
  );
  const [found] = matching;
  if (found === undefined) return { found: null, why: 'missing' };
  return matching.length === 1 ? { found } : { found: null, why: 'ambiguous' };
}
