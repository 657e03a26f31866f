/**
 * The pinned target: the pane of the next action of the person. It is neither what the page is bound to nor what has the
 * focus, and neither moves it. When something else is in the pane now, the pin says so; no other pane is put in its place.
 */
import type { PaneRow, Picture } from '../../../contract/control/index.ts';

export interface Pin {
  workspace_id: string;
  pane_id: string;
  agent: string | null;
  target_revision: string;
  pinned_at: number;
}

export function pinOf(row: PaneRow, at: number): Pin {
  const { id, workspace, agent, revision } = row;
  return { workspace_id: workspace, pane_id: id, agent, target_revision: revision, pinned_at: at };
}

/** `unknown`: Herdr does not answer, so nobody can say. */
export type Standing = 'good' | 'pane_removed' | 'target_revision_changed' | 'unknown';

export function standingOf(pin: Pin, picture: Pick<Picture, 'herdr' | 'panes'> | null): Standing {
  if (picture === null || picture.herdr.state !== 'live') return 'unknown';
  const pane = picture.panes.get(pin.pane_id);
  if (!pane) return 'pane_removed';
  return pane.target_revision === pin.target_revision ? 'good' : 'target_revision_changed';
}

export function readPin(stored: unknown): Pin | null {
  if (typeof stored !== 'object' || stored === null) return null;
  const names = ['workspace_id', 'pane_id', 'target_revision'];
  return names.every((name) => typeof Reflect.get(stored, name) === 'string') ? (stored as Pin) : null;
}
