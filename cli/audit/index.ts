/** `herdr-mcp audit`: who called what, when, on what, with which outcome. The trail holds no contents. */
import { existsSync } from 'node:fs';
import { resolveStateDir, statePaths } from '../../local/paths/index.ts';
import { type AuditEntry, openState, readAudit } from '../../runtime-a-b/state/index.ts';
import { action } from '../command.ts';
import { UsageError } from '../exit.ts';
import { note, say, sayJson, table } from '../terminal/index.ts';
import { auditRows } from './rows.ts';
import { sinceMs } from './since.ts';

/** Calls that are shown unless asked otherwise: some screens full. */
const SHOWN = 200;

export const audit = action(
  'audit',
  'Who called what, when, on what, with which outcome; newest first, never contents',
  {
    since: { type: 'string', description: 'Only calls since then: 90s, 15m, 2h, 7d, or a date' },
    tool: { type: 'string', description: 'Only calls of this tool, such as herdr_exec' },
    limit: { type: 'string', description: `At most so many calls; ${SHOWN} when not given` },
    json: { type: 'boolean', description: 'Answer in JSON' },
  },
  (args) => {
    const since = sinceMs(args.since, Date.now());
    const limit = args.limit === undefined ? SHOWN : Number(args.limit);
    if (!Number.isSafeInteger(limit) || limit < 1) throw new UsageError('--limit needs a whole number above zero.');
    // One more than is shown, so that a cut is noticed.
    const found = read({
      limit: limit + 1,
      ...(since === undefined ? {} : { sinceMs: since }),
      ...(args.tool === undefined ? {} : { tool: args.tool }),
    });
    const entries = found.slice(0, limit);
    const more = found.length > limit;
    if (args.json) return sayJson({ ok: true, entries, more });
    if (entries.length === 0) return say('No call was recorded that fits.');
    for (const line of table(auditRows(entries))) say(line);
    if (more) note(`There are older ones: raise --limit (now ${limit}).`);
  },
);

/** Nothing is made where nothing was recorded. */
function read(filter: Parameters<typeof readAudit>[1]): AuditEntry[] {
  const stateDir = resolveStateDir(process.env);
  if (!existsSync(statePaths(stateDir).database)) return [];
  const state = openState(stateDir);
  try {
    return readAudit(state, filter);
  } finally {
    state.close();
  }
}
