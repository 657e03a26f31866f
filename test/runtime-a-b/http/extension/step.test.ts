import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentStatus } from '../../../../contract/herdr/index.ts';
import { type Known, NOTHING_KNOWN, step } from '../../../../runtime-a-b/http/push/step.ts';
import { PUSH_DEBOUNCE_MS } from '../../../../runtime-a-b/limits.ts';
import { verifies } from '../../../verifies.ts';
import { agent, pane, view, workspace } from '../../support/index.ts';

type Look = readonly [atMs: number, status: AgentStatus | 'gone', seq?: number];

/** Looks at one agent one after the other; gives what was said of it, and its status as shown at the end. */
function play(looks: readonly Look[]) {
  let known: Known = NOTHING_KNOWN;
  const said: string[] = [];
  let waiting = false;
  for (const [at, status, seq] of looks) {
    const agents = status === 'gone' ? [] : [agent('w1:p1', { agent_status: status, state_change_seq: seq ?? at })];
    const next = step(
      known,
      view({ observedAtMs: at, workspaces: [workspace('w1')], panes: [pane('w1:p1')], agents }),
      () => [],
      'boot_1',
    );
    known = next.known;
    waiting = next.waiting;
    said.push(...next.events.map(({ type }) => type).filter((type) => type.startsWith('agent_')));
  }
  return { said, waiting, shown: [...known.agents.values()][0]?.fact };
}

const D = PUSH_DEBOUNCE_MS;

describe('what the stream says of an agent', () => {
  it.each<[string, Look[], string[]]>([
    ['an idle one is no news', [[0, 'idle']], []],
    [
      'work that two looks saw',
      [
        [0, 'idle'],
        [10, 'working'],
        [10 + D, 'working'],
      ],
      ['agent_working'],
    ],
    [
      'one look is not enough',
      [
        [0, 'idle'],
        [10, 'working'],
        [9 + D, 'working'],
      ],
      [],
    ],
    [
      'work that was gone at the second look',
      [
        [0, 'idle'],
        [10, 'working'],
        [10 + D, 'idle'],
        [900, 'idle'],
      ],
      [],
    ],
    [
      'one that worked when it was first seen',
      [
        [0, 'working'],
        [D, 'working'],
      ],
      ['agent_working'],
    ],
    [
      'a turn',
      [
        [0, 'idle'],
        [10, 'working'],
        [500, 'working'],
        [900, 'done'],
        [900 + D, 'done'],
        [2000, 'done'],
      ],
      ['agent_working', 'agent_settled'],
    ],
    [
      'done that a person looked at is no second settle',
      [
        [0, 'working'],
        [D, 'working'],
        [900, 'done'],
        [900 + D, 'done'],
        [2000, 'idle'],
        [3000, 'idle'],
      ],
      ['agent_working', 'agent_settled'],
    ],
    [
      'a flap while it works',
      [
        [0, 'working'],
        [D, 'working'],
        [900, 'idle'],
        [900 + D, 'working'],
        [2000, 'working'],
      ],
      ['agent_working'],
    ],
    [
      'a question to the person',
      [
        [0, 'working'],
        [D, 'working'],
        [900, 'blocked'],
        [900 + D, 'blocked'],
      ],
      ['agent_working', 'agent_settled'],
    ],
    [
      'unknown is neither the end of work',
      [
        [0, 'working'],
        [D, 'working'],
        [900, 'unknown'],
        [2000, 'unknown'],
        [3000, 'working'],
        [4000, 'working'],
      ],
      ['agent_working'],
    ],
    [
      '… nor its beginning',
      [
        [0, 'working'],
        [D, 'working'],
        [900, 'unknown'],
        [2000, 'idle'],
        [3000, 'idle'],
      ],
      ['agent_working', 'agent_settled'],
    ],
    [
      'one that left while it worked',
      [
        [0, 'working'],
        [D, 'working'],
        [900, 'gone'],
      ],
      ['agent_working', 'agent_gone'],
    ],
    [
      'a clock that was put back',
      [
        [9000, 'idle'],
        [9010, 'working'],
        [10, 'working'],
        [10 + D, 'working'],
      ],
      ['agent_working'],
    ],
  ])('%s', (_, looks, expected) => {
    verifies('herdr.push');
    expect(play(looks).said).toEqual(expected);
  });

  it('shows the last confirmed status while a change waits, with the number that belongs to it', () => {
    const played = play([
      [0, 'working', 1],
      [D, 'working', 1],
      [900, 'idle', 2],
    ]);
    expect(played).toMatchObject({ waiting: true, shown: { status: 'working', seq: 1 } });
  });

  it('never says the same twice in a row, and never ends what did not begin', () => {
    verifies('herdr.push');
    const looks = fc.array(
      fc.tuple(fc.integer({ min: 1, max: 2 * D }), fc.constantFrom('idle', 'working', 'blocked', 'done', 'unknown')),
    );
    fc.assert(
      fc.property(looks, (steps) => {
        let at = 0;
        const { said } = play(
          steps.map(([wait, status]) => {
            at += wait;
            return [at, status as AgentStatus] as const;
          }),
        );
        said.forEach((type, index) => {
          expect(type).toBe(index % 2 === 0 ? 'agent_working' : 'agent_settled');
        });
      }),
    );
  });
});

