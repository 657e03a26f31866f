/** `herdr-mcp logs`: the last lines of what the processes of this workstation wrote, and what they write next. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { LocalError } from '../../local/error/index.ts';
import { resolveStateDir, statePaths } from '../../local/paths/index.ts';
import { action } from '../command.ts';
import { UsageError } from '../exit.ts';
import { say } from '../terminal/index.ts';
import { lastLines, Tail } from './tail.ts';

/** Lines of each log when none is asked for: a screen. */
const LINES = 40;
/** The most that are kept in memory of one log. */
const LINES_MAX = 10_000;
/** How often a followed log is looked at, in ms. */
const FOLLOW_MS = 250;

export const logs = action(
  'logs',
  'What runtime, link, Herdr and supervisor wrote last',
  {
    name: { type: 'positional', required: false, description: 'One of them, for example link; all when absent' },
    lines: { type: 'string', alias: 'n', description: `How many lines of each; ${LINES} when absent` },
    follow: { type: 'boolean', alias: 'f', description: 'Go on with what is written next, until Ctrl-C' },
  },
  async (args) => {
    const folder = statePaths(resolveStateDir(process.env)).logs;
    const names = logsIn(folder, args.name);
    const count = args.lines === undefined ? LINES : Number(args.lines);
    if (!Number.isInteger(count) || count < 0 || count > LINES_MAX)
      throw new UsageError(`--lines is 0 to ${LINES_MAX}.`);
    const head = (name: string) => (names.length > 1 ? `${name.padEnd(14)} ` : '');
    for (const name of names) {
      for (const line of await lastLines(join(folder, `${name}.log`), count)) say(`${head(name)}${line}`);
    }
    if (!args.follow) return;
    const tails = names.map((name) => ({ name, tail: new Tail(join(folder, `${name}.log`)) }));
    const ended = new Promise<void>((resolve) => process.once('SIGINT', resolve));
    let going = true;
    void ended.then(() => {
      going = false;
    });
    while (going) {
      for (const { name, tail } of tails) for (const line of tail.more()) say(`${head(name)}${line}`);
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, FOLLOW_MS))]);
    }
  },
);

/** The logs that are there, or the one that is named. */
function logsIn(folder: string, named: string | undefined): string[] {
  const there = existsSync(folder)
    ? readdirSync(folder)
        .filter((file) => file.endsWith('.log'))
        .map((file) => file.slice(0, -'.log'.length))
        .sort()
    : [];
  if (named === undefined && there.length > 0) return there;
  if (named !== undefined && there.includes(named)) return [named];
  throw new LocalError(
    'no_log',
    named === undefined ? `${folder} holds no log yet.` : `There is no log called ${named} in ${folder}.`,
    there.length > 0 ? `There are: ${there.join(', ')}.` : 'They appear when herdr-mcp up has run.',
  );
}
