import { readLinkStatus } from '../link/index.ts';
import { resolveStateDir } from '../local/paths/index.ts';
import { action, group } from './command.ts';
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

/** `herdr-mcp link …` */
export const link = group('link', 'The connection to the edge', { status });
