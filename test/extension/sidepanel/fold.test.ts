/** States and events in any order that a worker which is stopped and started can bring them in. */
import { describe, expect, it } from 'vitest';
import { type PictureEvent, type PushPane, type PushState, viewOf } from '../../../contract/control/index.ts';
import { createFold } from '../../../extension/sidepanel/fold.ts';
import { EVENTS_HELD_MAX } from '../../../extension/sidepanel/limits.ts';
import { verifies } from '../../verifies.ts';

const pane = (id: string, status: PushPane['agent_status'] = 'idle'): PushPane => ({
  pane_id: id,
  terminal_id: id,
  workspace_id: 'w1',
  tab_id: 't',
  focused: false,
  agent: 'pi',
  agent_status: status,
  name: null,
  since: 1,
  target_revision: 'btr1_x',
  control_capabilities: [],
});
const state = (seq: number, panes: PushPane[], boot = 'boot_1'): PushState => ({
  boot_id: boot,
  state_seq: seq,
  server_time: 0,
  herdr: { state: 'live', problem: null, server: 'embedded' },
  agents: [],
  workspaces: [{ id: 'w1', label: 'w1', roots: [], panes: panes.map(({ pane_id: id }) => id) }],
  panes,
  lines: [],
});
const event = (number: number, one: PushPane, boot = 'boot_1'): PictureEvent => ({
  boot,
  number,
  name: 'pane_upsert',
  data: { pane_data: one },
});

function shown(...steps: (PushState | PictureEvent | 'draw')[]) {
  const fold = createFold();
  for (const step of steps) {
    if (step === 'draw') fold.take();
    else if ('boot_id' in step) fold.state(step);
    else fold.event(step);
  }
  fold.take();
  const picture = fold.picture();
  return (
    picture &&
    Object.fromEntries(viewOf(picture).workspaces.flatMap(({ rows }) => rows.map((row) => [row.id, row.status])))
  );
}

describe('the picture of a panel', () => {
  const p1 = (status: PushPane['agent_status']) => pane('w1:p1', status);
  it.each<[string, (PushState | PictureEvent | 'draw')[], Record<string, string> | null]>([
    [
      'an event before the state that it follows',
      [event(4, p1('working')), state(3, [p1('idle')])],
      { 'w1:p1': 'working' },
    ],
    [
      'a state that contains an event that comes later',
      [state(4, [p1('done')]), event(4, p1('working'))],
      { 'w1:p1': 'done' },
    ],
    [
      'a newer state after newer events',
      [state(1, [p1('idle')]), event(2, p1('working')), state(3, [p1('done')])],
      { 'w1:p1': 'done' },
    ],
    [
      'an event of a runtime that was replaced',
      [state(9, [p1('idle')]), event(10, p1('working')), state(0, [p1('done')], 'boot_2')],
      { 'w1:p1': 'done' },
    ],
    [
      'an event of a new runtime before its state, while the old picture still stands',
      [state(9, [p1('idle')]), 'draw', event(2, p1('working'), 'boot_2'), 'draw', state(1, [p1('idle')], 'boot_2')],
      { 'w1:p1': 'working' },
    ],
    [
      'an event that was drawn before an older state came',
      [state(1, [p1('idle')]), event(3, p1('working')), 'draw', state(2, [p1('idle')])],
      { 'w1:p1': 'working' },
    ],
    ['nothing but events', [event(4, p1('working'))], null],
  ])('%s', (_, steps, wanted) => {
    verifies('control-center.panel');
    expect(shown(...steps)).toEqual(wanted);
  });

  it('says what to draw anew: what came, what changed, and what is gone', () => {
    const fold = createFold();
    expect(fold.take()).toBeNull();
    fold.state(state(1, [pane('w1:p1'), pane('w1:p2')]));
    expect(fold.take()?.panes).toEqual(new Set(['w1:p1', 'w1:p2']));
    fold.event(event(2, pane('w1:p2', 'working')));
    expect(fold.take()).toEqual({ panes: new Set(['w1:p2']), workspaces: new Set(['w1']) });
    expect(fold.take()?.panes.size).toBe(0);
    fold.state(state(3, [pane('w1:p2')]));
    expect(fold.take()?.panes).toEqual(new Set(['w1:p1', 'w1:p2']));
  });

  it('holds few events while nobody brings a state', () => {
    const steps = Array.from({ length: EVENTS_HELD_MAX * 3 }, (_, i) => event(i + 1, pane('w1:p1', 'working')));
    expect(shown(...steps, state(1, []))).toEqual({ 'w1:p1': 'working' });
  });

  it('loses nothing while nobody draws, as in a window that is covered for an hour', () => {
    const first = event(1, pane('w1:p1', 'blocked'));
    const many = Array.from({ length: EVENTS_HELD_MAX * 3 }, (_, i) => event(i + 2, pane('w1:p2', 'working')));
    expect(shown(state(0, [pane('w1:p1'), pane('w1:p2')]), first, ...many)).toEqual({
      'w1:p1': 'blocked',
      'w1:p2': 'working',
    });
  });
});
