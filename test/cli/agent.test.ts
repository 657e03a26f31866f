import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../local/spawn/index.ts';
import { writePointer } from '../../runtime-a-b/generations/index.ts';
import { build } from '../../scripts/build/index.ts';
import { type TestRuntime, tempFolder, testRuntime, until } from '../runtime-a-b/support/index.ts';
import { type Scripted, scriptedHerdr } from '../runtime-a-b/tasks/scripted.ts';
import { verifies } from '../verifies.ts';
import { COMMAND } from './fake-edge.ts';
import { inProcess, type Ran } from './in-process.ts';

let herdr: Scripted;
let rt: TestRuntime;
let home: ReturnType<typeof tempFolder>;
beforeAll(async () => {
  await build({ parts: ['node'] });
  home = tempFolder();
  herdr = await scriptedHerdr(['child', 'boss']);
  herdr.onPrompt = (name) => herdr.set(name, 'working');
  rt = await testRuntime({ herdrSocket: herdr.server.path });
  await writePointer(rt.stateDir, { schema: 1, generation: 'a', port: rt.runtime.record.port, revision: 1 });
});
afterAll(async () => {
  await rt?.end();
  await herdr?.server.stop();
  home.remove();
});

/** What an agent in the pane of `boss` has in its environment; `pane` names another, or none. */
const environment = (pane: string): NodeJS.ProcessEnv => ({
  ...process.env,
  HOME: home.path,
  HERDR_MCP_STATE_DIR: rt.stateDir,
  HERDR_SOCKET_PATH: herdr.server.path,
  HERDR_PANE_ID: pane,
});

const agent = (args: string[], pane = 'w1:p2') => inProcess<unknown>(['agent', ...args], environment(pane));

/** The same as a process, with a prompt in its pipe. */
async function piped(args: string[], input: string): Promise<Ran> {
  const done = await run(process.execPath, [COMMAND, 'agent', ...args], { env: environment('w1:p2'), input });
  return { code: done.code, stdout: done.stdout.toString(), stderr: done.stderr.toString() };
}

describe('herdr-mcp agent', { timeout: 60_000 }, () => {
  it('dispatches for the agent whose pane it runs in, tells that agent, and forgets what it took note of', async () => {
    verifies('tasks.inbox');
    const sent = await piped(['dispatch', 'child', '-', '--key', 'k1'], 'count\nthe files\n');
    expect(sent).toMatchObject({ code: 0, stdout: expect.stringMatching(/^d_[0-9a-f]{32}\n$/) });
    expect(sent.stderr).toContain('Sent once (running)');
    const id = sent.stdout.trim();
    const again = await agent(['dispatch', 'child', 'count\nthe files\n', '--key', 'k1', '--json']);
    expect(again.json()).toMatchObject({ task_id: id, idempotent_replay: true });
    expect(herdr.prompts.map(({ text }) => text)).toEqual(['count\nthe files\n']);
    expect((await agent(['inbox'])).stdout).toContain('Nothing has ended');

    herdr.set('child', 'done');
    await until('the wake', () => herdr.prompts.some(({ target, text }) => target === 'boss' && text.includes(id)));
    const { tasks } = (await agent(['inbox', '--json'])).json() as { tasks: object[] };
    expect(tasks).toMatchObject([{ task_id: id, lifecycle: 'completed' }]);
    expect((await agent(['inbox'])).stdout).toMatch(new RegExp(`${id}\\s+completed\\s+child`));
    expect((await agent(['status', id])).stdout).toContain('completed: settled_after_activity');
    // Another agent's inbox does not hold it, and cannot take it away; a person sees everything.
    expect((await agent(['inbox', '--json'], 'w1:p1')).json()).toMatchObject({ tasks: [] });
    const wrong = await agent(['ack', id, '--parent', 'child']);
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('another parent') });
    expect((await agent(['inbox', '--everybody', '--json'], '')).json()).toMatchObject({
      tasks: [{ task_id: id }],
    });
    expect((await agent(['ack', id, '--parent', 'boss'])).stdout).toBe(`${id} acknowledged\n`);
    expect((await agent(['ack', id])).stdout).toBe(`${id} had been acknowledged before\n`);
    expect((await agent(['inbox', '--json'])).json()).toMatchObject({ tasks: [] });
  });

  it('names no parent for a person in a pane without an agent', async () => {
    const sent = await agent(['dispatch', 'child', 'from a shell', '--json'], 'w1:p9');
    expect(sent).toMatchObject({ code: 0 });
    const status = await agent(['status', String(sent.json().task_id), '--json']);
    expect(status.json()).toMatchObject({ task: { parent_kind: 'none', lifecycle: 'running' } });
  });

  it('still names the agent whose pane was moved to another workspace since', async () => {
    verifies('tasks.inbox');
    const boss = herdr.agents.get('boss');
    if (boss) herdr.agents.set('boss', { ...boss, workspace_id: 'w2', pane_id: 'w2:p1' });
    herdr.aliases.set('w1:p2', 'w2:p1');
    const sent = await agent(['dispatch', 'child', 'after the move', '--json']);
    const status = await agent(['status', String(sent.json().task_id), '--json']);
    expect(status.json()).toMatchObject({ task: { parent_kind: 'agent' } });
  });

  it('says in one sentence what it did not do', async () => {
    const nobody = await agent(['dispatch', 'nobody', 'hello']);
    expect(nobody).toMatchObject({ code: 1, stdout: '' });
    expect(nobody.stderr).toContain('Nothing was sent');
    expect(await agent(['dispatch', 'child', ' '])).toMatchObject({ code: 2, stdout: '' });
    expect(await agent(['status', 'd_unknown'])).toMatchObject({ code: 1, stderr: expect.stringContaining('No task') });
    expect(await agent(['inbox', '--limit', 'many'])).toMatchObject({ code: 2 });
  });

  it('installs a skill for local agents, renews its own, and leaves alone what is not', async () => {
    const path = join(home.path, '.agents', 'skills', 'herdr-mcp');
    const file = join(path, 'SKILL.md');
    expect((await agent(['skill', 'status', '--json'])).json()).toMatchObject({ state: 'absent', path });
    expect((await agent(['skill', 'install'])).stdout).toBe(`Written to ${path}\n`);
    const text = readFileSync(file, 'utf8');
    expect(text).toMatch(/^---\nname: herdr-mcp\ndescription: .{40,}\n---\n/);
    for (const command of ['dispatch', 'inbox', 'status', 'ack']) expect(text).toContain(`herdr-mcp agent ${command}`);
    expect((await agent(['skill', 'install', '--json'])).json()).toMatchObject({ done: 'unchanged' });
    writeFileSync(file, `${text}\nmy own words\n`);
    for (const change of ['install', 'uninstall']) {
      const refused = await agent(['skill', change]);
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('was changed since') });
    }
    expect(readFileSync(file, 'utf8')).toContain('my own words');
    writeFileSync(file, text);
    expect((await agent(['skill', 'uninstall', '--json'])).json()).toMatchObject({ done: 'removed' });
    expect(existsSync(path)).toBe(false);
  });
});
