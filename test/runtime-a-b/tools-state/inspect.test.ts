import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeRef } from '../../../contract/refs.ts';
import { endHerdr, type Herdr, startHerdr } from '../../embedded-herdr/harness/index.ts';
import { verifies } from '../../verifies.ts';
import {
  agent,
  DEVICE,
  type FakeHerdr,
  fakeHerdr,
  pane,
  snapshotOf,
  type TestRuntime,
  tab,
  tempFolder,
  testRuntime,
  until,
  workspace,
} from '../support/index.ts';

type Facts = Record<string, unknown>;
const list = (json: Facts, name: string) => json[name] as Facts[];

describe('herdr_inspect over a real server', () => {
  let herdr: Herdr;
  let rt: TestRuntime;
  let repo: string;
  const git = (...args: string[]) => execFileSync('git', ['-C', repo, ...args]);
  beforeAll(async () => {
    herdr = await startHerdr();
    repo = join(herdr.work, 'repo');
    mkdirSync(join(repo, 'src'), { recursive: true });
    git('init', '-q', '-b', 'main');
    writeFileSync(join(repo, 'a.txt'), 'one\n');
    git('add', '.');
    git('commit', '-qm', 'first');
    rt = await testRuntime({ herdrSocket: herdr.path });
  }, 60_000);
  afterAll(async () => {
    await rt.end();
    await endHerdr(herdr);
  });

  const project = async (root: string) => {
    const { json } = await rt.call('herdr_inspect');
    return list(json, 'workspaces')
      .flatMap(({ projects }) => projects as Facts[])
      .find((one) => one.root === root);
  };

  it('shows workspaces, panes and projects with refs that name this workstation and this Herdr', async () => {
    verifies('runtime.inspect');
    const first = await herdr.open('shop', { cwd: join(repo, 'src') });
    const { json } = await until('the project', async () => {
      const answer = await rt.call('herdr_inspect');
      return list(answer.json, 'workspaces')[0] ? answer : undefined;
    });
    const [shop] = list(json, 'workspaces');
    expect(shop).toMatchObject({
      id: first.workspace_id,
      label: 'shop',
      heterogeneous: false,
      projects: [
        {
          root: repo,
          managed: true,
          vcs: 'git',
          pane_ids: [first.pane_id],
          dirty: false,
          changed_files: 0,
          branch: 'main',
          observed_at_ms: expect.any(Number),
        },
      ],
    });
    expect(decodeRef(String(shop?.ref))).toEqual({ device: DEVICE, workspace: `embedded/${first.workspace_id}` });
    expect(decodeRef(String(list(json, 'panes')[0]?.ref))).toEqual({
      device: DEVICE,
      pane: `embedded/${first.pane_id}`,
    });
    expect(json).toMatchObject({
      ok: true,
      herdr: { state: 'live', embedded: true },
      workstation_info: { device: DEVICE, generation: 'a' },
    });
  });

  it('takes a ref, an id or a label as its scope', async () => {
    const { json } = await rt.call('herdr_inspect');
    const [shop] = list(json, 'workspaces');
    for (const scope of [shop?.ref, shop?.id, 'shop']) {
      const scoped = await rt.call('herdr_inspect', { workspace: scope });
      expect(list(scoped.json, 'workspaces').map(({ id }) => id)).toEqual([shop?.id]);
    }
    expect((await rt.call('herdr_inspect', { workspace: 'nowhere' })).json).toMatchObject({
      code: 'workspace_not_found',
      candidates: [{ label: 'shop' }],
    });
  });

  it('notices what was committed or written since, and asks Git nothing while nothing changed', async () => {
    const quiet = await project(repo);
    expect(await project(repo)).toEqual(quiet);
    writeFileSync(join(repo, 'b.txt'), 'new\n');
    git('add', 'b.txt');
    expect(
      await until('the staged file', async () => ((await project(repo))?.dirty === true ? project(repo) : undefined)),
    ).toMatchObject({ changed_files: 1 });
    git('commit', '-qm', 'second');
    await until('clean again', async () => (await project(repo))?.dirty === false);
  });

  it('calls a directory without Git neither clean nor dirty', async () => {
    verifies('roots.operational');
    const plain = join(herdr.work, 'plain');
    mkdirSync(plain);
    await herdr.open('plain', { cwd: plain });
    const shown = await until('the directory', () => project(plain));
    expect(shown).toMatchObject({ managed: false, vcs: null });
    for (const name of ['dirty', 'changed_files', 'branch', 'observed_at_ms']) expect(shown).not.toHaveProperty(name);
  });

  it('says where a project is open too, and when one workspace holds several', async () => {
    const twin = await herdr.open('twin', { cwd: repo });
    const split = await herdr.call('pane.split', {
      target_pane_id: twin.pane_id,
      direction: 'down',
      cwd: join(herdr.work, 'plain'),
    });
    const { json } = await until('both projects', async () => {
      const answer = await rt.call('herdr_inspect', { workspace: 'twin' });
      return list(answer.json, 'workspaces')[0]?.heterogeneous ? answer : undefined;
    });
    const projects = list(json, 'workspaces')[0]?.projects as Facts[];
    expect(projects.find(({ root }) => root === repo)).toMatchObject({
      also_open_in: [expect.any(String)],
      pane_ids: [twin.pane_id],
    });
    expect(projects.find(({ root }) => root === join(herdr.work, 'plain'))).toMatchObject({
      pane_ids: [split.pane.pane_id],
    });
    expect((await rt.call('herdr_inspect')).json.shared_projects).toEqual(
      expect.arrayContaining([expect.objectContaining({ root: repo })]),
    );
  });

  it('goes on with the last picture, marked stale, when Herdr is gone', async () => {
    verifies('herdr.live');
    await herdr.stop();
    const { json } = await until('a stale answer', async () => {
      const answer = await rt.call('herdr_inspect');
      return answer.json.stale === true ? answer : undefined;
    });
    expect(json).toMatchObject({ ok: true, herdr: { state: 'stale', problem: { code: expect.any(String) } } });
    expect(list(json, 'workspaces').length).toBeGreaterThan(0);
    const projects = list(json, 'workspaces').flatMap(({ projects: own }) => own as Facts[]);
    expect(projects.every(({ stale }) => stale === true)).toBe(true);
  });
});

