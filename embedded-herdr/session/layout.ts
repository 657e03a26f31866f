import type { PaneLayoutSnapshot, Rect, SplitDirection } from '../../contract/herdr/index.ts';
import { RATIO_AT_LEAST, RATIO_AT_MOST } from '../limits.ts';

/** How a tab is divided: a binary tree with panes as leaves. `ratio` is the share of `first`. */
export type Layout = { pane: string } | { direction: SplitDirection; ratio: number; first: Layout; second: Layout };

export const leaves = (layout: Layout): string[] =>
  'pane' in layout ? [layout.pane] : [...leaves(layout.first), ...leaves(layout.second)];

/** Divides one pane; the new one stands after it (right of or below it). */
export function splitPane(
  layout: Layout,
  target: string,
  added: string,
  direction: SplitDirection,
  ratio: number,
): Layout {
  if ('pane' in layout) {
    if (layout.pane !== target) return layout;
    const share = Math.min(RATIO_AT_MOST, Math.max(RATIO_AT_LEAST, ratio));
    return { direction, ratio: share, first: layout, second: { pane: added } };
  }
  return {
    ...layout,
    first: splitPane(layout.first, target, added, direction, ratio),
    second: splitPane(layout.second, target, added, direction, ratio),
  };
}

/** Takes a pane out; its sibling gets the room. Undefined when nothing is left. */
export function withoutPane(layout: Layout, pane: string): Layout | undefined {
  if ('pane' in layout) return layout.pane === pane ? undefined : layout;
  const first = withoutPane(layout.first, pane);
  const second = withoutPane(layout.second, pane);
  return first && second ? { ...layout, first, second } : (first ?? second);
}

/** Cuts a rectangle in two; the first part is rounded to whole cells. */
function cut(area: Rect, direction: SplitDirection, ratio: number): [Rect, Rect] {
  if (direction === 'right') {
    const width = Math.round(area.width * ratio);
    return [
      { ...area, width },
      { ...area, x: area.x + width, width: area.width - width },
    ];
  }
  const height = Math.round(area.height * ratio);
  return [
    { ...area, height },
    { ...area, y: area.y + height, height: area.height - height },
  ];
}

/** Where every pane and every split stands in `area`, in the tree's order. */
export function arrange(layout: Layout, area: Rect): Pick<PaneLayoutSnapshot, 'splits'> & { panes: Map<string, Rect> } {
  const panes = new Map<string, Rect>();
  const splits: PaneLayoutSnapshot['splits'] = [];
  const place = (node: Layout, rect: Rect, path: string): void => {
    if ('pane' in node) {
      panes.set(node.pane, rect);
      return;
    }
    const { direction, ratio } = node;
    splits.push({ id: `split_${path.length}_${path === '' ? 'root' : path}`, direction, ratio, rect });
    const [first, second] = cut(rect, direction, ratio);
    place(node.first, first, `${path}0`);
    place(node.second, second, `${path}1`);
  };
  place(layout, area, '');
  return { panes, splits };
}
