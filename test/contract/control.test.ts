/** The picture that the Side Panel and `herdr-mcp top` fold, and the rows that both show. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  after,
  capabilitiesOf,
  changesOf,
  elapsed,
  LINES_EVENT,
  type Picture,
  type PictureEvent,
  type PushPane,
  type PushState,
  type PushWorkspace,
  paneRow,
  pictureOf,
  readPushState,
  rowsOf,
  viewOf,
} from '../../contract/control/index.ts';
import { EXTENSION_ROUTE } from '../../contract/extension/index.ts';
import { NATIVE_PATHS } from '../../contract/extension/native.ts';
import { AGENT_STATUSES, type AgentStatus } from '../../contract/herdr/index.ts';
import { verifies } from '../verifies.ts';

const ws = (id: string, panes: string[], more: Partial<PushWorkspace> = {}): PushWorkspace => ({
  id,
  label: id,
  roots: [],
  panes,
  ...more,
});
const pane = (id: string, more: Partial<PushPane> = {}): PushPane => ({
  pane_id: id,
  terminal_id: `t_${id}`,
  workspace_id: id.split(':')[0] ?? '',
  tab_id: 't',
  focused: false,
  agent_status: 'unknown',
  name: null,
  since: null,
  target_revision: `btr1_${'0'.repeat(32)}`,
  control_capabilities: ['read'],
  ...more,
});
const state = (more: Partial<PushState> = {}): PushState => ({
  boot_id: 'boot_1',
  state_seq: 10,
  server_time: 0,
  herdr: { state: 'live', problem: null, server: 'embedded' },
  agents: [],
  workspaces: [ws('w1', ['w1:p1', 'w1:p2'])],
  panes: [pane('w1:p1', { agent: 'claude', agent_status: 'working', since: 5 }), pane('w1:p2')],
  lines: [],
  ...more,
});
const event = (number: number, name: string, data: object, boot = 'boot_1'): PictureEvent => ({
  boot,
  number,
  name,
  data: { ...data },
});

describe('the picture', () => {
  const picture = pictureOf(state());

  it.each<[string, PictureEvent, (now: Picture) => unknown, unknown]>([
    [
      'a pane that comes',
      event(11, 'pane_upsert', { pane_data: pane('w1:p3') }),
      (now) => now.panes.has('w1:p3'),
      true,
    ],
    ['a pane that goes', event(11, 'pane_removed', { pane: 'w1:p1', workspace: 'w1' }), (now) => now.panes.size, 1],
    [
      'a workspace that comes',
      event(11, 'workspace_upsert', { workspace_data: ws('w2', []) }),
      (now) => now.workspaces.size,
      2,
    ],
    ['a workspace that goes', event(11, 'workspace_removed', { workspace: 'w1' }), (now) => now.workspaces.size, 0],
    [
      'Herdr that is away',
      event(11, 'herdr_state', { state: 'stale', problem: 'timeout', server: 'embedded' }),
      (now) => now.herdr.state,
      'stale',
    ],
    ['a Herdr of another time', event(11, 'herdr_state', { state: 'splendid' }), (now) => now.herdr.state, 'unknown'],
    ['an event that nobody knows', event(11, 'weather', {}), (now) => now.seq, 11],
    ['an event that it contains', event(10, 'workspace_removed', { workspace: 'w1' }), (now) => now, picture],
    ['another runtime', event(11, 'workspace_removed', { workspace: 'w1' }, 'boot_2'), (now) => now, picture],
    ['a pane of another shape', event(11, 'pane_upsert', { pane_data: { pane_id: 7 } }), (now) => now.panes.size, 2],
  ])('%s', (_, given, look, wanted) => {
    verifies('control-center.panel');
    expect(look(after(picture, given).picture)).toEqual(wanted);
  });

  it('takes lines of panes that it has, without a number', () => {
    const lines = [
      { pane: 'w1:p1', line: '12 passed', at: 1 },
      { pane: 'w9:p9', line: 'nobody', at: 1 },
    ];
    const { picture: now, touched } = after(picture, { boot: null, number: null, name: LINES_EVENT, data: { lines } });
    expect([...now.lines.keys()]).toEqual(['w1:p1']);
    expect(touched.panes).toEqual(['w1:p1']);
    expect(now.seq).toBe(10);
  });

  it('is the same however the events are cut, repeated or sent late', () => {
    const ids = ['w1:p1', 'w1:p2', 'w1:p3'];
    const events = fc.array(
      fc.record({ id: fc.constantFrom(...ids), status: fc.constantFrom(...AGENT_STATUSES), gone: fc.boolean() }),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(events, fc.integer({ min: 0, max: 20 }), (steps, cut) => {
        const given = steps.map(({ id, status, gone }, i) =>
          gone
            ? event(11 + i, 'pane_removed', { pane: id, workspace: 'w1' })
            : event(11 + i, 'pane_upsert', { pane_data: pane(id, { agent: 'pi', agent_status: status }) }),
        );
        const fold = (all: readonly PictureEvent[]) => all.reduce((now, one) => after(now, one).picture, picture);
        const again = fold([...given, ...given.slice(0, cut)]);
        expect(viewOf(again)).toEqual(viewOf(fold(given)));
      }),
    );
  });

  it('reads only what a runtime of this contract says', () => {
    expect(readPushState(state())).not.toBeNull();
    const { lines: _, ...older } = state();
    for (const body of [older, { ...state(), panes: [{ pane_id: 'p' }] }, null, 'x', {}]) {
      expect(readPushState(body)).toBeNull();
    }
  });
});

describe('rows', () => {
  it('name the agent, the line before the title, and nothing that is not known', () => {
    const named = pane('w1:p1', { agent: 'claude', name: 'builder', terminal_title: 'Fixing', since: 3, cwd: '/a' });
    expect(paneRow(named, undefined)).toMatchObject({ agent: 'builder', line: 'Fixing', since: 3, cwd: '/a' });
    expect(paneRow(named, { pane: 'w1:p1', line: 'ok', at: 1 }).line).toBe('ok');
    expect(paneRow(pane('w1:p2'), undefined)).toMatchObject({ agent: null, status: null, line: null, cwd: null });
  });

  it('call a status that they do not know unknown, and never idle', () => {
    const odd = { ...pane('w1:p1', { agent: 'pi' }), agent_status: 'paused' as AgentStatus };
    expect(paneRow(odd, undefined).status).toBe('unknown');
    const { counts } = viewOf(pictureOf(state({ panes: [odd], workspaces: [ws('w1', ['w1:p1'])] })));
    expect(counts).toEqual({ working: 0, blocked: 0, done: 0, idle: 0, unknown: 1, terminal: 0 });
  });

  it('sum up, with what needs a person first', () => {
    const picture = pictureOf(
      state({
        workspaces: [ws('w1', ['w1:p2', 'w1:p1']), ws('w2', [])],
        panes: [
          pane('w1:p1', { agent: 'pi', agent_status: 'working' }),
          pane('w1:p2', { agent: 'pi', agent_status: 'blocked' }),
          pane('w1:p3'),
        ],
      }),
    );
    const { counts, workspaces } = viewOf(picture);
    expect(counts).toMatchObject({ working: 1, blocked: 1, terminal: 1 });
    expect(workspaces.map(({ id, status, panes }) => [id, status, panes])).toEqual([
      ['w1', 'blocked', ['w1:p2', 'w1:p1', 'w1:p3']],
      ['w2', null, []],
    ]);
    expect(rowsOf(picture, ws('w2', ['w1:p1']))).toEqual([]);
  });

  it.each([
    [0, '0:00'],
    [42_900, '0:42'],
    [723_000, '12:03'],
    [11_045_000, '3:04:05'],
    [183_840_000, '2d 03:04'],
    [-5, '0:00'],
  ])('%i ms are %s', (ms, text) => expect(elapsed(ms)).toBe(text));

  it.each([
    [{ agent_status: 'unknown' }, ['read', 'terminal_input']],
    [{ agent: 'pi', agent_status: 'idle' }, ['read', 'agent_prompt', 'steer']],
    [{ agent: 'pi', agent_status: 'working' }, ['read', 'agent_prompt', 'steer', 'interrupt']],
  ])('what may be done to %j', (given, wanted) => expect(capabilitiesOf(given)).toEqual(wanted));

  it('say what changed, row by row', () => {
    const before = viewOf(pictureOf(state()));
    const now = viewOf(
      pictureOf(
        state({
          herdr: { state: 'stale', problem: 'timeout', server: 'embedded' },
          panes: [pane('w1:p1', { agent: 'claude', agent_status: 'done', since: 9 })],
          workspaces: [ws('w1', ['w1:p1']), ws('w2', [])],
        }),
      ),
    );
    expect(changesOf(before, before)).toEqual([]);
    expect(changesOf(before, now).map(({ event: name }) => name)).toEqual([
      'herdr',
      'workspace',
      'pane',
      'workspace',
      'pane_gone',
    ]);
    expect(
      changesOf(now, viewOf(pictureOf(state({ workspaces: [], panes: [] })))).map(({ event: name }) => name),
    ).toEqual(expect.arrayContaining(['workspace_gone', 'pane_gone']));
  });
});

it('every route of the panel passes the native host', () => {
  for (const path of Object.values(EXTENSION_ROUTE)) expect([...NATIVE_PATHS.keys()]).toContain(path);
});
