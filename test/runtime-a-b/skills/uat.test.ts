import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { endHerdr, type Herdr, startAgent, startHerdr } from '../../embedded-herdr/harness/index.ts';
import { verifies } from '../../verifies.ts';
import { answers, Providers } from '../semantic/provider.ts';
import { type TestRuntime, testRuntime, until } from '../support/index.ts';

/**
 * One piece of work with agents of different verified capabilities, by a planner that does what the served policy says, once
 * with the single document and once with modules on demand. What it found is recorded in docs/decisions.
 */
type Json = Record<string, unknown>;
const AGENTS = fileURLToPath(new URL('./agents', import.meta.url));
const PERSON = { principal: { kind: 'local', id: 'loopback', label: 'person' } as const };
const providers = new Providers();
const herdrs: Herdr[] = [];
const runtimes: TestRuntime[] = [];

beforeAll(() => providers.open());
afterAll(async () => {
  await Promise.all(runtimes.map((rt) => rt.end()));
  await Promise.all(herdrs.map((herdr) => endHerdr(herdr)));
  await providers.close();
});

interface Run {
  mode: string;
  /** Bytes of policy that the planner read, and answers that it needed. */
  policyBytes: number;
  calls: number;
  chosen: unknown;
  seen: string[];
}

async function work(progressive: boolean): Promise<Run> {
  const path = `${AGENTS}:${process.env.PATH ?? ''}`;
  const herdr = await startHerdr({ env: { PATH: path } });
  herdrs.push(herdr);
  const repo = join(herdr.work, 'repo');
  mkdirSync(repo);
  const git = (...args: string[]) => execFileSync('git', ['-C', repo, ...args]);
  git('init', '-q', '-b', 'main');
  writeFileSync(join(repo, 'README.md'), 'A thing to build.\n');
  git('add', '.');
  git('-c', 'user.name=t', '-c', 'user.email=t@t', 'commit', '-qm', 'first');
  const rt = await testRuntime({
    herdrSocket: herdr.path,
    env: { PATH: path, ...(progressive ? { HERDR_MCP_PROGRESSIVE_SKILLS: '1' } : {}) },
  });
  runtimes.push(rt);
  const routes = [providers.route('judge')];
  writeFileSync(join(rt.stateDir, 'config.json'), JSON.stringify({ semantic: { routes } }), { mode: 0o600 });
  for (const [name, kind] of [
    ['builder', 'pi'],
    ['reviewer', 'claude'],
  ] as const) {
    await startAgent(herdr, await herdr.open(name, { cwd: repo }), name, kind);
  }

  const run: Run = { mode: '', policyBytes: 0, calls: 0, chosen: null, seen: [] };
  const tool = async (name: string, args: Json = {}): Promise<Json> => {
    run.calls += 1;
    return (await rt.call(name, args)).json;
  };
  const method = (name: string, params: Json = {}) =>
    tool('herdr_call', { method: name, params: JSON.stringify(params) });

  // The policy, as much of it as this work needs.
  const skill = await tool('herdr_skill', { include_native_reference: false });
  run.mode = String(skill.mode);
  run.policyBytes = Number(skill.bytes);
  if (skill.mode === 'progressive') {
    const loaded = await method('herdr_mcp.skill.load', { ids: ['agent-dispatch', 'engineering-robustness'] });
    for (const { bytes } of loaded.modules as { bytes: number }[]) run.policyBytes += bytes;
  }
  // Evidence about the workers: a person scans, the planner reads.
  const params = JSON.stringify({ probe: true });
  await rt.call('herdr_call', { method: 'herdr_mcp.capability.scan', params }, PERSON);
  const workers = await until('both agents', async () => {
    const { agents } = (await rt.call('herdr_inspect')).json;
    return (agents as Json[]).length === 2 ? (agents as Json[]) : undefined;
  });
  run.seen.push(
    ...workers
      .map(({ name, capabilities }) => `${name} ${JSON.stringify((capabilities as Json | undefined)?.verified)}`)
      .sort(),
  );
  // Whom it is given to: the verified one; where nobody is verified, that blocks nothing.
  const plan = await method('herdr_mcp.planning.advise', {
    task_text: 'build it',
    requires_code_edit: true,
    deterministic_tool: false,
    requires_shell: false,
    requires_vision: false,
  });
  const candidates = plan.candidates as { name: string; verdict: string }[];
  run.seen.push(...candidates.map(({ name, verdict }) => `${name} for editing: ${verdict}`));
  run.chosen = candidates[0]?.name;
  const visual = await method('herdr_mcp.planning.advise', { requires_vision: true });
  expect((visual.candidates as { verdict: string }[]).every(({ verdict }) => verdict === 'unverified')).toBe(true);
  expect(visual.determinism).toMatchObject({ zero_candidates_blocks_execution: false });
  // Submitted once; the same key again is the same task.
  const prompt = { target: String(run.chosen), text: 'build it here', idempotency_key: 'uat-1' };
  const task = await tool('herdr_prompt', prompt);
  expect(task).toMatchObject({ ok: true, task_id: expect.any(String), turn_id: expect.any(String) });
  expect((await tool('herdr_prompt', prompt)).task_id).toBe(task.task_id);
  const inbox = await until('the result', async () => {
    const answer = (await rt.call('herdr_call', { method: 'herdr_mcp.agent.task.inbox', params: '{"advisory":true}' }))
      .json;
    // On a busy machine the stand-in may be later than the inbox waits; the result is there all the same.
    return (answer.attention as Json | undefined)?.used === true ? answer : undefined;
  });
  expect(inbox).toMatchObject({
    tasks: [{ task_id: task.task_id, lifecycle: 'completed', attention: 'verify_completion' }],
  });
  run.seen.push('inbox: completed, verify_completion');
  // Completed is not done: what changed, by Git, and the checks that were frozen before.
  const checks = ['test -f README.md', 'test -f built.txt'];
  const validation = await method('herdr_mcp.validation.advise', { task_id: task.task_id, candidate_checks: checks });
  expect(validation).toMatchObject({ changed_files: ['built.txt'], projection: { base_known: true, commits: 0 } });
  expect((validation.projection as { changed_files: Json[] }).changed_files[0]).toMatchObject({
    how: ['untracked'],
    since_dispatch: true,
  });
  expect([...(validation.checks as string[])].sort()).toEqual([...checks].sort());
  const workspace = workers.find(({ name }) => name === run.chosen)?.workspace;
  for (const command of validation.checks as string[]) {
    expect(await tool('herdr_exec', { workspace, command, intent: 'read_only' })).toMatchObject({ exit_code: 0 });
  }
  run.seen.push(`changed: ${(validation.changed_files as string[]).join(' ')}`, 'all checks passed');
  expect(await method('herdr_mcp.agent.task.ack', { task_id: task.task_id })).toMatchObject({ ok: true });
  expect((await method('herdr_mcp.agent.task.inbox')).tasks).toEqual([]);
  return run;
}

it('the same work comes out the same with one document and with modules on demand, which cost less to read', async () => {
  verifies('tasks.skills', 'tasks.capabilities', 'tasks.advice');
  providers.at(
    'judge',
    answers((id) => (id.startsWith('check_') ? 0.5 : 'verify_completion')),
  );
  const [single, progressive] = await Promise.all([work(false), work(true)]);
  expect(single.mode).toBe('single');
  expect(progressive.mode).toBe('progressive');
  expect(progressive.seen).toEqual(single.seen);
  expect(single).toMatchObject({ chosen: 'builder' });
  expect(single.seen).toContain('builder {"supports_code_edit":true,"supports_shell":true}');
  expect(single.seen).toContain('reviewer {}');
  expect(single.seen).toContain('reviewer for editing: unverified');
  expect(progressive.policyBytes).toBeLessThan(single.policyBytes);
  expect(progressive.calls).toBe(single.calls + 1);
}, 120_000);
