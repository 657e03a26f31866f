/**
 * Events and states in the order in which they come, made one picture. An event may come before the state that it follows:
 * it waits for it. A state that comes later than an event that it contains changes nothing about that. No browser, no clock.
 */
import { after, type Picture, type PictureEvent, type PushState, pictureOf } from '../../contract/control/index.ts';
import { EVENTS_HELD_MAX } from './limits.ts';

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
  let changed: Changed = { panes: new Set(), workspaces: new Set() };

  return {
    picture: () => picture,
    state(state) {
      for (const id of picture?.panes.keys() ?? []) changed.panes.add(id);
      for (const id of picture?.workspaces.keys() ?? []) changed.workspaces.add(id);
      picture = pictureOf(state);
      for (const id of picture.panes.keys()) changed.panes.add(id);
      for (const id of picture.workspaces.keys()) changed.workspaces.add(id);
    },
    event(event) {
      waiting.push(event);
      if (waiting.length > EVENTS_HELD_MAX) waiting = waiting.slice(-EVENTS_HELD_MAX / 2);
    },
    take() {
      if (picture === null) return null;
      for (const event of waiting) {
        const step = after(picture, event);
        picture = step.picture;
        for (const id of step.touched.panes) changed.panes.add(id);
        for (const id of step.touched.workspaces) changed.workspaces.add(id);
      }
      waiting = [];
      const given = changed;
      changed = { panes: new Set(), workspaces: new Set() };
      return given;
    },
  };
}
