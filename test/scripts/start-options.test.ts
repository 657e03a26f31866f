import { describe, expect, it } from 'vitest';
import { launchersOf } from '../../scripts/start/asked.ts';
import { readOptions } from '../../scripts/start/options.ts';

const ADDRESS = `https://edge.example/pair#pair_${'0'.repeat(32)}`;
const read = (args: string[], env: Record<string, string> = {}) => readOptions(args, env, '/home/me/project');

describe('the command line of npm start', () => {
  const folder = '/home/me/project';
  it.each<[string, string[], Record<string, string>, object]>([
    ['nothing', [], {}, { help: false, folder }],
    ['a folder and a port', ['sub', '--port', '9000'], {}, { help: false, folder: `${folder}/sub`, port: 9000 }],
    ['an edge', ['--edge', 'https://edge.example/'], {}, { help: false, folder, edge: 'https://edge.example' }],
    ['its MCP URL', ['--edge', 'https://edge.example/mcp'], {}, { help: false, folder, edge: 'https://edge.example' }],
    ['one on this machine', ['--edge', 'http://[::1]:80/'], {}, { help: false, folder, edge: 'http://[::1]' }],
    [
      'the environment',
      [],
      { HERDR_MCP_EDGE: 'https://e.example' },
      { help: false, folder, edge: 'https://e.example' },
    ],
    ['an empty environment', [], { HERDR_MCP_EDGE: '' }, { help: false, folder }],
    [
      'the option before the environment',
      ['--edge', 'https://a.example'],
      { HERDR_MCP_EDGE: 'https://b.example' },
      { help: false, folder, edge: 'https://a.example' },
    ],
    [
      'a pairing address alone',
      ['--pair', ADDRESS],
      {},
      { help: false, folder, edge: 'https://edge.example', pair: ADDRESS },
    ],
    ['a wish for help', ['--help'], {}, { help: true, folder }],
  ])('understands %s', (_, args, env, asked) => {
    expect(read(args, env)).toEqual(asked);
  });

  it.each<[string, string[], RegExp]>([
    ['two folders', ['a', 'b'], /"b" is one word too many/],
    ['a port that is none', ['--port', '0'], /--port 0 is no port/],
    ['an unknown option', ['--egde', 'x'], /--egde/],
    ['an edge without a scheme', ['--edge', 'edge.example'], /"edge\.example" is no address of an edge/],
    ['another scheme', ['--edge', 'ftp://edge.example'], /no address of an edge/],
    ['a path', ['--edge', 'https://edge.example/x'], /no address of an edge/],
    ['a name and password', ['--edge', 'https://a:b@edge.example'], /no address of an edge/],
    ['plain http elsewhere', ['--edge', 'http://edge.example'], /in plain text\. Nothing was started\./],
    ['an edge and a port', ['--edge', 'https://edge.example', '--port', '1'], /--port is for the edge on this machine/],
    ['no pairing address', ['--pair', 'https://edge.example'], /no pairing address/],
    [
      'a pairing with another edge',
      ['--edge', 'https://b.example', '--pair', ADDRESS],
      /is of https:\/\/edge\.example, not of/,
    ],
  ])('refuses %s', (_, args, sentence) => {
    expect(() => read(args)).toThrow(sentence);
    expect(() => read(args)).toThrow(expect.objectContaining({ next: expect.stringMatching(/\w/) }));
  });
});

describe('who started npm start', () => {
  const chain = (...above: [number, string][]) => {
    const known = new Map(above.map(([pid, title], n) => [pid, [above[n + 1]?.[0] ?? 1, title] as [number, string]]));
    return launchersOf(above[0]?.[0] ?? 1, (pid) => known.get(pid));
  };
  it.each<[string, [number, string][], number[]]>([
    [
      'npm itself',
      [
        [30, 'npm start'],
        [20, 'bash'],
      ],
      [30],
    ],
    [
      'a shell of npm',
      [
        [40, 'sh -c node scripts/bootstrap.mjs scripts/start.ts'],
        [30, 'npm start'],
        [20, 'bash'],
      ],
      [40, 30],
    ],
    [
      'an older Node',
      [
        [50, 'node scripts/bootstrap.mjs'],
        [40, 'sh -c node'],
        [30, '/opt/x/npm start'],
      ],
      [50, 40, 30],
    ],
    [
      'npm by its script',
      [
        [40, 'sh -c x'],
        [30, 'node /usr/lib/npm/bin/npm-cli.js start'],
      ],
      [40, 30],
    ],
    [
      'a shell of a person',
      [
        [20, '-bash'],
        [10, 'sshd'],
      ],
      [],
    ],
    ['nobody that is known', [], []],
  ])('%s', (_, above, watched) => {
    expect(chain(...above)).toEqual(watched);
  });
});
