/**
 * One picture of a workstation, kept up to date by events. Pure: whoever shows it (the Side Panel, `herdr-mcp top`) folds
 * the same events over the same state and sees the same.
 */
import {
  type HerdrState,
  LINES_EVENT,
  type PaneLine,
  type PushPane,
  type PushState,
  type PushWorkspace,
} from './push.ts';

export interface Picture {
  boot: string;
  /** The number of the last event that it contains. */
  seq: number;
  herdr: HerdrState;
  workspaces: ReadonlyMap<string, PushWorkspace>;
  panes: ReadonlyMap<string, PushPane>;
  lines: ReadonlyMap<string, PaneLine>;
}

/** One event as it came. `number` null: an event that has none. */
export interface PictureEvent {
  boot: string | null;
  number: number | null;
  name: string;
  data: Readonly<Record<string, unknown>>;
}

/** What an event has changed. */
export interface Touched {
  herdr: boolean;
  panes: readonly string[];
  workspaces: readonly string[];
}

const NOTHING: Touched = { herdr: false, panes: [], workspaces: [] };

export function pictureOf(state: PushState): Picture {
  return {
    boot: state.boot_id,
    seq: state.state_seq,
    herdr: state.herdr,
    workspaces: new Map(state.workspaces.map((one) => [one.id, one])),
    panes: new Map(state.panes.map((one) => [one.pane_id, one])),
    lines: new Map(state.lines.map((one) => [one.pane, one])),
  };
}

/** The picture after the event. An event that it contains already, or that is another runtime's, changes nothing. */
export function after(picture: Picture, event: PictureEvent): { picture: Picture; touched: Touched } {
  if (event.name === LINES_EVENT) return withLines(picture, event.data);
  const { boot, number, name, data } = event;
  if (boot !== picture.boot || number === null || number <= picture.seq) return { picture, touched: NOTHING };
  const next = { ...picture, seq: number };
  const pane = textOf(data['pane']);
  const workspace = textOf(data['workspace']);
  switch (name) {
    case 'pane_upsert': {
      const fact = data['pane_data'];
      if (!isPane(fact)) break;
      const panes = new Map(picture.panes).set(fact.pane_id, fact);
      return { picture: { ...next, panes }, touched: touching([fact.pane_id], [fact.workspace_id]) };
    }
    case 'pane_removed':
      return {
        picture: { ...next, panes: without(picture.panes, pane), lines: without(picture.lines, pane) },
        touched: touching([pane], [workspace]),
      };
    case 'workspace_upsert': {
      const fact = data['workspace_data'];
      if (!isWorkspace(fact)) break;
      const workspaces = new Map(picture.workspaces).set(fact.id, fact);
      return { picture: { ...next, workspaces }, touched: touching([], [fact.id]) };
    }
    case 'workspace_removed':
      return {
        picture: { ...next, workspaces: without(picture.workspaces, workspace) },
        touched: touching([], [workspace]),
      };
    case 'herdr_state': {
      const herdr: HerdrState = {
        state: HERDR_STATES.find((one) => one === data['state']) ?? 'unknown',
        problem: textOf(data['problem']) || null,
        server: textOf(data['server']) || null,
      };
      return { picture: { ...next, herdr }, touched: { ...NOTHING, herdr: true } };
    }
  }
  return { picture: next, touched: NOTHING };
}

const HERDR_STATES = ['live', 'stale', 'unknown'] as const;

function withLines(picture: Picture, data: PictureEvent['data']): { picture: Picture; touched: Touched } {
  const given = Array.isArray(data['lines']) ? data['lines'].filter(isLine) : [];
  const known = given.filter(({ pane }) => picture.panes.has(pane));
  if (known.length === 0) return { picture, touched: NOTHING };
  const lines = new Map(picture.lines);
  for (const one of known) lines.set(one.pane, one);
  return {
    picture: { ...picture, lines },
    touched: touching(
      known.map(({ pane }) => pane),
      [],
    ),
  };
}

const touching = (panes: readonly string[], workspaces: readonly string[]): Touched => ({
  herdr: false,
  panes,
  workspaces,
});

function without<T>(map: ReadonlyMap<string, T>, key: string): ReadonlyMap<string, T> {
  const rest = new Map(map);
  rest.delete(key);
  return rest;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function has(value: unknown, ...names: string[]): boolean {
  return (
    typeof value === 'object' && value !== null && names.every((name) => typeof Reflect.get(value, name) === 'string')
  );
}
const isPane = (value: unknown): value is PushPane =>
  has(value, 'pane_id', 'workspace_id', 'agent_status', 'target_revision');
const isWorkspace = (value: unknown): value is PushWorkspace => has(value, 'id', 'label');
const isLine = (value: unknown): value is PaneLine => has(value, 'pane', 'line');

/** The state in a body, or null: it is none of a runtime that serves this panel. */
export function readPushState(body: unknown): PushState | null {
  if (!has(body, 'boot_id')) return null;
  const { state_seq: seq, herdr, workspaces, panes, agents, lines } = body as Partial<PushState>;
  const lists = [workspaces, panes, agents, lines].every((one) => Array.isArray(one));
  return typeof seq === 'number' && has(herdr, 'state') && lists && panes?.every(isPane) ? (body as PushState) : null;
}
