/** `herdr-mcp memory …`: Work Memory of one partition, and what of it is kept. */
import { action, group } from '../command.ts';
import { count, given, json, list, showChain } from '../continuity/index.ts';
import { UsageError } from '../exit.ts';
import { askMethod } from '../runtime/index.ts';
import { note, oneLine, say, sayJson } from '../terminal/index.ts';

const partition = {
  project: { type: 'string', description: 'project_ref of the partition' },
  repo: { type: 'string', description: 'repo_id of the partition' },
  chain: { type: 'string', description: 'work_chain_id of the partition' },
} as const;

type PartitionArgs = { project?: string | undefined; repo?: string | undefined; chain?: string | undefined };

const named = (args: PartitionArgs) =>
  given({ project_ref: args.project, repo_id: args.repo, work_chain_id: args.chain });

/** All three, or a usage error: a partition is never completed by guessing. */
function whole(args: PartitionArgs): Record<string, unknown> {
  if (!args.project || !args.repo || !args.chain) throw new UsageError('--project, --repo and --chain are all needed.');
  return named(args);
}

const resume = action(
  'resume',
  'The newest checkpoint, turns and evidence',
  {
    ...partition,
    turns: { type: 'string', description: 'Newest turns to show, at most 64' },
    cursor: { type: 'string', description: 'Goes on with older turns' },
    json,
  },
  async (args) => {
    const params = args.cursor === undefined ? whole(args) : named(args);
    const answer = await askMethod('work_memory.resume', {
      ...params,
      ...given({ max_turns: count(args.turns, '--turns'), cursor: args.cursor }),
    });
    if (args.json) return sayJson(answer);
    showChain(answer, Date.now());
  },
);

const search = action(
  'search',
  'Words in the turns and evidence, newest first',
  {
    query: { type: 'positional', required: false, description: 'Words that must all occur' },
    ...partition,
    limit: { type: 'string', description: 'Hits of a page, at most 20' },
    cursor: { type: 'string', description: 'Goes on with the next page' },
    json,
  },
  async (args) => {
    if (args.cursor === undefined && !args.query) throw new UsageError('Say what to search for.');
    const params = args.cursor === undefined ? { ...whole(args), query: args.query } : named(args);
    const answer = await askMethod('work_memory.search', {
      ...params,
      ...given({ limit: count(args.limit, '--limit'), cursor: args.cursor }),
    });
    if (args.json) return sayJson(answer);
    const hits = list(answer.hits);
    if (hits.length === 0) return say('Nothing was found.');
    for (const hit of hits) {
      const when = new Date(Number(hit.observed_at)).toISOString();
      say(oneLine(`${String(hit.source_kind)}  ${when}  ${String(hit.source_id)}`));
      say(`  ${oneLine(String(hit.excerpt))}`);
    }
    if (answer.next_cursor) note(`More: herdr-mcp memory search --cursor ${String(answer.next_cursor)}`);
  },
);

const retention = action(
  'retention',
  'What is kept: retain_all, or reclaim_covered',
  { policy: { type: 'positional', required: true, description: 'retain_all or reclaim_covered' }, ...partition, json },
  async (args) => {
    const answer = await askMethod('work_memory.retention.set', { ...whole(args), policy: args.policy });
    if (args.json) return sayJson(answer);
    say(`${String(answer.continuity_id)}: ${String(answer.retention_policy)} (was ${String(answer.was)})`);
  },
);

const reclaim = action(
  'reclaim',
  'Let old texts go that a checkpoint covers; only says what would go unless --apply is given',
  {
    ...partition,
    checkpoint: { type: 'string', description: 'Revision of the checkpoint that stands for them' },
    apply: { type: 'boolean', description: 'Really do it' },
    json,
  },
  async (args) => {
    const revision = count(args.checkpoint, '--checkpoint');
    if (revision === undefined)
      throw new UsageError('--checkpoint is needed: look it up with herdr-mcp memory resume.');
    const answer = await askMethod('work_memory.reclaim', {
      ...whole(args),
      expected_checkpoint_revision: revision,
      dry_run: args.apply !== true,
    });
    if (args.json) return sayJson(answer);
    const what = `${String(answer.turns)} turns, ${String(answer.bytes)} bytes`;
    say(answer.dry_run === true ? `Would go: ${what}. Nothing was changed.` : `Gone: ${what}.`);
    if (Number(answer.damaged_turns) > 0)
      note(`${String(answer.damaged_turns)} texts no longer have their digest and were left.`);
  },
);

export const memory = group('memory', 'What a line of work amounts to', { resume, search, retention, reclaim });
