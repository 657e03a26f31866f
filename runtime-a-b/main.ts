/**
 * One generation of the local runtime as a process:
 * `--port N --generation a|b --state-dir DIR [--herdr-socket PATH] [--parent-pid N]`.
 *
 * Prints one JSON line when it is ready and stops on SIGTERM. Node's version is looked at before anything else is
 * loaded, because the database's binary crashes an old one.
 */
import { parseArgs } from 'node:util';
import { LocalError } from '../local/error/index.ts';
import { requireNode } from '../local/version/index.ts';
import type { RuntimeOptions } from './runtime.ts';

const USAGE = 'usage: runtime --port N --generation a|b --state-dir DIR [--herdr-socket PATH] [--parent-pid N]';

function options(): RuntimeOptions | undefined {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    options: { port: text, generation: text, 'state-dir': text, 'herdr-socket': text, 'parent-pid': text },
  });
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
  let given: RuntimeOptions | undefined;
  try {
    given = options();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  if (!given) {
    process.stderr.write(`${USAGE}\n`);
    return 2;
  }
  const { startRuntime } = await import('./runtime.ts');
  const runtime = await startRuntime(given, { env: process.env });
  process.stdout.write(`${JSON.stringify({ ready: true, ...runtime.record })}\n`);
  await runtime.stopped;
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
