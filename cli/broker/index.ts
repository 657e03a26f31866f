/**
 * `herdr-mcp broker …`: the folder broker, which reads protected folders for the runtime. It is started once, by a person or
 * a service, from a terminal or a program that may read them; a newer herdr-mcp goes on using it as long as its revision
 * serves.
 */
import { spawn } from 'node:child_process';
import { constants, homedir } from 'node:os';
import { join } from 'node:path';
import { BROKER_REVISION } from '../../contract/broker.ts';
import { protectedFolders, readConfig } from '../../local/config/index.ts';
import { resolveStateDir, statePaths } from '../../local/paths/index.ts';
import { action, group } from '../command.ts';
import { say, sayJson } from '../terminal/index.ts';
import { greeting } from './greeting.ts';

const status = action(
  'status',
  'Which folders are protected, and whether a broker serves them',
  { json: { type: 'boolean', description: 'Answer in JSON' } },
  async (args) => {
    const paths = statePaths(resolveStateDir(process.env));
    const folders = protectedFolders((await readConfig(paths.config)).policy ?? {}, {
      homeDir: homedir(),
      platform: process.platform,
      list: process.env.HERDR_MCP_PROTECTED_FOLDERS,
    });
    const revision = await greeting(paths.brokerSocket);
    const report = { folders, running: revision !== undefined, revision: revision ?? null, needed: BROKER_REVISION };
    const serves = folders.length === 0 || (revision !== undefined && revision >= BROKER_REVISION);
    process.exitCode = serves ? 0 : 1;
    if (args.json) return sayJson({ ...report, serves, socket: paths.brokerSocket });
    if (folders.length === 0) return say('No folder is protected, so no broker is needed.');
    say(`Protected: ${folders.join(', ')}`);
    say(sentence(revision));
  },
);

function sentence(revision: number | undefined): string {
  if (revision === undefined) return 'No broker runs, so these folders cannot be read. Start it: herdr-mcp broker run';
  if (revision >= BROKER_REVISION) return `A broker of revision ${revision} serves them.`;
  return `The broker that runs has revision ${revision}; ${BROKER_REVISION} is needed. Replace it: herdr-mcp broker run --replace`;
}

const run = action(
  'run',
  'Read protected folders for the runtime, in the foreground, until Ctrl-C',
  { replace: { type: 'boolean', description: 'Take the place of a broker that runs' } },
  async (args) => {
    const program = join(import.meta.dirname, 'herdr-broker.js');
    const more = args.replace ? ['--replace'] : [];
    const child = spawn(process.execPath, [program, '--state-dir', resolveStateDir(process.env), ...more], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => child.kill(name));
    process.exitCode = await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
    });
  },
);

/** `herdr-mcp broker …` */
export const broker = group('broker', 'The reader of protected folders', { run, status });
