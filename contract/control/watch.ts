/**
 * Which panes a person has before their eyes. While that is so the runtime reads what these panes show and says their last
 * lines on the event stream; nobody else's are read. A watch ends by itself, so a reader that died costs nothing.
 */
import type { Static } from 'typebox';
import * as Type from 'typebox';

/** As many rows as a tall screen shows. */
export const WATCH_PANES_MAX = 64;
/** How long a watch lasts, and when whoever still looks renews it. */
export const WATCH_MS = 60_000;
export const WATCH_RENEW_MS = 25_000;
/** Characters of a line: what fits beside a name. */
export const LINE_CHARS_MAX = 160;

/** `POST /extension/control/watch`; an empty list ends it. `watcher` names who looks, so that it replaces its own. */
export const WatchRequest = Type.Object(
  {
    watcher: Type.String({ pattern: '^[a-z0-9:_-]{1,64}$' }),
    panes: Type.Array(Type.String({ minLength: 1, maxLength: 128 }), { maxItems: WATCH_PANES_MAX }),
  },
  { additionalProperties: false },
);
export type WatchRequest = Static<typeof WatchRequest>;
