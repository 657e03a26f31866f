/** A whole runtime over a scripted Herdr, with a checkout of its own, programs of its own, and providers that can be told. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SemanticRoute } from '../../../contract/semantic/index.ts';
import { Providers } from '../semantic/provider.ts';
import {
  agent,
  type FakeHerdr,
  fakeHerdr,
  pane,
  snapshotOf,
  type TestRuntime,
  tempFolder,
  testRuntime,
  until,
  workspace,
} from '../support/index.ts';

type Json = Record<string, unknown>;

export interface Desk {
  rt: TestRuntime;
  herdr: FakeHerdr;
  providers: Providers;
  home: string;
  repo: string;
  /** What programs of {@link program} wrote about themselves. */
  seen(name: string): string;
  /** A program on the runtime's PATH; a shell script. */
  program(name: string, script: string): void;
  git(...args: string[]): string;
  /** The JSON of a method's answer. `as` is who asks; the person at the workstation when absent. */
  method(name: string, params?: Json, as?: 'connector'): Promise<Json>;
  /** The same, once there was advice: on a busy machine a provider may be later than an adviser waits. */
  advised(name: string, params: Json): Promise<Json>;
  routes(...routes: SemanticRoute[]): void;
  close(): Promise<void>;
}

const LOCAL = { kind: 'local', id: 'loopback', label: 'test' } as const;

export async function openDesk(): Promise<Desk> {
  const folder = tempFolder('hm-plan-');
  const [home, bin, seen, repo] = ['home', 'home/.local/bin', 'seen', 'home/work/repo'].map((name) =>
    join(folder.path, name),
  ) as [string, string, string, string];
  for (const path of [bin, seen, repo]) mkdirSync(path, { recursive: true });
  const env = {
    ...process.env,
    HOME: home,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_AUTHOR_NAME: 't',
    GIT_AUTHOR_EMAIL: 't@t',
    GIT_COMMITTER_NAME: 't',
    GIT_COMMITTER_EMAIL: 't@t',
  };
  const git = (...args: string[]) => execFileSync('git', ['-C', repo, ...args], { env, encoding: 'utf8' });
  git('init', '-q', '-b', 'main');
  writeFileSync(join(repo, 'a.txt'), 'one\n');
  writeFileSync(
    join(repo, 'package.json'),
    JSON.stringify({ scripts: { test: 'x', lint: 'x', typecheck: 'x', dev: 'x' } }),
  );
  git('add', '.');
  git('commit', '-qm', 'first');
  const snapshot = () =>
    snapshotOf({
      workspaces: [workspace('w1', { focused: true })],
      panes: [pane('w1:p1', { cwd: repo })],
      agents: [agent('w1:p1', { cwd: repo, agent: 'claude', name: 'builder' })],
    });
  const herdr = await fakeHerdr({ 'session.snapshot': snapshot });
  const providers = await new Providers().open();
  const rt = await testRuntime({
    stateDir: join(folder.path, 'state'),
    herdrSocket: herdr.path,
    env: { HOME: home, PATH: `${bin}:/usr/bin:/bin`, SEEN: seen, MY_API_KEY: 'the-persons-own-key' },
  });
  await until('the agent', async () => {
    const { json } = await rt.call('herdr_inspect');
    return (json.agents as unknown[] | undefined)?.length === 1 ? true : undefined;
  });
  const desk: Desk = {
    rt,
    herdr,
    providers,
    home,
    repo,
    git,
    seen: (name) => readFileSync(join(seen, name), 'utf8'),
    program(name, script) {
      const file = join(bin, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, `#!/bin/sh\n${script.replaceAll('$SEEN_FOLDER', seen)}\n`);
      chmodSync(file, 0o755);
    },
    async method(name, params = {}, as) {
      const args = { method: name, params: JSON.stringify(params) };
      const { json } = await rt.call('herdr_call', args, as === undefined ? { principal: LOCAL } : {});
      return json;
    },
    advised(name, params) {
      return until(`advice of ${name}`, async () => {
        const answer = await desk.method(name, params);
        const told = (answer.semantic ?? answer.advice ?? answer) as Json;
        return told.used === true ? answer : undefined;
      });
    },
    routes(...routes) {
      writeFileSync(join(rt.stateDir, 'config.json'), JSON.stringify({ semantic: { routes } }), { mode: 0o600 });
    },
    async close() {
      await rt.end();
      await herdr.stop();
      await providers.close();
      folder.remove();
    },
  };
  return desk;
}
