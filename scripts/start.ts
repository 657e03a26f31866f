/**
 * `npm start [-- <repository>] [-- --port <number>]`: the whole product on this machine, already paired, with a workspace
 * on the current Git repository. All that it writes lies in `.herdr-mcp/` of the clone, or where HERDR_MCP_STATE_DIR
 * says. Ctrl-C ends all of it.
 */
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { LocalError } from '../local/error/index.ts';
import { build, ROOT } from './build/index.ts';
import { repositoryOf, runningSentences, startProduct } from './start/index.ts';
import { PARENT_CHECK_MS } from './start/limits.ts';

const say = (line: string) => console.log(line);
const stateDir = process.env['HERDR_MCP_STATE_DIR'] ?? join(ROOT, '.herdr-mcp');

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof LocalError)) throw error;
  console.error(error.sentence);
  process.exitCode = 1;
}

async function main(): Promise<number> {
  const { folder, port } = options();
  const repository = await repositoryOf(folder);
  const ended = whenAsked();
  await build({ say });
  if (ended.asked()) return 0;
  say('Starting edge, Herdr, runtime and link ...');
  const product = await startProduct({
    stateDir,
    repository,
    say,
    ...(port === undefined ? {} : { port }),
  });
  runningSentences(product, repository, ROOT).forEach(say);
  const why = await Promise.race([ended.promise, product.failed]);
  if (why === undefined) {
    say('Ending everything ...');
    await product.stop();
    return 0;
  }
  console.error(`${why}, so everything was ended. Logs: ${join(stateDir, 'logs')}`);
  return 1;
}

function options(): { folder: string; port?: number } {
  try {
    const { values, positionals } = parseArgs({ allowPositionals: true, options: { port: { type: 'string' } } });
    if (positionals.length > 1) throw new TypeError(`"${positionals[1]}" is one word too many`);
    const port = values.port === undefined ? undefined : Number(values.port);
    if (port !== undefined && (!Number.isInteger(port) || port < 1 || port > 65_535)) {
      throw new TypeError(`--port ${values.port} is no port`);
    }
    const from = process.env['INIT_CWD'] ?? process.cwd(); // npm itself has moved to the clone
    return { folder: resolve(from, positionals[0] ?? '.'), ...(port === undefined ? {} : { port }) };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new LocalError('usage', `${error.message}.`, 'Usage: npm start -- [<repository>] [--port <number>]', error);
  }
}

/** Resolves at the first signal, or when whoever started us is gone (a killed npm hands no signal down). */
function whenAsked(): { promise: Promise<undefined>; asked: () => boolean } {
  let asked = false;
  const promise = new Promise<undefined>((resolve) => {
    const end = () => {
      asked = true;
      clearInterval(watch);
      resolve(undefined);
    };
    const parent = process.ppid;
    const watch = setInterval(() => process.ppid !== parent && end(), PARENT_CHECK_MS);
    watch.unref();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
  });
  return { promise, asked: () => asked };
}
