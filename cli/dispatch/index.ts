/** `herdr-mcp dispatch …`: what became of calls, from the runtime's ledger and the edge's receipts together. */
import { action, group } from '../command.ts';
import { UsageError } from '../exit.ts';
import { note, say, sayJson, table } from '../terminal/index.ts';
import { lookUp } from './look-up.ts';
import { detailLines, entryRows, notReached } from './words.ts';

const json = { type: 'boolean', description: 'Answer in JSON' } as const;

/** What both the ledger and the edge give at once. */
const LAST_MAX = 50;
const LAST_DEFAULT = '10';

const list = action(
  'list',
  'The last calls that changed something, whoever made them',
  { last: { type: 'string', description: `How many, at most ${LAST_MAX}; ${LAST_DEFAULT} when absent` }, json },
  async (args) => {
    const last = Number(args.last ?? LAST_DEFAULT);
    if (!Number.isInteger(last) || last < 1 || last > LAST_MAX) {
      throw new UsageError(`--last takes a whole number from 1 to ${LAST_MAX}.`);
    }
    const known = await lookUp({ last });
    if (args.json) return sayJson({ ...known, dispatches: known.dispatches.slice(0, last) });
    notReached(known).forEach(note);
    if (known.dispatches.length === 0) return say('No call has changed anything in the last 24 hours.');
    table(entryRows(known.dispatches.slice(0, last), known.observed_at_ms)).forEach(say);
  },
);

const show = action(
  'show',
  'What became of one call',
  { dispatch: { type: 'positional', description: 'Its id (d_…)', required: true }, json },
  async (args) => {
    if (!/^d_[0-9a-f]{32}$/.test(args.dispatch)) {
      throw new UsageError(`"${args.dispatch}" is no dispatch id: d_ and 32 hex digits. Nothing was looked up.`);
    }
    const known = await lookUp({ dispatch_id: args.dispatch });
    if (args.json) return sayJson(known);
    notReached(known).forEach(note);
    const [entry] = known.dispatches;
    if (entry) return detailLines(entry, known.observed_at_ms).forEach(say);
    say(`No dispatch ${args.dispatch} was received in the last 24 hours, as far as was asked. Reads leave no trace.`);
  },
);

export const dispatch = group('dispatch', 'What became of calls that change something', { list, show });
