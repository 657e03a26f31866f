/** Decisions of the embedded server that need no terminal: ids, layouts, processes, words, titles, matches. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { generatedBranch, parseWorktrees } from '../../embedded-herdr/git/index.ts';
import { parseRequest, quoted } from '../../embedded-herdr/methods/index.ts';
import {
  isStartShell,
  type ProcessFacts,
  parseLsofCwd,
  parsePs,
  parseStat,
  recogniseAgent,
  scriptBehind,
} from '../../embedded-herdr/processes/index.ts';
import {
  arrange,
  bijective32,
  type Layout,
  leaves,
  splitPane,
  withoutPane,
} from '../../embedded-herdr/session/index.ts';
import { lineMatcher, reportedDirectory, strippedTitle, titleSpins } from '../../embedded-herdr/terminal/index.ts';
import { compatibilityPage, type Run, runsOn } from './compatibility-page.ts';

describe('ids', () => {
  it.each([
    [1, '1'],
    [9, '9'],
    [10, 'A'],
    [31, 'Z'],
    [32, '0'],
    [33, '11'],
    [64, '10'],
    [65, '21'],
    [1056, '00'],
    [1057, '111'],
  ])('%i is %s', (number, text) => expect(bijective32(number)).toBe(text));

  it('are all different and begin at 1', () => {
    expect(new Set(Array.from({ length: 5_000 }, (_unused, i) => bijective32(i + 1))).size).toBe(5_000);
    expect(() => bijective32(0)).toThrow(RangeError);
    expect(() => bijective32(1.5)).toThrow(RangeError);
  });
});

describe('layouts', () => {
  const area = { x: 0, y: 0, width: 80, height: 24 };

  it('fill the area without gap or overlap, whatever was split', () => {
    const steps = fc.array(
      fc.record({ at: fc.nat(), right: fc.boolean(), ratio: fc.double({ min: 0, max: 1, noNaN: true }) }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(steps, (splits) => {
        let layout: Layout = { pane: 'p0' };
        splits.forEach(({ at, right, ratio }, index) => {
          const panes = leaves(layout);
          layout = splitPane(layout, panes[at % panes.length] ?? '', `p${index + 1}`, right ? 'right' : 'down', ratio);
        });
        const rects = [...arrange(layout, area).panes.values()];
        expect(rects.length).toBe(splits.length + 1);
        expect(rects.reduce((sum, rect) => sum + rect.width * rect.height, 0)).toBe(80 * 24);
        let rest: Layout | undefined = layout;
        for (const pane of leaves(layout)) rest = rest && withoutPane(rest, pane);
        expect(rest).toBeUndefined();
      }),
    );
  });

  it('give a closed pane’s room to its neighbour', () => {
    const layout = splitPane(splitPane({ pane: 'a' }, 'a', 'b', 'right', 0.5), 'b', 'c', 'down', 0.5);
    expect(withoutPane(layout, 'b')).toEqual(splitPane({ pane: 'a' }, 'a', 'c', 'right', 0.5));
  });
});

describe('processes', () => {
  const process = (pid: number, name: string, argv: string[], agentHint?: string): ProcessFacts => ({
    pid,
    name,
    argv,
    ...(agentHint === undefined ? {} : { agentHint }),
  });

  const groups: [string, ProcessFacts[], string | undefined][] = [
    ['a program', [process(1, 'codex', ['codex'])], 'codex'],
    ['a path', [process(1, 'claude', ['/opt/bin/claude', '--resume'])], 'claude'],
    ['a shell script', [process(1, 'pi', ['/bin/sh', '/x/pi'])], 'pi'],
    ['a script of a shell', [process(1, 'sh', ['sh', 'bin/pi'])], 'pi'],
    ['a script behind node', [process(1, 'node', ['node', '--require', 'x', '/x/gemini.js'])], 'gemini'],
    ['node’s main thread', [process(1, 'MainThread', ['node', '/x/bin/copilot'])], 'copilot'],
    ['a python module', [process(1, 'python3.12', ['python3.12', '-m', 'hermes'])], 'hermes'],
    ['a command of env', [process(1, 'env', ['env', 'A=1', 'node', '/x/opencode'])], 'opencode'],
    ['a renamed argv[0]', [process(1, 'node', ['cursor-agent', 'index.js'])], 'cursor'],
    ['a login dash', [process(1, 'bash', ['-bash'])], undefined],
    ['an editor on a file of that name', [process(1, 'vim', ['vim', 'claude'])], undefined],
    ['program text', [process(1, 'sh', ['sh', '-c', 'echo pi'])], undefined],
    ['a hint', [process(1, 'wrapper', ['wrapper'], 'claude-code')], 'claude'],
    ['a hint that is none', [process(1, 'wrapper', ['wrapper'], 'nobody')], undefined],
    ['a leader before its children', [process(1, 'claude', ['claude']), process(2, 'codex', ['codex'])], 'claude'],
    [
      'a child’s hint behind a known leader',
      [process(1, 'claude', ['claude']), process(2, 'x', ['x'], 'codex')],
      'claude',
    ],
    ['a child’s hint behind an unknown one', [process(1, 'make', ['make']), process(2, 'x', ['x'], 'codex')], 'codex'],
    ['nobody', [], undefined],
  ];
  it.each(groups)('are recognised: %s', (_what, group, label) => {
    expect(recogniseAgent(group)?.label).toBe(label);
  });

  it('find no script where there is none', () => {
    expect(scriptBehind(['node'])).toBeUndefined();
    expect(scriptBehind(['node', '-e', '1', 'pi'])).toBeUndefined();
    expect(scriptBehind(['bun', 'run', 'pi'])).toBe('pi');
    expect(isStartShell('-zsh') && isStartShell('fish') && !isStartShell('node')).toBe(true);
  });

  it('are read from Linux and macOS as they print them', () => {
    expect(parseStat('42 (a (b) c) S 1 40 39 34816 41 4194304')).toEqual({
      pid: 42,
      name: 'a (b) c',
      state: 'S',
      pgid: 40,
      session: 39,
      foreground: 41,
    });
    expect(parseStat('nonsense')).toBeUndefined();
    const rows = parsePs(
      '  71   71   90 ttys001 Ss   -zsh\n  90   90   90 ttys001 S+   node /x/bin/pi --a b\n  91   91   90 ttys001 Z+   (gone)\n',
    );
    expect(rows.map(({ pid, foreground, tty, command }) => ({ pid, foreground, tty, command }))).toEqual([
      { pid: 71, foreground: 90, tty: 'ttys001', command: 'zsh' },
      { pid: 90, foreground: 90, tty: 'ttys001', command: 'node' },
    ]);
    expect(parseLsofCwd('p71\nfcwd\nn/Users/kim\np90\nfcwd\nn/srv/a b\n')).toEqual(
      new Map([
        [71, '/Users/kim'],
        [90, '/srv/a b'],
      ]),
    );
  });
});

describe('words', () => {
  it('reach the shell as they are', () => {
    expect(quoted('a-Z_0@%+=:,./')).toBe('a-Z_0@%+=:,./');
    expect(quoted("it's")).toBe(`'it'\\''s'`);
    expect(quoted('')).toBe("''");
    expect(quoted('$(rm)')).toBe("'$(rm)'");
  });

  it('of a request are taken apart, and no line is an exception', () => {
    expect(parseRequest('{"id":"a","method":"ping","params":{}}')).toEqual({ id: 'a', method: 'ping', params: {} });
    expect(
      parseRequest('{"id":"a","method":"m","params":{"x":{"k":1},"y":[{"k":1},{"k":2}],"s":"\\"k\\":"}}'),
    ).toMatchObject({ id: 'a' });
    expect(parseRequest('{"id":"a","method":"m","params":{"k":1,"\\u006b":2}}')).toContain('"k"');
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (line) => {
        const parsed = parseRequest(line);
        expect(typeof parsed === 'string' ? parsed !== '' : typeof parsed.id === 'string').toBe(true);
      }),
    );
  });
});

describe('titles and directories', () => {
  it.each([
    ['✳ Fix rounding', 'Fix rounding', false],
    ['⠙ Fix rounding', 'Fix rounding', true],
    ['◐ build', 'build', true],
    ['Fix - rounding', 'Fix - rounding', false],
    ['⠙', '⠙', true],
    ['', '', false],
  ])('%j is %j', (title, stripped, spins) => {
    expect(strippedTitle(title)).toBe(stripped);
    expect(titleSpins(title)).toBe(spins);
  });

  it('are taken from what shells report', () => {
    expect(reportedDirectory('file://host/a%20b')).toBe('/a b');
    expect(reportedDirectory('file:///a')).toBe('/a');
    expect(reportedDirectory('file:///%zz')).toBe('/%zz');
    expect(reportedDirectory('/plain')).toBe('/plain');
    expect(reportedDirectory('kitty-shell-cwd://host/a')).toBeUndefined();
  });
});

describe('matches', () => {
  const first = (type: 'substring' | 'regex', value: string, text: string) => {
    const made = lineMatcher({ type, value });
    return made.ok ? made.matches(text) : made.reason;
  };
  it('go line by line, in Rust’s dialect', () => {
    expect(first('substring', 'b', 'a\nab\nb\n')).toBe('ab');
    expect(first('regex', '^b$', 'a\nab\nb\n')).toBe('b');
    expect(first('regex', '(?i)^B$', 'b\n')).toBe('b');
    expect(first('regex', '(?P<n>\\d+) \\p{L}', 'x\n12 ä\n')).toBe('12 ä');
    expect(first('regex', '^$', '\n')).toBe('');
    expect(first('regex', '[(?=]', '(\n')).toBe('(');
    expect(first('regex', 'none', 'a\n')).toBeUndefined();
  });
  it.each(['(', '(?=a)', '(?<!a)b', '(a)\\1', '(?<n>a)\\k<n>'])('refuse %s', (pattern) => {
    expect(lineMatcher({ type: 'regex', value: pattern }).ok).toBe(false);
  });
});

describe('git’s list of worktrees', () => {
  it('is read with its branches, and the first is the main one', () => {
    const text = [
      'worktree /srv/a\0HEAD 1\0branch refs/heads/main\0\0',
      'worktree /srv/a b\0HEAD 2\0detached\0\0',
      'worktree /srv/c\0HEAD 3\0branch refs/heads/fix/x\0prunable gone\0\0',
    ].join('');
    expect(
      parseWorktrees(text).map(({ path, branch, isLinked, isDetached, isPrunable }) => ({
        path,
        branch,
        isLinked,
        isDetached,
        isPrunable,
      })),
    ).toEqual([
      { path: '/srv/a', branch: 'main', isLinked: false, isDetached: false, isPrunable: false },
      { path: '/srv/a b', branch: undefined, isLinked: true, isDetached: true, isPrunable: false },
      { path: '/srv/c', branch: 'fix/x', isLinked: true, isDetached: false, isPrunable: true },
    ]);
    expect(parseWorktrees('worktree /srv/bare\0bare\0\0')[0]?.isBare).toBe(true);
  });

  it('gets a name for a branch that nobody named', () => {
    expect(generatedBranch('0123456789ab')).toMatch(/^worktree\/[a-z]+-[a-z]+-012345$/);
  });
});

describe('the compatibility page', () => {
  const run: Run = {
    version: '0.8.2',
    date: '2026-08-22',
    passed: 60,
    failed: ['events > a | b'],
    skipped: 2,
    differences: ['slow-regex'],
    turnIdentity: 'no',
  };
  it('tells every run, newest version first, and can be read again', () => {
    const page = compatibilityPage([
      { ...run, version: '0.7.5', failed: [] },
      run,
      { ...run, version: '0.10.0', failed: [] },
    ]);
    expect(runsOn(page).map(({ version }) => version)).toEqual(['0.10.0', '0.8.2', '0.7.5']);
    expect(page).toContain('| 0.8.2 | 2026-08-22 | 60 | 1 | 2 | no |');
    expect(page).toContain('- 0.8.2: events > a | b');
    expect(page).toContain('**slow-regex**');
    expect(runsOn('# something else')).toEqual([]);
  });
});
