import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { herdrMcp } from '../../../cli/commands.ts';
import { runCli } from '../../../cli/run.ts';
import { writePointer } from '../../../runtime-a-b/generations/index.ts';
import { type Desk, openDesk } from '../../runtime-a-b/planner/desk.ts';
import { until } from '../../runtime-a-b/support/index.ts';
import { verifies } from '../../verifies.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
  const { port } = desk.rt.runtime.record;
  await writePointer(desk.rt.stateDir, { schema: 1, generation: 'a', port, revision: 1 });
});
afterAll(() => desk.close());

async function scan(...args: string[]): Promise<{ code: number; out: string }> {
  let out = '';
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    out += String(chunk);
    return true;
  });
  const note = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  vi.stubEnv('HERDR_MCP_STATE_DIR', desk.rt.stateDir);
  try {
    return { code: await runCli(herdrMcp, ['scan', ...args]), out };
  } finally {
    vi.unstubAllEnvs();
    write.mockRestore();
    note.mockRestore();
  }
}

it('herdr-mcp scan lists what is installed with what is verified of it, and all evidence as JSON', async () => {
  verifies('tasks.capabilities');
  expect((await scan()).out).toBe('No known coding agent is installed where programs are looked for.\n');
  desk.program('pi', 'if [ "$1" = --help ]; then printf "  bash - Run commands\\n"; else echo pi 0.4.1; fi');
  const shown = await until('an answer of pi', async () => {
    const ran = await scan('--probe');
    return ran.out.includes('0.4.1') && ran.out.includes('deep') ? ran : undefined;
  });
  expect(shown).toMatchObject({ code: 0 });
  expect(shown.out).toMatch(/pi\s+0\.4\.1\s+unverified\s+supports_shell=true\s+deep/);
  const { records } = JSON.parse((await scan('--json')).out) as { records: { agent: string; traits: object }[] };
  expect(records.find(({ agent }) => agent === 'pi')?.traits).toMatchObject({
    supports_shell: { value: true, source: 'pi --help', authority: 'self_report' },
  });
  expect((await scan('--unknown')).code).toBe(2);
}, 90_000);
