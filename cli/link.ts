import { readLinkStatus, requestRetry } from '../link/index.ts';
import { LocalError } from '../local/error/index.ts';
import { resolveStateDir } from '../local/paths/index.ts';
import { action, group } from './command.ts';
import { runLink } from './link-run.ts';
import { linkSentence } from './status/index.ts';
import { say, sayJson } from './terminal/index.ts';

const status = action(
  'status',
  'Whether this workstation is connected to its edge',
  { json: { type: 'boolean', description: 'Answer in JSON' } },
  async (args) => {
    const report = await readLinkStatus(resolveStateDir(process.env));
    if (args.json) return sayJson(report);
    say(linkSentence(report, Date.now()));
  },
);

const run = action('run', 'Keep this workstation connected, in the foreground, until Ctrl-C', {}, async () => {
  process.exitCode = await runLink(resolveStateDir(process.env));
});

const retry = action('retry', 'Ask a waiting or replaced link to connect now', {}, () => {
  if (!requestRetry(resolveStateDir(process.env))) {
    throw new LocalError('link_absent', 'No link runs here, so nothing was asked.', 'Start it: herdr-mcp link run');
  }
  say('Asked. `herdr-mcp link status` says what became of it.');
});

/** `herdr-mcp link …` */
export const link = group('link', 'The connection to the edge', { run, status, retry });
