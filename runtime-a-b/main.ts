/**
 * One generation of the local runtime as a process:
 * `--port N --generation a|b --state-dir DIR [--herdr-socket PATH] [--parent-pid N]`.
 *
 * Prints one JSON line when it is ready and stops on SIGTERM. Node's version is looked at before anything else is
 * loaded, because the database's binary crashes an old one.
 *
 * Two questions that a supervisor asks before it starts one, each answered with one JSON line: `--describe` says which
 * version, contract and schema this program is; `--migrate --state-dir DIR` brings the database up to date after a copy.
 */
import { readOptions } from '../local/arguments/index.ts';
import { LocalError } from '../local/error/index.ts';
import { requireNode } from '../local/version/index.ts';
import type { RuntimeOptions } from './runtime.ts';

const USAGE = `usage: runtime --port N --generation a|b --state-dir DIR [--herdr-socket PATH] [--parent-pid N]
       runtime --describe
       runtime --migrate --state-dir DIR`;

type Asked = RuntimeOptions | 'describe' | { migrate: string };

function options(): Asked | undefined {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const values = readOptions({
    ...{ port: text, generation: text, 'state-dir': text, 'herdr-socket': text, 'parent-pid': text },
    ...{ describe: flag, migrate: flag },
  });
  if (values === undefined) return undefined;
  if (values.describe) return 'describe';
  if (values.migrate) return values['state-dir'] ? { migrate: values['state-dir'] } : undefined;
  const { generation, 'state-dir': stateDir, 'herdr-socket': herdrSocket } = values;
  const port = whole(values.port, 65_535);
  const parentPid = whole(values['parent-pid'], Number.MAX_SAFE_INTEGER);
  if (port === undefined || (generation !== 'a' && generation !== 'b') || !stateDir) return undefined;
  if (values['parent-pid'] !== undefined && !parentPid) return undefined;
  return {
    port,
    generation,
    stateDir,
    ...(herdrSocket === undefined ? {} : { herdrSocket }),
    ...(parentPid === undefined ? {} : { parentPid }),
  };
}

function whole(text: string | undefined, max: number): number | undefined {
  if (text === undefined || !/^\d{1,16}$/.test(text)) return undefined;
  return Number(text) <= max ? Number(text) : undefined;
}

async function main(): Promise<number> {
  requireNode();
  const given = options();
  if (!given) {
    process.stderr.write(`${USAGE}\n`);
    return 2;
  }
  if (given === 'describe') {
    const { describe } = await import('./said.ts');
    return print(describe());
  }
  if ('migrate' in given) {
    const { migrateState } = await import('./state/index.ts');
    return print(migrateState(given.migrate));
  }
  const { startRuntime } = await import('./runtime.ts');
  const runtime = await startRuntime(given, { env: process.env });
  print({ ready: true, ...runtime.record });
  await runtime.stopped;
  return 0;
}

function print(line: object): number {
  process.stdout.write(`${JSON.stringify(line)}\n`);
  return 0;
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    if (!(error instanceof LocalError)) throw error;
    process.stderr.write(`${error.sentence}\n`);
    process.exitCode = 1;
  },
);
