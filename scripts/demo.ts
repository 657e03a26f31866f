/**
 * `npm run demo [-- <MCP URL>] [-- --device <id or name>] [-- --record <file.svg>]`: a real MCP client signs in and talks
 * to the workstation.
 * Without an address it talks to what `npm start` runs in this clone, and approves itself there, also where the edge has
 * further workstations. At another edge a person approves, twice: the second conversation is another client. `--record`
 * draws what was said into a file, with the clone's folder as `~/herdr-mcp`.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { note, sayText } from '../cli/terminal/index.ts';
import { readDevice } from '../link/identity/index.ts';
import { LocalError } from '../local/error/index.ts';
import { build, ROOT } from './build/index.ts';
import {
  approveByPerson,
  approveHere,
  connectV2,
  converse,
  isOwnEdge,
  leaveWork,
  recordingOf,
  type Said,
  takeUpWork,
} from './demo/index.ts';

const said: Said[] = [];
const say = (text: string) => {
  sayText(text);
  said.push(
    ...text.split('\n').map((line) => ({ atMs: performance.now(), text: line.replaceAll(ROOT, '~/herdr-mcp') })),
  );
};
const stateDir = process.env['HERDR_MCP_STATE_DIR'] ?? join(ROOT, '.herdr-mcp');

try {
  await main();
} catch (error) {
  note(error instanceof LocalError ? error.sentence : `The demo stopped: ${(error as Error).message}`);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const OPTIONS = { device: { type: 'string' }, record: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ allowPositionals: true, options: OPTIONS });
  const url = new URL(positionals[0] ?? (await ownAddress()));
  const here = await isOwnEdge(stateDir, url);
  if (here) await build({ parts: ['node'], say });
  await requireAnswer(url);
  say(`Connecting to ${url.href}`);
  const approve = here ? approveHere(stateDir, say) : approveByPerson(say);
  const party = await connectV2(url, approve);
  say(`Signed in. ${party.server.name} ${party.server.version}, MCP ${party.protocol}`);
  let left: Awaited<ReturnType<typeof leaveWork>>;
  let count: number;
  try {
    const device = values.device ?? (here ? (await readDevice(stateDir))?.device_id : undefined);
    const options = { say, ...(device === undefined ? {} : { device }) };
    count = (await converse(party, options)).length;
    say('Now this conversation leaves its work to another one.');
    left = await leaveWork(party, options);
  } finally {
    await party.close();
  }
  say('A second client signs in. It knows nothing but the handoff’s message.');
  const second = await connectV2(url, approve);
  try {
    const resumed = await takeUpWork(second, left.message, say);
    say(`Done: ${count + left.steps.length + resumed.length} steps.`);
  } finally {
    await second.close();
  }
  if (values.record !== undefined) writeFileSync(values.record, recordingOf(said));
}

async function ownAddress(): Promise<string> {
  const device = await readDevice(stateDir);
  if (device) return device.mcp_url;
  throw new LocalError(
    'not_started',
    'Nothing runs in this clone yet.',
    'Run `npm start` first, or name an address: npm run demo -- https://…/mcp',
  );
}

/** Says plainly that nobody is there, before a client wraps it in its own words. */
async function requireAnswer(url: URL): Promise<void> {
  try {
    await fetch(url, { method: 'POST', body: '{}' });
  } catch (error) {
    throw new LocalError(
      'nobody_there',
      `Nothing answers at ${url.href}.`,
      'Start it first (npm start), or check the address.',
      error,
    );
  }
}
