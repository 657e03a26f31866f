/**
 * `npm start`: the whole product on this machine, already paired, with a workspace on the current Git repository; with
 * `--edge` everything but the edge. All that it writes lies in `.herdr-mcp/` of the clone, or where HERDR_MCP_STATE_DIR
 * says. Ctrl-C ends all of it. {@link USAGE} says the rest.
 */
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { note, sayText } from '../cli/terminal/index.ts';
import { LocalError, systemCode } from '../local/error/index.ts';
import { build, ROOT } from './build/index.ts';
import {
  askCredential,
  readOptions,
  repositoryOf,
  runningSentences,
  startProduct,
  USAGE,
  whenAsked,
} from './start/index.ts';

const say = (text: string) => sayText(text);
const own = join(ROOT, '.herdr-mcp');
const stateDir = resolve(process.env['HERDR_MCP_STATE_DIR'] || own);
for (const stream of [process.stdout, process.stderr]) stream.on('error', hungUp);

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof LocalError)) throw error;
  note(error.sentence);
  process.exitCode = error.code === 'interrupted' ? 130 : 1;
}

async function main(): Promise<number> {
  const from = process.env['INIT_CWD'] ?? process.cwd(); // npm itself has moved to the clone
  const { help, folder, port, edge: origin, pair } = readOptions(process.argv.slice(2), process.env, from);
  if (help) {
    say(USAGE);
    return 0;
  }
  const repository = await repositoryOf(folder);
  const signal = whenAsked();
  const asked = signal.aborted ? Promise.resolve() : once(signal, 'abort').then(() => undefined);
  await build({ parts: origin === undefined ? ['node', 'edge'] : ['node'], say });
  if (signal.aborted) return 0;
  say(origin === undefined ? 'Starting edge, Herdr, runtime and link ...' : `Joining ${origin} ...`);
  const product = await startProduct({
    stateDir,
    repository,
    say,
    ...(port === undefined ? {} : { port }),
    ...(origin === undefined
      ? {}
      : {
          deployed: {
            origin,
            credential: () => askCredential(origin, pair, { input: process.stdin, output: process.stderr, signal }),
          },
        }),
  });
  runningSentences(product, { repository, clone: ROOT, ...(stateDir === own ? {} : { stateDir }) }).forEach(say);
  const why = await Promise.race([asked, product.failed]);
  if (why === undefined) {
    say('Ending everything ...');
    await product.stop();
    return 0;
  }
  note(`${why}, so everything was ended. Run npm start again; if it happens again, see ${join(stateDir, 'logs')}`);
  return 1;
}

/** A terminal that was closed, or a pipe whose reader has gone, takes no more words; everything is still ended in order. */
function hungUp(error: Error): void {
  if (systemCode(error) !== 'EIO' && systemCode(error) !== 'EPIPE') throw error;
}
