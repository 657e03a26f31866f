/** `herdr-mcp scan`: which coding agents are here and what they can be shown to do. */
import { action } from '../command.ts';
import { askMethod } from '../runtime/index.ts';
import { note, say, sayJson, table } from '../terminal/index.ts';

type Json = Record<string, unknown>;
type Trait = { value: unknown; source: string };

export const scan = action(
  'scan',
  'Look which coding agents are installed and what they say about themselves',
  {
    probe: { type: 'boolean', description: 'Also read their help (still without your credentials)' },
    refresh: { type: 'boolean', description: 'Believe nothing that is known already' },
    json: { type: 'boolean', description: 'Answer in JSON, with all evidence' },
  },
  async (args) => {
    const params = { probe: args.probe === true, refresh: args.refresh === true };
    const answer = await askMethod('herdr_mcp.capability.scan', params);
    if (args.json) return sayJson(answer);
    const records = answer.records as Json[];
    const rows = records.filter(({ binary }) => binary !== null);
    if (rows.length === 0) say('No known coding agent is installed where programs are looked for.');
    else table([['AGENT', 'VERSION', 'STARTABLE', 'VERIFIED', 'PROBE'], ...rows.map(row)]).forEach(say);
    for (const source of answer.unknown_sources as string[]) note(`Not known: ${source} did not answer.`);
    note('What is not listed as verified is unverified: neither yes nor no.');
  },
);

function row(record: Json): string[] {
  const traits = record.traits as Record<string, Trait>;
  const shown = (name: string) => (traits[name] === undefined ? 'unverified' : String(traits[name].value));
  const verified = ['supports_code_edit', 'supports_shell', 'supports_vision', 'can_run_headless', 'model']
    .filter((name) => traits[name] !== undefined)
    .map((name) => `${name}=${String(traits[name]?.value)}`);
  const problem = typeof record.problem === 'string' ? ` (${record.problem})` : '';
  return [
    String(record.agent),
    shown('binary_version'),
    shown('available_for_start'),
    verified.join(' ') || '-',
    `${String(record.probe_level)}${problem}`,
  ];
}