describe('what the stream says of workspaces and panes', () => {
  const open = (more: Parameters<typeof view>[0] = {}) =>
    view({ workspaces: [workspace('w1')], panes: [pane('w1:p1'), pane('w1:p2')], ...more });
  const told = (before: Known, next: ReturnType<typeof view>, roots: readonly string[] = []) => {
    const { known, events } = step(before, next, () => roots, 'boot_1');
    return { known, said: events.map(({ type, workspace: of, pane: id }) => [type, id ?? of ?? '']) };
  };

  it('openings from outside to inside, closings from inside to outside, and nothing for noise', () => {
    verifies('herdr.push');
    const first = told(NOTHING_KNOWN, open());
    expect(first.said).toEqual([
      ['herdr_state', ''],
      ['workspace_upsert', 'w1'],
      ['pane_upsert', 'w1:p1'],
      ['pane_upsert', 'w1:p2'],
    ]);
    const scrolled = [
      pane('w1:p1', {
        revision: 7,
        scroll: { offset_from_bottom: 3, max_offset_from_bottom: 9, viewport_rows: 5 },
      } as Partial<ReturnType<typeof pane>>),
      pane('w1:p2'),
    ];
    const noise = told(first.known, open({ panes: scrolled }));
    expect(noise.said).toEqual([]);
    const renamed = told(noise.known, open({ workspaces: [workspace('w1', { label: 'other' })] }));
    expect(renamed.said).toEqual([['workspace_upsert', 'w1']]);
    const rooted = told(renamed.known, open({ workspaces: [workspace('w1', { label: 'other' })] }), ['/p']);
    expect(rooted.said).toEqual([['workspace_upsert', 'w1']]);
    const closed = told(rooted.known, open({ workspaces: [], panes: [] }));
    expect(closed.said).toEqual([
      ['pane_removed', 'w1:p1'],
      ['pane_removed', 'w1:p2'],
      ['workspace_removed', 'w1'],
    ]);
  });

  it('keeps what it knew while Herdr is away, and says that it is away', () => {
    const first = told(NOTHING_KNOWN, open());
    const away = told(first.known, view({ state: 'stale', problem: { code: 'socket_missing', message: '' } }));
    expect(away.said).toEqual([['herdr_state', '']]);
    expect([...away.known.workspaces.keys()]).toEqual(['w1']);
    expect(away.known.herdr).toEqual({ ...first.known.herdr, state: 'stale', problem: 'socket_missing' });
  });

  it('takes another Herdr for another one: the old w1 is gone before the new w1 is there', () => {
    const first = told(NOTHING_KNOWN, open({ panes: [] }));
    const server = { key: 'h0123456789ab', version: '0.8.0', protocol: 19, support: 'full', embedded: false } as const;
    expect(told(first.known, open({ panes: [], server })).said).toEqual([
      ['herdr_state', ''],
      ['workspace_removed', 'w1'],
      ['workspace_upsert', 'w1'],
    ]);
  });
});

describe('what the stream says of a pane', () => {
  const said = (more: Parameters<typeof pane>[1]) => {
    const given = view({ workspaces: [workspace('w1')], panes: [pane('w1:p1', more)] });
    const { known } = step(NOTHING_KNOWN, given, () => [], 'boot_1');
    return [...known.panes.values()][0];
  };
  it('is unknown where Herdr names a status that we do not know, and not idle', () => {
    const odd = said({ agent: 'claude', agent_status: 'paused' as AgentStatus });
    expect(odd?.agent_status).toBe('unknown');
    expect(odd?.control_capabilities).not.toContain('interrupt');
  });
  it('holds no more of a title than a row shows', () => {
    const long = said({ terminal_title: 'x'.repeat(100_000), terminal_title_stripped: 'y'.repeat(100_000) });
    expect(JSON.stringify(long).length).toBeLessThan(2_000);
    expect(long?.terminal_title_stripped).toBe('y'.repeat(120));
  });
});
