/** Rows that read a whole tree, each beside the program that does the reading. */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rgPath } from '@vscode/ripgrep';
import { rgArguments } from '../../runtime-a-b/tools/files/grep.ts';
import { tempFolder } from '../runtime-a-b/support/index.ts';
import { answerIn, inProcess } from './in-process.ts';
import { compare } from './measure.ts';
import { type Row, ratioRow } from './table.ts';

const run = promisify(execFile);

/** What a program may print before it counts as broken, in bytes. */
const PRINTED_MAX = 64 * 1024 * 1024;

const GREP_FILES = 20_000;
const STATUS_FILES = 5_000;
/** Files that the search finds: few enough that nothing is cut. */
const HITS = 40;

/** P3: the handler with ledger, roots and verdict around it, beside ripgrep with the very same arguments. */
export async function grepManyFiles(): Promise<Row> {
  const tree = fillTree(
    GREP_FILES,
    (i) => `line one\n${i % (GREP_FILES / HITS) === 0 ? 'a needle here' : 'hay'}\nend\n`,
  );
  const runtime = await inProcess([[tree.path]]);
  try {
    const args = { root: tree.path, pattern: 'needle' };
    const first = answerIn(await runtime.call('herdr_fs_grep', args));
    if (first.count !== HITS) throw new Error(`${String(first.count)} matches instead of ${HITS}`);
    const root = { path: tree.path, kind: 'operational' } as Parameters<typeof rgArguments>[0]['root'];
    const rg = rgArguments({ root }, args, undefined);
    const comparison = await compare({
      ours: () => runtime.call('herdr_fs_grep', args),
      floor: () => run(rgPath, rg, { cwd: tree.path, maxBuffer: PRINTED_MAX }),
      calls: 10,
      warmUp: 3,
    });
    return ratioRow({ id: 'P3', what: 'herdr_fs_grep over 20,000 files', beside: 'rg, same arguments' }, comparison, {
      p50: 1.15,
    });
  } finally {
    await runtime.close();
    tree.remove();
  }
}

/** P6: beside Git with the same question. */
export async function statusOfManyFiles(): Promise<Row> {
  const tree = fillTree(STATUS_FILES, (i) => `file ${i}\n`);
  const git = (...args: string[]) => run('git', args, { cwd: tree.path, maxBuffer: PRINTED_MAX });
  await git('init', '-q', '-b', 'main');
  await git('add', '.');
  await git('-c', 'user.name=bench', '-c', 'user.email=bench@example.org', 'commit', '-qm', 'first');
  for (let i = 0; i < HITS; i++) writeFileSync(join(tree.path, nameOf(i * 100)), 'changed\n');
  const runtime = await inProcess([[tree.path]]);
  try {
    const args = { root: tree.path, action: 'status' };
    const { clean } = answerIn(await runtime.call('herdr_git', args));
    if (clean !== false) throw new Error('the changes were not seen');
    const comparison = await compare({
      ours: () => runtime.call('herdr_git', args),
      floor: () => git('--no-optional-locks', 'status', '--porcelain=v2', '--branch', '--show-stash', '-z'),
      calls: 20,
      warmUp: 5,
    });
    return ratioRow(
      { id: 'P6', what: 'herdr_git status, 5,000 files', beside: 'git status, same format' },
      comparison,
      { p50: 1.2 },
    );
  } finally {
    await runtime.close();
    tree.remove();
  }
}

const nameOf = (i: number) => `d${i % 100}/f${i}.txt`;

function fillTree(files: number, contentOf: (i: number) => string): ReturnType<typeof tempFolder> {
  const tree = tempFolder('hm-tree-');
  for (let i = 0; i < 100; i++) mkdirSync(join(tree.path, `d${i}`));
  for (let i = 0; i < files; i++) writeFileSync(join(tree.path, nameOf(i)), contentOf(i));
  return tree;
}
