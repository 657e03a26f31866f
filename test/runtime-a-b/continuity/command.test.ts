import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writePointer } from '../../../runtime-a-b/generations/index.ts';
import { build } from '../../../scripts/build/index.ts';
import { type TestRuntime, tempFolder, testRuntime } from '../support/index.ts';

const CLI = fileURLToPath(new URL('../../../dist/herdr-mcp.js', import.meta.url));
const P = { project_ref: 'herdr', repo_id: 'github.com/o/r', work_chain_id: 'cli' };
const NAMES = ['--project', P.project_ref, '--repo', P.repo_id, '--chain', P.work_chain_id];

let rt: TestRuntime;
let id = '';
beforeAll(async () => {
  await build({ parts: ['node'] });
  rt = await testRuntime();
  await writePointer(rt.stateDir, { schema: 1, generation: 'a', port: rt.runtime.record.port, revision: 1 });
  const call = async (method: string, params: object) =>
    (await rt.call('herdr_call', { method, params: JSON.stringify(params) })).json;
  const session = { provider: 'claude', session_ref: 's' };
  id = String((await call('work_memory.bind', { ...P, ...session, title: 'A parser' })).continuity_id);
  for (const [i, text] of ['パーサーを書く', 'Done.\u001b[31m\nNext step: tests'].entries()) {
    const turn = { ...P, ...session, role: i ? 'assistant' : 'user', text, provider_message_ref: `m${i}` };
    const { message_id } = await call('work_memory.append_turn', turn);
    if (i === 1) {
      await call('work_memory.checkpoint.put', {
        ...P,
        expected_checkpoint_revision: 0,
        summary: 'It exists.',
        checkpoint_json: '{"goal":"a parser"}',
        through_message_id: message_id,
      });
    }
  }
}, 120_000);
afterAll(() => rt?.end());

function cli(args: string[], stateDir = rt.stateDir): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, [CLI, ...args], {
    env: { ...process.env, HERDR_MCP_STATE_DIR: stateDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString('utf8');
  });
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString('utf8');
  });
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, out, err })));
}

// A process of its own for every command line: a busy machine takes seconds for each.
describe('herdr-mcp continuity and memory', { timeout: 180_000 }, () => {
  it('finds a chain by words and shows what it remembers, harmless for the terminal', async () => {
    const search = await cli(['continuity', 'search', 'パーサー']);
    expect(search.code).toBe(0);
    expect(search.out).toContain(id);
    expect(search.out).toContain('A parser');
    expect(search.err).toContain('Candidates only');
    const resume = await cli(['continuity', 'resume', id]);
    expect(resume.out).toContain('goal: a parser  (checkpoint)');
    expect(resume.out).toContain('next step: tests  (tail)');
    expect(resume.out).toContain('パーサーを書く');
    expect(resume.out).not.toContain('\u001b');
    expect(resume.err).toContain('This is history');
    const list = await cli(['continuity', 'list', '--json']);
    expect(JSON.parse(list.out)).toMatchObject({ chains: [{ continuity_id: id }] });
  });

  it('says what was not found, and what to do', async () => {
    const unknown = await cli(['continuity', 'resume', 'https://chatgpt.com/c/abcdefgh']);
    expect(unknown.code).toBe(1);
    expect(unknown.err).toContain('MCP does not carry the private conversations');
    const folder = tempFolder();
    const absent = await cli(['continuity', 'list'], folder.path);
    folder.remove();
    expect(absent).toMatchObject({ code: 1, err: expect.stringContaining('No runtime is running here') });
  });

  it('resumes and searches a partition, and decides what is kept', async () => {
    expect((await cli(['memory', 'resume', ...NAMES])).out).toContain('checkpoint 1');
    expect((await cli(['memory', 'search', 'tests', ...NAMES])).out).toContain('Next step: tests');
    expect((await cli(['memory', 'search', 'tests'])).code).toBe(2);
    const dry = await cli(['memory', 'reclaim', ...NAMES, '--checkpoint', '1']);
    expect(dry.out).toContain('Would go: 0 turns, 0 bytes. Nothing was changed.');
    const forbidden = await cli(['memory', 'reclaim', ...NAMES, '--checkpoint', '1', '--apply']);
    expect(forbidden).toMatchObject({ code: 1, err: expect.stringContaining('retain_all') });
    expect((await cli(['memory', 'retention', 'reclaim_covered', ...NAMES])).out).toContain(
      'reclaim_covered (was retain_all)',
    );
    expect((await cli(['memory', 'reclaim', ...NAMES, '--checkpoint', '1', '--apply'])).out).toContain('Gone: 0 turns');
  });

  it('exports a chain as one file and imports it elsewhere', async () => {
    const other = await testRuntime();
    try {
      await writePointer(other.stateDir, { schema: 1, generation: 'a', port: other.runtime.record.port, revision: 1 });
      const file = join(other.stateDir, 'chain.jsonl');
      const written = await cli(['continuity', 'export', id, file]);
      expect(written).toMatchObject({ code: 0, out: expect.stringContaining(file) });
      expect(readFileSync(file, 'utf8').split('\n').at(-2)).toContain('"t":"end"');
      const dry = await cli(['continuity', 'import', file, '--dry-run'], other.stateDir);
      expect(dry.out).toContain('The file is whole');
      const read = await cli(['continuity', 'import', file], other.stateDir);
      expect(read.out).toContain(`Imported ${id}: 2 turns`);
      expect((await cli(['continuity', 'resume', id], other.stateDir)).out).toContain('goal: a parser');
      expect((await cli(['continuity', 'import', file], other.stateDir)).out).toContain('Already here');
    } finally {
      await other.end();
    }
  });
});
