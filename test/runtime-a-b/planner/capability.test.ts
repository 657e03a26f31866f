import { spawnSync } from 'node:child_process';
import { rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kindsInHelp, traitsOfHelp, versionIn } from '../../../runtime-a-b/capability/interpret.ts';
import type { CapabilityRecord, Trait } from '../../../runtime-a-b/capability/record.ts';
import { type LiveAgent, type Requirements, resolveCandidates } from '../../../runtime-a-b/capability/resolver.ts';
import { verifies } from '../../verifies.ts';
import { until } from '../support/index.ts';
import { type Desk, openDesk } from './desk.ts';

type Json = Record<string, unknown>;

describe('herdr_mcp.capability.scan', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk();
  });
  afterAll(() => desk.close());
  const scan = (params: Json = {}, as?: 'connector') => desk.method('herdr_mcp.capability.scan', params, as);
  /** A scan in which these programs answered: on a busy machine even `echo` may be late, and is then asked again. */
  const scanOf = (agents: string[], params: Json = {}) =>
    until(`an answer of ${agents.join(' and ')}`, async () => {
      const answer = await scan(params);
      return agents.every((agent) => record(answer, agent).problem === undefined) ? answer : undefined;
    });
  const record = (answer: Json, agent: string) => (answer.records as Json[]).find((one) => one.agent === agent) as Json;
  const value = (answer: Json, agent: string, trait: string) =>
    (record(answer, agent).traits as Record<string, Trait>)[trait]?.value;

  it('asks known programs for their version, without the person’s HOME, keys and input, and keeps where it is known from', async () => {
    verifies('tasks.capabilities');
    desk.program('claude', 'env > $SEEN_FOLDER/env; cat > $SEEN_FOLDER/stdin; echo "2.1.9 (Claude Code)"');
    desk.program(
      'pi',
      'if [ "$1" = --help ]; then printf "  read - Read files\\n  bash - Run\\n  edit - Edit\\n  write - Write\\nRuns non-interactive with -p\\n"; else echo pi 0.4.1; fi',
    );
    desk.program('codex', 'sleep 60 & echo $! > $SEEN_FOLDER/left; echo codex-cli 1.0.0');
    desk.program('grok', 'exec sleep 60');
    desk.program('opencode', 'yes | head -c 500000; echo no version here');
    desk.program('mystery', 'touch $SEEN_FOLDER/mystery-ran');
    const answer = await scanOf(['claude', 'codex', 'pi', 'opencode']);
    expect(answer).toMatchObject({ ok: true });
    expect(record(answer, 'claude')).toMatchObject({
      probe_level: 'version',
      traits: { binary_version: { value: '2.1.9', source: 'claude --version', authority: 'self_report' } },
    });
    const env = desk.seen('env');
    expect(env).toContain('HERDR_MCP_CAPABILITY_PROBE=1');
    expect(env).not.toMatch(/the-persons-own-key|SEEN=|HERDR_MCP_STATE_DIR/);
    expect(/^HOME=(.*)$/m.exec(env)?.[1]).not.toBe(desk.home);
    expect(desk.seen('stdin')).toBe('');
    expect(record(answer, 'grok')).toMatchObject({ problem: 'did not answer in 3000 ms', traits: {} });
    desk.program('grok', 'exit 1'); // it would cost each later scan its time
    expect(value(answer, 'opencode', 'binary_version')).toBeUndefined();
    expect(value(answer, 'droid', 'available_for_start')).toBe(false);
    // What a probe left behind is gone with its group.
    const left = Number(desk.seen('left'));
    const stateOf = () => spawnSync('ps', ['-o', 'stat=', '-p', String(left)], { encoding: 'utf8' }).stdout.trim();
    await expect.poll(stateOf).toMatch(/^(Z|$)/);
    expect(() => desk.seen('mystery-ran')).toThrow();
    expect(statSync(join(desk.rt.stateDir, 'capability', 'inventory.db')).mode & 0o777).toBe(0o600);
  });

  it('infers nothing from a name: what no probe reported stays unverified until a deeper one reports it', async () => {
    verifies('tasks.capabilities');
    const shallow = await scanOf(['claude', 'pi']);
    expect(shallow.cached).toBeGreaterThan(0);
    for (const agent of ['claude', 'pi']) expect(value(shallow, agent, 'supports_code_edit')).toBeUndefined();
    const deep = await scanOf(['claude', 'pi'], { probe: true });
    expect(record(deep, 'pi')).toMatchObject({
      probe_level: 'deep',
      traits: {
        supports_code_edit: { value: true },
        supports_shell: { value: true },
        can_run_headless: { value: true },
      },
    });
    expect(value(deep, 'pi', 'supports_vision')).toBeUndefined();
    expect(value(deep, 'claude', 'supports_code_edit')).toBeUndefined();
  });

  it('believes nothing about a program that was replaced', async () => {
    verifies('tasks.capabilities');
    desk.program('pi', 'echo pi 9.9.9; exit 0');
    const answer = await scanOf(['pi']);
    expect(record(answer, 'pi')).toMatchObject({ probe_level: 'version' });
    expect(value(answer, 'pi', 'binary_version')).toBe('9.9.9');
    expect(value(answer, 'pi', 'supports_code_edit')).toBeUndefined();
  });

  it('is shown compactly by herdr_inspect, and advises with the same resolver', async () => {
    verifies('tasks.capabilities', 'runtime.inspect');
    const { json } = await desk.rt.call('herdr_inspect');
    expect(json.capability_inventory).toMatchObject({ source: 'scan_cache', needs_scan: false });
    expect((json.agents as Json[])[0]).toMatchObject({
      kind: 'claude',
      capabilities: { source: 'scan_cache', agent_version: '2.1.9', probe_level: 'deep' },
    });
    const advised = await desk.method('herdr_mcp.planning.advise', { task_text: 't', requires_code_edit: true });
    expect(advised.candidates).toMatchObject([{ name: 'builder', verdict: 'unverified' }]);
  });

  it('is run for a person at the workstation only; everybody may read', async () => {
    expect(await scan({}, 'connector')).toMatchObject({ ok: false, code: 'local_person_required' });
    const read = await desk.method('herdr_mcp.capability.inventory', {}, 'connector');
    expect((read.records as unknown[]).length).toBeGreaterThan(0);
  });

  it('an inventory that cannot be used counts as not scanned and stops nothing', async () => {
    verifies('tasks.capabilities');
    const broken = await openDesk();
    await broken.method('herdr_mcp.capability.scan');
    await broken.rt.runtime.stop();
    const file = join(broken.rt.stateDir, 'capability', 'inventory.db');
    for (const more of ['-wal', '-shm']) rmSync(`${file}${more}`, { force: true });
    writeFileSync(file, 'no database at all, only words that stand here');
    const { testRuntime } = await import('../support/index.ts');
    const again = await testRuntime({ stateDir: broken.rt.stateDir, herdrSocket: broken.herdr.path });
    const { json } = await again.call('herdr_inspect');
    expect(json).toMatchObject({ ok: true, capability_inventory: { source: 'not_scanned', needs_scan: true } });
    await again.end();
    await broken.close();
  });
});

