/** The last lines of what somebody looks at: the rule as a table, then the real stream. */
import { afterEach, describe, expect, it } from 'vitest';
import { LINES_EVENT, type PaneLine } from '../../../contract/control/index.ts';
import { lastLine } from '../../../runtime-a-b/http/push/lines.ts';
import { due, type Pane, watched } from '../../../runtime-a-b/http/push/watches.ts';
import { LINE_IDLE_MS, LINE_READS_AT_ONCE, LINE_WORKING_MS, WATCHERS_MAX } from '../../../runtime-a-b/limits.ts';
import { verifies } from '../../verifies.ts';
import { ask, follow, socketOf } from '../http/extension/client.ts';
import { fakeHerdr, pane, paneRead, snapshotOf, testRuntime, until, workspace } from '../support/index.ts';

const p = (id: string, working = false, mark = 'm'): [string, Pane] => [id, { id, working, mark }];
const T = 1_000_000;

describe('which panes are read', () => {
  const panes = new Map([p('a', true), p('b'), p('c')]);
  const watches = watched(new Map(), 'panel', ['a', 'b'], T);

  it('those that are looked at and not known yet, and no others', () => {
    verifies('control-center.panel');
    expect(due(watches, panes, new Map(), T).map(({ id }) => id)).toEqual(['a', 'b']);
    expect(due(new Map(), panes, new Map(), T)).toEqual([]);
  });

  it('who works often, who rests seldom, whoever changed at once', () => {
    const reads = new Map([
      ['a', { at: T, mark: 'm' }],
      ['b', { at: T, mark: 'm' }],
    ]);
    const at = (now: number, given = panes) => due(watches, given, reads, now).map(({ id }) => id);
    expect(at(T + LINE_WORKING_MS - 1)).toEqual([]);
    expect(at(T + LINE_WORKING_MS)).toEqual(['a']);
    expect(at(T + LINE_IDLE_MS)).toEqual(['a', 'b']);
    expect(at(T + 1, new Map([p('a', true), p('b', false, 'changed')]))).toEqual(['b']);
  });

  it('never more at once than Herdr answers, and the one that waited longest first', () => {
    const many = new Map(Array.from({ length: 40 }, (_, i) => p(`p${i}`)));
    const all = watched(new Map(), 'panel', [...many.keys()], T);
    const reads = new Map([...many.keys()].map((id, i) => [id, { at: T - 100_000 - i, mark: 'm' }]));
    const first = due(all, many, reads, T).map(({ id }) => id);
    expect(first).toHaveLength(LINE_READS_AT_ONCE);
    expect(first[0]).toBe('p39');
  });

  it('ends by itself, replaces its own list, and holds few watchers', () => {
    expect(due(watches, panes, new Map(), T + 60_001)).toEqual([]);
    expect(watched(watches, 'panel', [], T).size).toBe(0);
    let many = watches;
    for (let i = 0; i < 20; i += 1) many = watched(many, `w${i}`, ['a'], T);
    expect(many.size).toBe(WATCHERS_MAX);
  });
});

describe('a clock that is put back by an hour', () => {
  const back = T - 3_600_000;
  const panes = new Map([p('a', true)]);
  it('makes no watch longer, and a renewed one is read at once', () => {
    const watches = watched(new Map(), 'panel', ['a'], T);
    const reads = new Map([['a', { at: T, mark: 'm' }]]);
    expect(due(watches, panes, new Map(), back)).toEqual([]);
    expect(watched(watches, 'other', ['a'], back).size).toBe(1);
    expect(due(watched(watches, 'panel', ['a'], back), panes, reads, back).map(({ id }) => id)).toEqual(['a']);
  });
});

describe('the line that is shown', () => {
  it.each([
    ['one\ntwo\n\n', 'two'],
    ['done \u001b[32mok\u001b[0m\n╭────╮\n│    │\n╰────╯\n', 'done ok'],
    ['\u001b]0;title\u0007$ ls\n', '$ ls'],
    ['safe\u202egnp.exe\u2066', 'safegnp.exe'],
    ['', ''],
    [`${'x'.repeat(500)}\n`, 'x'.repeat(160)],
  ])('%j → %j', (screen, line) => expect(lastLine(screen)).toBe(line));
});

describe('the stream', () => {
  let end: () => Promise<unknown> = async () => undefined;
  afterEach(() => end());

  it('says the lines of watched panes, without a number, and reads no other pane', async () => {
    verifies('control-center.panel');
    let screen = 'first';
    const herdr = await fakeHerdr({
      'session.snapshot': () => snapshotOf({ workspaces: [workspace('w1')], panes: [pane('w1:p1'), pane('w1:p2')] }),
      'pane.read': ({ params }) => paneRead(params.pane_id, screen),
    });
    const rt = await testRuntime({ herdrSocket: herdr.path });
    end = () => Promise.all([rt.end(), herdr.stop()]);
    const socket = socketOf(rt.stateDir);
    await until('the picture', async () => ((await ask(socket, '/push/state')).body.panes as object[]).length === 2);
    const stream = await follow(socket);
    const watch = (panes: string[]) =>
      ask(socket, '/extension/control/watch', { method: 'POST', body: JSON.stringify({ watcher: 'test', panes }) });
    expect((await watch(['w1:p1'])).body).toEqual({ ok: true });
    const told = await stream.wait('the line', ({ event }) => event === LINES_EVENT);
    expect(told).toMatchObject({ id: '', data: { lines: [{ pane: 'w1:p1', line: 'first' }] } });
    const { lines } = (await ask(socket, '/push/state')).body as { lines: PaneLine[] };
    expect(lines).toMatchObject([{ pane: 'w1:p1', line: 'first' }]);
    screen = 'second';
    await watch(['w1:p2']);
    await stream.wait('the other', ({ data }) => JSON.stringify(data).includes('second'));
    const read = herdr.requests.filter(({ method }) => method === 'pane.read').map(({ params }) => params.pane_id);
    expect(new Set(read)).toEqual(new Set(['w1:p1', 'w1:p2']));
    await watch([]);
    stream.close();
  });

  it.each([{ watcher: 'Test!', panes: [] }, { watcher: 'x', panes: Array.from({ length: 65 }, () => 'p') }, {}])(
    'takes no other body: %#',
    async (body) => {
      const rt = await testRuntime();
      end = () => rt.end();
      const { status } = await ask(socketOf(rt.stateDir), '/extension/control/watch', {
        method: 'POST',
        body: JSON.stringify(body),
      });
      expect(status).toBe(400);
    },
  );
});
