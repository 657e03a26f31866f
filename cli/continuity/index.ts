/** `herdr-mcp continuity …`: chains of work across conversations, found and read by a person. */
import { resolve } from 'node:path';
import { action, group } from '../command.ts';
import { askMethod } from '../runtime/index.ts';
import { counted, note, say, sayJson } from '../terminal/index.ts';
import { count, given, json } from './options.ts';
import { list, showCandidates, showChain } from './show.ts';

export { count, given, json } from './options.ts';
export { list, showChain } from './show.ts';

const chain = { type: 'positional', required: true, description: 'The chain’s id (hc:…)' } as const;

const listChains = action(
  'list',
  'Active chains, most recently changed first',
  { cursor: { type: 'string', description: 'Goes on with the next page' }, json },
  async (args) => {
    const answer = await askMethod('continuity.list', given({ cursor: args.cursor }));
    if (args.json) return sayJson(answer);
    showCandidates(list(answer.chains), Date.now());
    if (answer.next_cursor) note(`More: herdr-mcp continuity list --cursor ${String(answer.next_cursor)}`);
  },
);

const search = action(
  'search',
  'Chains that may be meant, with excerpts to choose by',
  {
    query: { type: 'positional', required: false, description: 'Words in a title or turn' },
    project: { type: 'string', description: 'Project at the chat provider' },
    repo: { type: 'string', description: 'Repository of a Work Memory partition' },
    workspace: { type: 'string', description: 'Workspace: id or ref' },
    url: { type: 'string', description: 'Full address of a conversation' },
    limit: { type: 'string', description: 'Candidates to show, at most 10' },
    json,
  },
  async (args) => {
    const answer = await askMethod(
      'continuity.search',
      given({
        query: args.query,
        project_id: args.project,
        repo_id: args.repo,
        workspace_id: args.workspace,
        conversation_url: args.url,
        limit: count(args.limit, '--limit'),
      }),
    );
    if (args.json) return sayJson(answer);
    const candidates = list(answer.candidates);
    if (candidates.length === 0) return say('No chain fits.');
    showCandidates(candidates, Date.now());
    note('');
    note(
      answer.auto_resume_safe === true
        ? 'Exactly one active chain belongs to what you named.'
        : 'Candidates only: choose one yourself. None is taken because it is the newest or the most similar.',
    );
  },
);

const resume = action(
  'resume',
  'What a chain remembers, by its id or a conversation’s address',
  {
    chain: {
      type: 'positional',
      required: false,
      description: 'The chain’s id (hc:…) or the conversation’s full address',
    },
    turns: { type: 'string', description: 'Newest turns to show, at most 64' },
    cursor: { type: 'string', description: 'Goes on with older turns' },
    json,
  },
  async (args) => {
    const name = args.chain ?? '';
    const byUrl = /^https?:\/\//i.test(name);
    const answer = await askMethod(
      'continuity.resume',
      given({
        continuity_id: byUrl || name === '' ? undefined : name,
        conversation_url: byUrl ? name : undefined,
        max_turns: count(args.turns, '--turns'),
        cursor: args.cursor,
      }),
    );
    if (args.json) return sayJson(answer);
    showChain(answer, Date.now());
  },
);

const exportChain = action(
  'export',
  'Write a chain into one private file',
  {
    chain,
    file: { type: 'positional', required: true, description: 'Where to write it' },
    overwrite: { type: 'boolean', description: 'Replace a file that is there' },
    json,
  },
  async (args) => {
    const answer = await askMethod(
      'continuity.export',
      given({ continuity_id: args.chain, path: resolve(args.file), overwrite: args.overwrite }),
    );
    if (args.json) return sayJson(answer);
    say(`${counted(Number(answer.lines), 'line')} in ${String(answer.path)}`);
    note('The file holds everything that was said in this chain. Keep it as you would keep that.');
  },
);

const importChain = action(
  'import',
  'Read a chain from its file',
  {
    file: { type: 'positional', required: true, description: 'The file that continuity export wrote' },
    'dry-run': { type: 'boolean', description: 'Only check the file' },
    json,
  },
  async (args) => {
    const answer = await askMethod('continuity.import', given({ path: resolve(args.file), dry_run: args['dry-run'] }));
    if (args.json) return sayJson(answer);
    const what = `${String(answer.continuity_id)}: ${counted(Number(answer.turn), 'turn')}, ${counted(Number(answer.evidence), 'piece of evidence', 'pieces of evidence')}, ${counted(Number(answer.checkpoint), 'checkpoint')}`;
    if (answer.imported === true) return say(`Imported ${what}`);
    say(answer.already_present === true ? `Already here, nothing changed: ${what}` : `The file is whole: ${what}`);
  },
);

/** Two active chains of one project are ambiguous for ever unless a person ends one of them. */
const setStatus = (name: string, status: 'active' | 'closed', description: string) =>
  action(name, description, { chain, json }, async (args) => {
    const answer = await askMethod('continuity.status.set', { continuity_id: args.chain, status });
    if (args.json) return sayJson(answer);
    say(`${String(answer.continuity_id)}: ${String(answer.status)} (was ${String(answer.was)})`);
  });

export const continuity = group('continuity', 'Work across conversations', {
  list: listChains,
  search,
  resume,
  export: exportChain,
  import: importChain,
  close: setStatus('close', 'closed', 'End a chain: it is kept, and no conversation leads to it any more'),
  reopen: setStatus('reopen', 'active', 'Make a closed chain active again'),
});
