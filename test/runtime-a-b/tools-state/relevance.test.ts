import { describe, expect, it } from 'vitest';
import { readStatus } from '../../../runtime-a-b/tools/state/git-hints.ts';
import { Recent } from '../../../runtime-a-b/tools/state/recent.ts';
import { lastChanges, orderByRelevance } from '../../../runtime-a-b/tools/state/relevance.ts';
import { Touched } from '../../../runtime-a-b/tools/state/touched.ts';
import { programOf } from '../../../runtime-a-b/tools/state/workstation.ts';
import { agent, pane, view, workspace } from '../support/index.ts';

describe('what comes first', () => {
  const picture = view({
    workspaces: ['w1', 'w2', 'w3', 'w4', 'w5'].map((id) => workspace(id)),
    panes: ['w1:p1', 'w2:p1', 'w3:p1', 'w4:p1', 'w4:p2', 'w5:p1'].map((id) => pane(id)),
    agents: [
      agent('w3:p1', { agent_status: 'working' }),
      agent('w4:p2', { agent_status: 'blocked' }),
      agent('w1:p1', { agent_status: 'idle' }),
    ],
    focused: { workspaceId: 'w5', paneId: 'w5:p1' },
  });

  it('is where the person is, then who asks and who works, then what changed, then Herdr’s order', () => {
    const changed = new Map([['w2', 9]]);
    expect(orderByRelevance(picture, changed).workspaces.map(({ workspace_id }) => workspace_id)).toEqual([
      'w5',
      'w4',
      'w3',
      'w2',
      'w1',
    ]);
  });

  it('puts panes with agents before plain ones', () => {
    expect(orderByRelevance(picture, new Map()).panes).toEqual(['w5:p1', 'w4:p2', 'w3:p1', 'w1:p1', 'w4:p1', 'w2:p1']);
  });

  it('knows when a workspace last changed', () => {
    const events = [1, 2, 3].map((at) => ({
      cursor: at,
      at,
      change: { type: 'x', workspace_id: at === 2 ? 'w2' : 'w1' },
    }));
    expect([...lastChanges(events)]).toEqual([
      ['w1', 3],
      ['w2', 2],
    ]);
  });
});

describe('Git hints', () => {
  const status = (stdout: string, more = {}) =>
    readStatus(
      {
        code: 0,
        signal: null,
        stdout: Buffer.from(stdout),
        stderr: Buffer.alloc(0),
        truncated: false,
        timedOut: false,
        aborted: false,
        ...more,
      },
      7,
    );

  it('count what changed, whatever the names are', () => {
    const head = '# branch.oid abc\0# branch.head main\0';
    const entries = [
      '1 .M N... 100644 100644 100644 a a a b.txt',
      '2 R. N... 100644 100644 100644 a a R100 new',
      '? old',
      '? un\ntracked',
      'u UU N... x',
    ];
    expect(status(`${head}${entries.slice(0, 2).join('\0')}\0? old name\0${entries.slice(3).join('\0')}\0`)).toEqual({
      dirty: true,
      changed_files: 4,
      branch: 'main',
      observed_at_ms: 7,
    });
    expect(status(head)).toEqual({ dirty: false, changed_files: 0, branch: 'main', observed_at_ms: 7 });
  });

  it.each([{ code: 128 }, { truncated: true }, { code: null }])('say nothing when Git could not: %j', (more) => {
    expect(status('', more)).toBeUndefined();
  });
});

describe('what our own calls touched', () => {
  it('is the root in which they named a place, or every root', () => {
    const touched = new Touched();
    const marks = () => ['/r/a', '/r/ab', '/r'].map((root) => touched.mark(root));
    expect(marks()).toEqual([0, 0, 0]);
    touched.note('/r/a/file.txt');
    expect(marks()).toEqual([1, 0, 1]);
    touched.note(null);
    expect(marks()).toEqual([2, 1, 2]);
    for (let i = 0; i < 1000; i++) touched.note(`/x/${i}`);
    expect(touched.mark('/r/ab')).toBeGreaterThan(1);
  });
});

describe('an answer that is still true', () => {
  it('is given again until its state changes or it is old, and a failure is asked anew', async () => {
    const recent = new Recent<number>(1000, 2);
    let made = 0;
    const make = async () => ++made;
    expect(await recent.get('k', 's', 0, make)).toBe(1);
    expect(await recent.get('k', 's', 999, make)).toBe(1);
    expect(await recent.get('k', 's', 1000, make)).toBe(2);
    expect(await recent.get('k', 'other', 1001, make)).toBe(3);
    expect(await recent.get('k', 'other', 500, make)).toBe(4);
    await expect(recent.get('f', 's', 0, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await recent.get('f', 's', 0, make)).toBe(5);
    await recent.get('x', 's', 0, make);
    await recent.get('y', 's', 0, make);
    expect(await recent.get('f', 's', 0, make)).toBe(8);
  });
});

describe('a command in a list', () => {
  it.each([
    ['npm test -- --token=abc', 'npm'],
    ['API_KEY=hunter2 /usr/bin/curl -H secret', 'curl'],
    ['A=1 B=2', ''],
    ['', ''],
    ['$(echo x) y', 'echo'],
    ['"npm" "run"', 'npm'],
  ])('%j shows %j and nothing of its words', (command, program) => {
    expect(programOf(command)).toBe(program);
  });
});
