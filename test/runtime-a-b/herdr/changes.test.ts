import { describe, expect, it } from 'vitest';
import { changesBetween, EventRing, knownStatus } from '../../../runtime-a-b/herdr/index.ts';
import { EVENT_RING, EVENTS_AT_ZERO } from '../../../runtime-a-b/limits.ts';
import { verifies } from '../../verifies.ts';
import { agent, pane, tab, workspace } from '../support/index.ts';

const picture = (parts: object = {}) => ({
  workspaces: [],
  tabs: [],
  panes: [],
  agents: [],
  focused: {},
  warnings: [],
  ...parts,
});

describe('what happened between two pictures', () => {
  const full = picture({ workspaces: [workspace('w1')], tabs: [tab('w1:t1')], panes: [pane('w1:p1')] });

  it('is nothing when nothing differs', () => {
    expect(changesBetween(full, structuredClone(full))).toEqual([]);
  });

  it('names containers before contents when they come, contents first when they go', () => {
    expect(changesBetween(picture(), full).map(({ type }) => type)).toEqual([
      'workspace_created',
      'tab_created',
      'pane_created',
    ]);
    expect(changesBetween(full, picture()).map(({ type }) => type)).toEqual([
      'pane_closed',
      'tab_closed',
      'workspace_closed',
    ]);
  });

  it.each([
    ['workspace_renamed', { workspaces: [workspace('w1', { label: 'new' })] }],
    ['tab_renamed', { tabs: [tab('w1:t1', { label: 'new' })] }],
    ['pane_updated', { panes: [pane('w1:p1', { cwd: '/elsewhere' })] }],
    ['pane_updated', { panes: [pane('w1:p1', { terminal_title_stripped: 'Fix it' })] }],
    ['pane_moved', { panes: [pane('w2:p9', { terminal_id: 'term_w1:p1' })] }],
    ['workspace_focused', { focused: { workspaceId: 'w1' } }],
    ['pane_focused', { focused: { paneId: 'w1:p1' } }],
    ['pane_agent_detected', { agents: [agent('w1:p1')] }],
  ])('sees %s', (type, parts) => {
    expect(changesBetween(full, { ...full, ...parts }).map((change) => change.type)).toContain(type);
  });

  it('takes a new terminal under an old id for a pane that went and one that came', () => {
    const restarted = { ...full, panes: [pane('w1:p1', { terminal_id: 'term_other' })] };
    expect(changesBetween(full, restarted).map(({ type }) => type)).toEqual(['pane_closed', 'pane_created']);
  });

  it('ignores what only scrolls or spins', () => {
    const scroll = { offset_from_bottom: 0, max_offset_from_bottom: 9, viewport_rows: 24 };
    const noisy = { ...full, panes: [pane('w1:p1', { scroll, terminal_title: '⠋ x', revision: 7 })] };
    expect(changesBetween(full, noisy)).toEqual([]);
  });

  it.each([
    ['idle', 1, 'working', 2, true],
    ['working', 2, 'idle', 3, true],
    ['done', 3, 'idle', 3, true],
    ['idle', 3, 'idle', 5, true],
    ['idle', 3, 'idle', 3, false],
    ['some_new_word', 3, 'unknown', 3, false],
  ])('%s at %i to %s at %i is a status change: %s', (from, fromSeq, to, toSeq, expected) => {
    const at = (status: string, seq: number) =>
      picture({ agents: [agent('w1:p1', { agent_status: status as 'idle', state_change_seq: seq })] });
    const types = changesBetween(at(from, fromSeq), at(to, toSeq)).map(({ type }) => type);
    expect(types).toEqual(expected ? ['pane_agent_status_changed'] : []);
  });

  it('tells an agent that left with its last status, and another agent in its pane as a new one', () => {
    const before = picture({ agents: [agent('w1:p1', { agent_status: 'working' })] });
    expect(changesBetween(before, picture())).toMatchObject([
      { type: 'pane_agent_detected', facts: { released: true, final_status: 'working' } },
    ]);
    const other = picture({ agents: [agent('w1:p1', { agent: 'codex' })] });
    expect(changesBetween(before, other)).toMatchObject([{ type: 'pane_agent_detected', facts: { agent: 'codex' } }]);
  });

  it('maps a status that nobody knows to unknown', () => {
    expect(knownStatus('hibernating')).toBe('unknown');
    expect(knownStatus('blocked')).toBe('blocked');
  });
});

describe('the ring of events', () => {
  const change = (n: number) => ({ type: 'pane_created', pane_id: `w1:p${n}`, workspace_id: n % 2 ? 'w1' : 'w2' });

  it('continues from a cursor and gives the latest at zero', () => {
    verifies('runtime.since');
    const ring = new EventRing();
    ring.push(
      Array.from({ length: 100 }, (_, i) => change(i)),
      5,
    );
    expect(ring.since(0).events).toHaveLength(EVENTS_AT_ZERO);
    const page = ring.since(98);
    expect(page).toMatchObject({ cursor: 100, gap: false, ahead: false });
    expect(page.events.map(({ cursor }) => cursor)).toEqual([99, 100]);
    expect(ring.since(100).events).toEqual([]);
    expect(ring.since(50, ({ workspace_id }) => workspace_id === 'w1').events).toHaveLength(25);
  });

  it('says when events were dropped and when the cursor is of an earlier boot', () => {
    const ring = new EventRing();
    ring.push(
      Array.from({ length: EVENT_RING + 10 }, (_, i) => change(i)),
      5,
    );
    expect(ring.since(5).gap).toBe(true);
    expect(ring.since(11).gap).toBe(false);
    expect(ring.since(11).events).toHaveLength(EVENT_RING - 1);
    expect(ring.since(99_999)).toMatchObject({ ahead: true, gap: false });
  });

  it('keeps no more than it may, however long it runs', () => {
    const ring = new EventRing();
    for (let i = 0; i < 3 * EVENT_RING; i++) ring.push([change(i)], i);
    expect(ring.since(1).events.length).toBeLessThanOrEqual(EVENT_RING);
    expect(ring.cursor).toBe(3 * EVENT_RING);
  });

  it('keeps only the last of repeated updates of one pane, and its cursor still grows', () => {
    const ring = new EventRing();
    const update = (title: string) => ({ type: 'pane_updated', pane_id: 'w1:p1', facts: { title } });
    ring.push([update('a'), update('b')], 1);
    ring.push([update('c')], 2);
    expect(ring.since(0)).toMatchObject({ cursor: 3, events: [{ cursor: 3, change: { facts: { title: 'c' } } }] });
  });
});
