/** What the pages tell their reader: commands that exist with those options, links and pictures that are there. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ArgsDef } from 'citty';
import { describe, expect, it } from 'vitest';
import type { Command } from '../../cli/command.ts';
import { herdrMcp } from '../../cli/commands.ts';
import { verifies } from '../verifies.ts';
import { commandsIn, spelledOut } from './commands.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const PAGES = [
  'README.md',
  'README.ja.md',
  'CHANGELOG.md',
  'bench/README.md',
  'extension/README.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const read = (page: string) => readFileSync(join(ROOT, page), 'utf8');
const scripts = (JSON.parse(read('package.json')) as { scripts: Record<string, string> }).scripts;

/** Why a line of `herdr-mcp` cannot be run as it stands there, or null. */
function wrong(words: readonly string[]): string | null {
  let command = herdrMcp as unknown as Command;
  const rest = [...words];
  for (let below = subCommands(command); below !== undefined; below = subCommands(command)) {
    const [word] = rest;
    if (word === undefined || word.startsWith('--') || /^[…[<(]/.test(word)) break;
    const next = below[word];
    if (next === undefined) return `there is no "${word}"`;
    rest.shift();
    command = next;
  }
  const args = (command.args ?? {}) as ArgsDef;
  const known = new Set(
    Object.entries(args).flatMap(([name, one]) => [name, ...('alias' in one ? [one.alias ?? []].flat() : [])]),
  );
  for (const word of rest) {
    const option = /^\[?--?([a-z][a-z-]*)/.exec(word)?.[1];
    if (word === '--') break;
    if (option !== undefined && option !== 'help' && !known.has(option)) return `there is no option --${option}`;
  }
  return null;
}

const subCommands = (command: Command) => command.subCommands as Record<string, Command> | undefined;

/** Why a told command cannot be run, or null. */
function problem(text: string): string | null {
  const words = text.replace(/"[^"]*"/g, '"…"').split(/\s+/);
  const ours = text.startsWith('npm run herdr-mcp --') ? words.slice(4) : words.slice(1);
  if (words[0] === 'herdr-mcp' || text.startsWith('npm run herdr-mcp --')) {
    return (
      spelledOut(ours)
        .map(wrong)
        .find((reason) => reason !== null) ?? null
    );
  }
  const script = words[1] === 'run' ? words[2] : words[1];
  if (script === 'install' || script === 'pack') return null;
  return script !== undefined && scripts[script] !== undefined ? null : `there is no script ${script}`;
}

describe('every command on a page', () => {
  it.each(PAGES)('of %s exists with its options', (page) => {
    verifies('docs.true');
    const told = commandsIn(page, read(page));
    expect(told.flatMap(({ text }) => (problem(text) === null ? [] : [`${text}: ${problem(text)}`]))).toEqual([]);
  });

  it('is found where one stands, and refused where it is wrong', () => {
    const page =
      'Say `herdr-mcp herdr ls|reed`.\n```sh\nherdr-mcp connector approve --reed-only   # x\nnpm run nothing\n```\n';
    expect(commandsIn('x', page).map(({ text }) => problem(text))).toEqual([
      'there is no option --reed-only',
      'there is no script nothing',
      'there is no "reed"',
    ]);
    expect(commandsIn('README.md', read('README.md')).length).toBeGreaterThan(30);
  });
});

describe('every link on a page', () => {
  it.each(PAGES)('of %s leads to something that is there', (page) => {
    verifies('docs.true');
    const links = [...read(page).matchAll(/\]\((?!https?:|#)([^)#\s]+)[^)]*\)/g)].map(([, link = '']) => link);
    expect(links.filter((link) => !existsSync(join(ROOT, dirname(page), link)))).toEqual([]);
  });
});

describe('README.ja.md', () => {
  it('has the sections of README.md, and the same commands in them', () => {
    verifies('docs.true');
    const [en, ja] = [read('README.md'), read('README.ja.md')];
    const sections = (text: string) => text.split('\n').filter((line) => /^##? /.test(line)).length;
    expect(sections(ja)).toBe(sections(en));
    const fenced = (text: string) =>
      [...text.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) =>
        block.split('\n').map((line) => line.replace(/\s+#.*$/, '')),
      );
    expect(fenced(ja)).toEqual(fenced(en));
  });
});

describe('CHANGELOG.md', () => {
  it('begins with this version', () => {
    verifies('docs.true');
    const { version } = JSON.parse(read('package.json')) as { version: string };
    expect(/^## (\S+)/m.exec(read('CHANGELOG.md'))?.[1]).toBe(version);
  });
});
