/**
 * Events and states in the order in which they come, made one picture. An event may come before the state that it follows:
 * it waits for it, or is folded once more when a picture was there already. A state that comes later than an event that it
 * contains changes nothing about that. No browser, no clock.
 */
import { after, type Picture, type PictureEvent, type PushState, pictureOf } from '../../contract/control/index.ts';
import { EVENTS_HELD_MAX, EVENTS_KEPT } from './limits.ts';

export interface Changed {
  panes: Set<string>;
  workspaces: Set<string>;
}

export interface Fold {
  picture(): Picture | null;
  /** The whole, anew. */
  state(state: PushState): void;
  event(event: PictureEvent): void;
  /** Takes in what waits, and gives what is to be drawn anew; null: there is no picture yet. */
  take(): Changed | null;
}

export function createFold(): Fold {
  let picture: Picture | null = null;
  let waiting: PictureEvent[] = [];
  /** Folded already; the newest of them may be newer than a state that is still on its way. */
  let recent: PictureEvent[] = [];
  let changed: Changed = { panes: new Set(), workspaces: new Set() };

  function takeIn(before: Picture): void {
    let now = before;
    for (const event of waiting) {
      const step = after(now, event);
      now = step.picture;
      for (const id of step.touched.panes) changed.panes.add(id);
      for (const id of step.touched.workspaces) changed.workspaces.add(id);
    }
    picture = now;
    recent = [...recent, ...waiting].slice(-EVENTS_KEPT);
    waiting = [];
  }

  return {
    picture: () => picture,
    state(state) {
      for (const id of picture?.panes.keys() ?? []) changed.panes.add(id);
      for (const id of picture?.workspaces.keys() ?? []) changed.workspaces.add(id);
      picture = pictureOf(state);
      // Those that the state contains change nothing.
      waiting = [...recent, ...waiting];
      recent = [];
      for (const id of picture.panes.keys()) changed.panes.add(id);
      for (const id of picture.workspaces.keys()) changed.workspaces.add(id);
    },
    event(event) {
      waiting.push(event);
      if (waiting.length <= EVENTS_HELD_MAX) return;
      // Nobody draws, as where the window is covered: nothing of it may be lost. Without a picture the state brings it.
      if (picture === null) waiting = waiting.slice(-EVENTS_HELD_MAX / 2);
      else takeIn(picture);
    },
    take() {
      if (picture === null) return null;
      takeIn(picture);
      const given = changed;
      changed = { panes: new Set(), workspaces: new Set() };
      return given;
    },
  };
}
