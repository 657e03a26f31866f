import { spawn } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { COMMAND, type FakeEdge, fakeEdge } from './fake-edge.ts';

let edge: FakeEdge;
beforeEach(async () => {
  edge = await fakeEdge();
});
afterEach(() => edge.close());

const state = async (): Promise<string> => {
  const { out } = await edge.cli(['link', 'status', '--json']);
  const report = JSON.parse(out) as { running: boolean; status?: { state: string } };
  return report.running ? (report.status?.state ?? 'starting') : 'not running';
};

/** Polls; the test's own time limit is the only bound. */
async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 50));
}

describe('herdr-mcp link', () => {
  it('run keeps one link in the foreground until it is asked to stop; retry asks it to try now', async () => {
    expect((await edge.cli(['link', 'retry'])).code).toBe(1);
    const link = spawn(process.execPath, [COMMAND, 'link', 'run'], {
      env: { ...process.env, HERDR_MCP_STATE_DIR: edge.stateDir, HERDR_MCP_SECRETS: 'file' },
      stdio: 'ignore',
    });
    const ended = new Promise<number | null>((resolve) => link.once('exit', (code) => resolve(code)));
    await until(async () => (await state()) === 'reconnecting'); // this edge answers no upgrade
    const second = await edge.cli(['link', 'run']);
    expect(second.code).toBe(2);
    expect(second.err).toContain('already runs');
    const asked = await edge.cli(['link', 'retry']);
    expect(asked.code).toBe(0);
    expect(asked.out).toContain('Asked.');
    link.kill('SIGTERM');
    expect(await ended).toBe(0);
    expect(await state()).toBe('not running');
  });
});
