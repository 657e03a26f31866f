/** `npm run cutover`: a custom domain beside the address of a deployed edge. See cutover/index.ts. */
import { note, sayText } from '../cli/terminal/index.ts';
import { LocalError } from '../local/error/index.ts';
import { resolveStateDir } from '../local/paths/index.ts';
import { ROOT } from './build/index.ts';
import { wranglerOf } from './cloudflare/index.ts';
import { cutover, cutoverJournal, readWish, statusOf, USAGE } from './cutover/index.ts';

/** As in docs/operate.md: green, rolled back, everything else. */
const EXIT = { CUTOVER_GREEN: 0, RETIRED: 0, READY: 0, ROLLBACK_COMPLETE: 3 } as const;
const OTHER = 2;

const say = (text: string) => sayText(text);

try {
  const stateDir = resolveStateDir(process.env);
  const wish = readWish(process.argv.slice(2));
  if (wish.do === 'help') say(USAGE);
  else if (wish.do === 'status') statusOf(await cutoverJournal(stateDir).read()).forEach(say);
  else {
    const end = await cutover({
      wish,
      stateDir,
      env: process.env,
      wrangler: wranglerOf(ROOT, process.env),
      say,
    });
    say(end);
    process.exitCode = EXIT[end];
  }
} catch (error) {
  if (!(error instanceof LocalError)) throw error;
  note(error.sentence);
  process.exitCode = OTHER;
}
