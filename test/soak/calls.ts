/** The mix of calls: each does one thing, checks what came back, and remembers what has to be in the files at the end. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Body, Connector } from './connector.ts';
import { LARGE_LINES, LOOK_MS, SLOTS } from './limits.ts';
import type { SoakStage } from './stage.ts';

type Call = (connector: Connector, n: number) => Promise<void>;

export interface Mix {
  /** The n-th call. Throws with what was wrong. */
  one(connector: Connector, n: number): Promise<void>;
  /** What is in the files twice, or not at all though its call was well. */
  doubled(): string[];
}

const CONFIRMED = { confirm_busy: true, confirm_dirty: true };

export function mixOf(stage: SoakStage): Mix {
  const { repository, workspace } = stage;
  const path = (name: string) => join(repository, name);
  /** Line → whether its call was well. */
  const appended = new Map<string, boolean>();
  const patched = new Map<string, boolean>();
  const cursors = new Map<Connector, number>();
  const exec = (connector: Connector, command: string) =>
    connector.call('herdr_exec', { workspace, command, confirm_busy: true });
  const noted = async (where: Map<string, boolean>, line: string, act: () => Promise<unknown>) => {
    where.set(line, false);
    await act();
    where.set(line, true);
  };

  const read: Call = async (connector) => {
    const { content: text } = await connector.call('herdr_fs_read', { path: path('sample.txt') });
    expectThat(String(text).includes('quick brown fox'), 'the file that was read', text);
  };
  const large: Call = async (connector) => {
    const args = { path: path('large.txt'), end_line: LARGE_LINES, max_bytes: 262_144 };
    const { content: text } = await connector.call('herdr_fs_read', args);
    expectThat(String(text).length >= LARGE_LINES * 4_000, 'all of the large file', String(text).length);
  };
  const list: Call = async (connector) => void (await connector.call('herdr_fs_list', { path: repository }));
  const grep: Call = async (connector) =>
    void (await connector.call('herdr_fs_grep', { root: repository, pattern: 'quick brown', max_matches: 5 }));
  const git: Call = async (connector) =>
    void (await connector.call('herdr_git', { root: repository, action: 'status' }));
  const inspect: Call = async (connector) => void (await connector.call('herdr_inspect', {}));
  const since: Call = async (connector) => {
    const { cursor } = await connector.call('herdr_since', { cursor: cursors.get(connector) ?? 0 });
    if (typeof cursor === 'number') cursors.set(connector, cursor);
  };
  const append: Call = async (connector, n) => {
    const line = `line ${n}`;
    await noted(appended, line, () => exec(connector, `echo '${line}' >> lines.txt`).then(wellDone));
  };
  const slow: Call = async (connector, n) => {
    const line = `slow ${n}`;
    await noted(appended, line, () => exec(connector, `sleep 4; echo '${line}' >> lines.txt`).then(wellDone));
  };
  const background: Call = async (connector, n) => {
    const { output } = wellDone(await exec(connector, `sleep 2 & echo begun ${n}`));
    expectThat(String(output) === `begun ${n}\n`, 'what was printed', output);
  };
  const longer: Call = async (connector, n) => {
    const line = `longer ${n}`;
    await noted(appended, line, async () => {
      const command = `sleep 3; echo '${line}' >> lines.txt; echo over`;
      const begun = await connector.ask('herdr_exec', { workspace, command, confirm_busy: true, timeout_ms: 500 });
      expectThat(begun['code'] === 'exec_timeout', 'exec_timeout', begun);
      await output(connector, String(begun['session_id']), 'over\n');
    });
  };
  const killed: Call = async (connector) => {
    const begun = await connector.call('herdr_exec_start', {
      root: repository,
      command: 'sleep 600',
      confirm_busy: true,
    });
    await connector.call('herdr_exec_kill', { session_id: begun['session_id'] });
  };
  const paged: Call = async (connector) => {
    const command = "head -c 300000 /dev/zero | tr '\\0' 'z'";
    const begun = await connector.call('herdr_exec_start', { root: repository, command, confirm_busy: true });
    await output(connector, String(begun['session_id']), 'z'.repeat(300_000));
  };
  const write: Call = async (connector, n) => {
    const name = `slot-${n % SLOTS}.txt`;
    const content = `content of ${n}\n`;
    await connector.call('herdr_fs_write', { path: path(name), content, overwrite: true, ...CONFIRMED });
    const there = readFileSync(path(name), 'utf8');
    expectThat(there === content, `${name} on the disk`, there);
  };
  const edit: Call = async (connector, n) => {
    const name = `edit-${n}.txt`;
    await connector.call('herdr_fs_write', { path: path(name), content: 'before\n', ...CONFIRMED });
    await connector.call('herdr_fs_edit', {
      ...{ path: path(name), old_string: 'before', new_string: 'before, after', ...CONFIRMED },
    });
    const there = readFileSync(path(name), 'utf8');
    expectThat(there === 'before, after\n', `${name} on the disk`, there);
    const gone = `*** Begin Patch\n*** Delete File: ${name}\n*** End Patch\n`;
    await connector.call('herdr_fs_patch', { root: repository, patch: gone, ...CONFIRMED });
  };
  const patch: Call = async (connector, n) => {
    const line = `patched ${n}`;
    const text = `*** Begin Patch\n*** Update File: patched.txt\n@@\n top\n+${line}\n*** End Patch\n`;
    await noted(patched, line, () => connector.call('herdr_fs_patch', { root: repository, patch: text, ...CONFIRMED }));
  };

  const weights: readonly (readonly [Call, number])[] = [
    ...([
      [read, 30],
      [large, 2],
      [list, 5],
      [grep, 4],
      [git, 5],
      [inspect, 6],
      [since, 8],
    ] as const),
    ...([
      [append, 12],
      [slow, 2],
      [background, 4],
      [longer, 2],
      [killed, 3],
      [paged, 2],
    ] as const),
    ...([
      [write, 8],
      [edit, 3],
      [patch, 4],
    ] as const),
  ];
  const mix = spread(weights);
  return {
    one: (connector, n) => (mix[n % mix.length] as Call)(connector, n),
    doubled: () => [...wrong(path('lines.txt'), appended), ...wrong(path('patched.txt'), patched)],
  };
}