describe('herdr_inspect of a large workstation', () => {
  const folder = tempFolder();
  let herdr: FakeHerdr;
  let rt: TestRuntime;
  const COUNT = 60;
  beforeAll(async () => {
    const ids = Array.from({ length: COUNT }, (_, i) => `w${i + 1}`);
    for (const id of ids) mkdirSync(join(folder.path, id));
    symlinkSync('/etc', join(folder.path, 'etc'));
    const panes = ids.flatMap((id) =>
      Array.from({ length: 12 }, (_, i) => pane(`${id}:p${i + 1}`, { cwd: join(folder.path, id) })),
    );
    herdr = await fakeHerdr({
      'session.snapshot': () =>
        snapshotOf({
          workspaces: ids.map((id, i) => workspace(id, { focused: i === 40 })),
          tabs: ids.map((id) => tab(`${id}:t1`)),
          panes,
          agents: [agent('w7:p3', { name: 'busy', agent_status: 'working', cwd: join(folder.path, 'w7') })],
          focused_workspace_id: 'w41',
        }),
      'agent.list': () => ({
        type: 'agent_list',
        agents: [agent('w7:p3', { name: 'busy', agent_status: 'working', cwd: join(folder.path, 'w7') })],
      }),
    });
    rt = await testRuntime({ herdrSocket: herdr.path });
  });
  afterAll(async () => {
    await rt.end();
    await herdr.stop();
    folder.remove();
  });

  it('is bounded, most relevant first, and its cursor gives every pane exactly once', async () => {
    verifies('runtime.inspect');
    const seen: string[] = [];
    let workspaces = 0;
    let cursor: unknown;
    for (let page = 0; page === 0 || cursor !== undefined; page++) {
      const { json, result } = await rt.call('herdr_inspect', cursor === undefined ? {} : { cursor });
      expect(result.content[0]?.text.length).toBeLessThanOrEqual(100_000);
      if (page === 0) {
        expect(
          list(json, 'workspaces')
            .slice(0, 2)
            .map(({ id }) => id),
        ).toEqual(['w41', 'w7']);
        expect(list(json, 'agents')).toMatchObject([
          { name: 'busy', kind: 'claude', pane: 'w7:p3', status: 'working', interactive_ready: 'unknown' },
        ]);
        expect(json).toMatchObject({ truncated: true, cut: expect.stringContaining('panes are not in this answer') });
      }
      workspaces += list(json, 'workspaces').length;
      seen.push(...list(json, 'panes').map(({ id }) => String(id)));
      cursor = json.next_cursor;
      if (page > 20) throw new Error('the cursor never ends');
    }
    expect(workspaces).toBe(COUNT);
    expect(seen).toHaveLength(COUNT * 12);
    expect(new Set(seen).size).toBe(COUNT * 12);
  });

  it.each(['nonsense', '0123456789ab.0', '0123456789ab.x', ''])('refuses the cursor %j', async (cursor) => {
    expect((await rt.call('herdr_inspect', { cursor })).json).toMatchObject({
      code: 'invalid_params',
      delivery: 'not_delivered',
    });
  });
});
