/**
 * The worker's memory: its state in the browser's storage, one key a section, written before anything is done about it.
 * What cannot be read is never taken for empty.
 */
import { EMPTY, SESSION_KEYS, type State } from '../machines/worker/index.ts';

/** A storage area of the browser, as far as it is used. */
export interface Area {
  get(keys: string[]): Promise<Record<string, unknown>>;
  set(items: Record<string, unknown>): Promise<void>;
}

type Key = keyof State;
const KEYS = Object.keys(EMPTY) as Key[];
const isSession = (key: Key): boolean => (SESSION_KEYS as readonly Key[]).includes(key);
const nameOf = (key: Key): string => `herdr.${key}`;

/** Rejects when the storage cannot be read. */
export async function loadState(local: Area, session: Area): Promise<State> {
  const [lasting, passing] = await Promise.all([
    local.get(KEYS.filter((key) => !isSession(key)).map(nameOf)),
    session.get(KEYS.filter(isSession).map(nameOf)),
  ]);
  const found = { ...lasting, ...passing };
  const known = KEYS.flatMap((key) => (found[nameOf(key)] === undefined ? [] : [[key, found[nameOf(key)]]]));
  const state = { ...EMPTY, ...(Object.fromEntries(known) as Partial<State>) };
  // What a newer version added has its first value; the port of an earlier life is gone.
  return {
    ...state,
    config: { ...EMPTY.config, ...state.config },
    stale: { ...EMPTY.stale, ...state.stale },
    link: 'unknown',
  };
}

/**
 * Writes the sections that changed, in one call an area. Rejects when it could not; then the change has not happened: what
 * lasts is written last, because the pages tell the rest again by themselves.
 */
export async function saveState(local: Area, session: Area, before: State, after: State): Promise<void> {
  const changed = KEYS.filter((key) => before[key] !== after[key]);
  const items = (keys: Key[]) => Object.fromEntries(keys.map((key) => [nameOf(key), after[key]]));
  const passing = changed.filter(isSession);
  const lasting = changed.filter((key) => !isSession(key));
  if (passing.length > 0) await session.set(items(passing));
  if (lasting.length > 0) await local.set(items(lasting));
}
