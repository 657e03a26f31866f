/** `npm run deploy`: the edge into a person's own Cloudflare account. See deploy/index.ts; {@link USAGE} says the rest. */
import { note, sayText } from '../cli/terminal/index.ts';
import { LocalError } from '../local/error/index.ts';
import { resolveStateDir } from '../local/paths/index.ts';
import { edgeSources, ROOT } from './build/index.ts';
import { wranglerOf } from './cloudflare/index.ts';
import { deploy, readWish, USAGE } from './deploy/index.ts';

const say = (text: string) => sayText(text);

try {
  const wish = readWish(process.argv.slice(2));
  if (wish.help) say(USAGE);
  else {
    const done = await deploy({
      wish,
      stateDir: resolveStateDir(process.env),
      env: process.env,
      wrangler: wranglerOf(ROOT, process.env),
      clone: await edgeSources(),
      say,
    });
    if (done) {
      say('');
      say(`  MCP URL     ${done.mcpUrl}`);
      say('');
      say('Next: `herdr-mcp install` (from `npm pack`, see docs/operate.md), then add the MCP URL to your web AI.');
    }
  }
} catch (error) {
  if (!(error instanceof LocalError)) throw error;
  note(error.sentence);
  process.exitCode = error.code === 'usage' ? 2 : 1;
}
