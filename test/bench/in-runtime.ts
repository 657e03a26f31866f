/** Rows that are measured in the runtime process: a command, and the overview of a large workstation. */
import { execFileSync, spawn } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { tempFolder } from '../runtime-a-b/support/index.ts';
import { answerIn, type InProcess, inProcess } from './in-process.ts';
import { compare } from './measure.ts';
import { differenceRow, type Row, ratioRow } from './table.ts';

/** P4: `true` with ledger, files and wrapper, beside a shell on open pipes that nobody keeps anything of. */
export async function runTrue(): Promise<Row> {
  const folder = tempFolder('hm-exec-');
  const runtime = await inProcess([[folder.path]]);
  try {
    const args = { workspace: 'w1', command: 'true' };
    const { exit_code } = answerIn(await runtime.call('herdr_exec', args));
    if (exit_code !== 0) throw new Error(`true ended with ${String(exit_code)}`);
    const comparison = await compare({
      ours: () => runtime.call('herdr_exec', args),
      floor: bareShell,
      calls: 50,
      warmUp: 30,
    });
    return differenceRow({ id: 'P4', what: 'herdr_exec of true, ledger on', beside: 'bash -c true' }, comparison, 2);
  } finally {
    await runtime.close();
    folder.remove();
  }
}

function bareShell(): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-c', 'true'], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.resume();
    child.stderr.resume();
    child.once('error', reject);
    child.once('close', () => resolve());
  });
}

/** So long without a new process, and the hints about all roots have come in; Git asks for one of them take far less. */
const QUIET_MS = 1_000;

/** Calls until the runtime has asked Git about everything that it will ask about. */
async function untilQuiet(runtime: InProcess, spawned: () => number): Promise<void> {
  for (let before = -1; before !== spawned(); ) {
    before = spawned();
    await runtime.call('herdr_inspect', {});
    await sleep(QUIET_MS);
  }
}

const WORKSPACES = 50;
const PANES = 10;
const ROOTS = 2;
const CHARACTERS_MAX = 100_000;

/** P5: the overview when nothing changed, beside writing the same answer as JSON. No process may be spawned for it. */
export async function inspectLarge(): Promise<Row> {
  const folder = tempFolder('hm-inspect-');
  const workspaces = Array.from({ length: WORKSPACES }, (_, w) => {
    const roots = Array.from({ length: ROOTS }, (_, r) => join(folder.path, `w${w + 1}-${r + 1}`));
    for (const root of roots) {
      mkdirSync(root);
      execFileSync('git', ['init', '-q', '-b', 'main', root]);
    }
    return Array.from({ length: PANES }, (_, p) => roots[p % ROOTS] ?? folder.path);
  });
  const runtime = await inProcess(workspaces);
  let spawned = 0;
  const count = () => {
    spawned += 1;
  };
  try {
    subscribe('child_process', count);
    await untilQuiet(runtime, () => spawned);
    spawned = 0;
    const answer = answerIn(await runtime.call('herdr_inspect', {}));
    const characters = JSON.stringify(answer).length;
    const comparison = await compare({
      ours: () => runtime.call('herdr_inspect', {}),
      floor: async () => JSON.stringify(answer),
      calls: 100,
      warmUp: 50,
    });
    const row = ratioRow(
      { id: 'P5', what: 'herdr_inspect: 50 workspaces, 500 panes, 100 roots', beside: 'JSON.stringify of it' },
      comparison,
      { p50: 4 },
      { characters, 'processes spawned': spawned },
    );
    const bounded = characters <= CHARACTERS_MAX && spawned === 0;
    return { ...row, bar: `${row.bar}, ≤ 100,000 characters, 0 processes`, held: row.held && bounded };
  } finally {
    unsubscribe('child_process', count);
    await runtime.close();
    folder.remove();
  }
}