/** Pages through the output of a command until it has ended, and holds it against what it has to be. */
async function output(connector: Connector, session: string, expected: string): Promise<void> {
  let whole = '';
  for (let offset = 0; ; ) {
    const page = await connector.call('herdr_exec_read', {
      session_id: session,
      stream: 'stdout',
      offset,
      limit: 131_072,
    });
    whole += String(page['text'] ?? '');
    const next = Number(page['next_offset'] ?? offset);
    if (page['running'] !== true && next === offset) break;
    if (next === offset) await sleep(LOOK_MS);
    offset = next;
  }
  expectThat(whole === expected, `${expected.length} characters of output`, whole.slice(-100));
}

function wellDone(body: Body): Body {
  expectThat(body['exit_code'] === 0, 'exit code 0', body);
  return body;
}

function expectThat(isSo: boolean, what: string, found: unknown): void {
  if (!isSo) throw new Error(`not ${what}: ${String(JSON.stringify(found)).slice(0, 300)}`);
}

/** Every call as often as its weight, none in a row of its own kind. */
function spread(weights: readonly (readonly [Call, number])[]): Call[] {
  return weights
    .flatMap(([call, weight]) => Array.from({ length: weight }, (_, i) => ({ call, at: (i + 0.5) / weight })))
    .toSorted((a, b) => a.at - b.at)
    .map(({ call }) => call);
}

function wrong(file: string, lines: ReadonlyMap<string, boolean>): string[] {
  const times = new Map<string, number>();
  for (const line of readFileSync(file, 'utf8').split('\n')) times.set(line, (times.get(line) ?? 0) + 1);
  return [...lines].flatMap(([line, isWell]) => {
    const count = times.get(line) ?? 0;
    return count > 1 || (isWell && count !== 1) ? [`"${line}" is there ${count} times`] : [];
  });
}
