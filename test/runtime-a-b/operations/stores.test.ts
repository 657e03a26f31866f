import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openState } from '../../../runtime-a-b/state/index.ts';
import { played } from '../../played.ts';
import { ownProgram } from '../../support/program.ts';
import { verifies } from '../../verifies.ts';
import { tempFolder, until } from '../support/index.ts';

const WRITER = await ownProgram(new URL('./steady-writer.ts', import.meta.url));
/** `npm run test:matrix` asks for the full number of kills. */
const KILLS = process.env['HERDR_MCP_MATRIX'] === '1' ? 200 : 4;

let folder: ReturnType<typeof tempFolder>;
beforeEach(() => {
  folder = tempFolder();
});
const writers: Writer[] = [];
afterEach(async () => {
  for (const writer of writers.splice(0)) await kill(writer);
  folder.remove();
});

interface Writer {
  child: ChildProcess;
  /** Dispatch ids whose result was answered. */
  told: () => string[];
}

function write(stateDir: string, generation: string): Writer {
  const child = spawn(process.execPath, [WRITER, stateDir, generation], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString('utf8');
  });
  const writer = { child, told: () => said.split('\n').slice(0, -1) };
  writers.push(writer);
  return writer;
}

async function kill({ child }: Writer): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}

it(
  'is whole after every kill in the middle of writing, and no answered call is missing',
  async () => {
    verifies('runtime.ledger', 'runtime.state');
    const stateDir = join(folder.path, 'state');
    const told: string[] = [];
    for (let round = 0; round < KILLS; round++) {
      const writer = write(stateDir, round % 2 ? 'b' : 'a');
      // A different number of calls each round, so that the kill falls into different steps.
      await until('some answers', () => writer.told().length >= 1 + ((round * 7) % 12));
      await kill(writer);
      played('kills');
      told.push(...writer.told());
    }
    const state = openState(stateDir);
    expect(state.database.pragma('integrity_check', { simple: true })).toBe('ok');
    const settled = state.database.prepare<[string], { state: string }>(
      'SELECT state FROM operations WHERE dispatch_id = ?',
    );
    expect(told.filter((id) => settled.get(id)?.state !== 'settled')).toEqual([]);
    state.close();
  },
  Math.max(240_000, KILLS * 20_000),
);

it('loses nothing when two generations write at once', async () => {
  verifies('runtime.state');
  const stateDir = join(folder.path, 'state');
  const writers = [write(stateDir, 'a'), write(stateDir, 'b')];
  await until('many answers of both', () => writers.every((writer) => writer.told().length >= 40));
  await Promise.all(writers.map(kill));
  const state = openState(stateDir);
  const known = new Set(
    state.database
      .prepare<[], { id: string }>("SELECT dispatch_id AS id FROM operations WHERE state = 'settled'")
      .all()
      .map(({ id }) => id),
  );
  expect(writers.flatMap((writer) => writer.told()).filter((id) => !known.has(id))).toEqual([]);
  state.close();
}, 120_000);