describe('the resolver', () => {
  const trait = (of: Trait['value']): Trait => ({
    value: of,
    source: 'test',
    authority: 'self_report',
    observed_at_ms: 1,
  });
  const known = (agent: string, traits: Record<string, Trait['value']>): CapabilityRecord => ({
    agent,
    fingerprint: 'f',
    probe_level: 'deep',
    observed_at_ms: 1,
    manifest_version: null,
    binary: null,
    traits: Object.fromEntries(Object.entries(traits).map(([name, of]) => [name, trait(of)])),
  });
  const live = (name: string, kind: string | null, status: LiveAgent['status'] = 'idle'): LiveAgent => ({
    name,
    kind,
    pane_id: `w1:${name}`,
    workspace_id: 'w1',
    status,
  });
  const inventory = [
    known('pi', {
      supports_code_edit: true,
      supports_shell: true,
      available_for_start: true,
      model: 'M-1',
      reasoning_tier: 2,
    }),
    known('eyes', { supports_vision: true, supports_code_edit: false }),
  ];

  it.each<[Requirements, string | null, string]>([
    [{}, 'pi', 'verified'],
    [{}, 'claude', 'unverified'],
    [{}, null, 'unverified'],
    [{ code_edit: true }, 'pi', 'verified'],
    [{ code_edit: true }, 'Pi', 'verified'],
    [{ code_edit: true }, 'eyes', 'unfit'],
    [{ code_edit: true }, 'claude', 'unverified'],
    [{ vision: true }, 'pi', 'unverified'],
    [{ vision: true }, 'eyes', 'verified'],
    [{ vision: true, code_edit: true }, 'eyes', 'unfit'],
    [{ headless: true }, 'pi', 'unverified'],
    [{ model: 'm-1' }, 'pi', 'verified'],
    [{ model: 'm-2' }, 'pi', 'unfit'],
    [{ model: 'm-2' }, 'eyes', 'unverified'],
    [{ minimum_reasoning_tier: 2 }, 'pi', 'verified'],
    [{ minimum_reasoning_tier: 3 }, 'pi', 'unfit'],
    [{ minimum_reasoning_tier: 1 }, 'eyes', 'unverified'],
  ])('%j of a live %s is %s', (requirements, kind, verdict) => {
    verifies('tasks.capabilities');
    const [candidate] = resolveCandidates(inventory, [live('a', kind)], requirements).filter((one) => one.live);
    expect(candidate?.verdict).toBe(verdict);
    expect(candidate?.reasons.every(({ why }) => why !== '')).toBe(true);
  });

  it('puts verified before unverified before unfit, idle before working, live before startable', () => {
    const agents = [live('busy', 'pi', 'working'), live('other', 'claude'), live('free', 'pi'), live('looker', 'eyes')];
    const order = resolveCandidates(inventory, agents, { code_edit: true }).map(
      ({ name, kind }) => name ?? `start ${kind}`,
    );
    expect(order).toEqual(['free', 'start pi', 'busy', 'other', 'looker']);
    expect(resolveCandidates([], [], { code_edit: true })).toEqual([]);
  });
});

describe('what a program says', () => {
  it.each([
    ['2.1.9 (Claude Code)', '2.1.9'],
    ['codex-cli 0.40.0-alpha.3', '0.40.0-alpha.3'],
    ['v1.2', '1.2'],
    ['\nTool/3.4.5 linux', '3.4.5'],
    ['error: unknown option', undefined],
    ['listening on 127.0.0.1:80', undefined],
    ['', undefined],
  ])('%j is version %s', (output, version) => expect(versionIn(output)).toBe(version));

  it('only exact forms promote a trait', () => {
    verifies('tasks.capabilities');
    expect(traitsOfHelp('claude', '  edit - Edit files\n  bash - Run', 1)).toEqual({});
    expect(traitsOfHelp('pi', 'can edit and write and bash', 1)).toEqual({});
    expect(traitsOfHelp('pi', '  bash - Run commands', 1)).toMatchObject({ supports_shell: { value: true } });
    expect(kindsInHelp('  --kind <KIND>  [possible values: pi, claude, codex]')).toEqual(['pi', 'claude', 'codex']);
    expect(kindsInHelp('no list')).toEqual([]);
  });
});
