import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  LoginEnvironment,
  type Probe,
  type ProbeOptions,
  probeEnvironment,
  serviceEnvironment,
} from '../../../runtime-a-b/exec/environment/index.ts';
import { PROBE_MS, PROBE_PATIENCE_MS, PROBE_RETRY_MS } from '../../../runtime-a-b/exec/limits.ts';
import { markedProcesses } from '../../../runtime-a-b/exec/processes.ts';
import { verifies } from '../../verifies.ts';
import { temporaryFolder, writeFiles } from '../roots/live-view.ts';
import { never, quiet, until } from './support.ts';

const SHELL = { path: '/bin/bash', kind: 'bash' } as const;

function home(files: Record<string, string>) {
  const homeDir = temporaryFolder();
  writeFiles(homeDir, files);
  for (const tool of ['tool-a', 'tool-b']) {
    mkdirSync(join(homeDir, tool, 'bin'), { recursive: true });
    writeFileSync(join(homeDir, tool, 'bin', tool), '#!/bin/sh\n');
    chmodSync(join(homeDir, tool, 'bin', tool), 0o755);
  }
  const folder = temporaryFolder();
  const options = (limitMs: number): ProbeOptions => ({
    shell: SHELL,
    base: { PATH: '/usr/bin:/bin' },
    homeDir,
    folder,
    limitMs,
    signal: never,
  });
  return { homeDir, folder, options };
}

const PROFILE = 'export PATH="$HOME/tool-a/bin:$PATH"; . ~/.bashrc\n';
const INTERACTIVE = 'case $- in *i*) ;; *) return;; esac\n';

describe('probing the login shell', () => {
  it('finds what login and interactive start-up files add, no banner, and waits for no job of theirs', async () => {
    verifies('exec.environment');
    const { homeDir, options } = home({
      '.bash_profile': PROFILE,
      '.bashrc': `${INTERACTIVE}echo "Welcome back, PATH=/not/this"; export PATH="$HOME/tool-b/bin:$PATH"; sleep 600 & setsid sleep 601 &\nexport MARK=$HERDR_MCP_ENV_PROBE\n`,
    });
    const probe = await probeEnvironment(options(20_000));
    if (!probe.ok) throw new Error(probe.reason);
    expect(probe.environment.PATH?.startsWith(`${homeDir}/tool-b/bin:${homeDir}/tool-a/bin:`)).toBe(true);
    expect(probe.environment.PATH).not.toContain('/not/this');
    expect(probe.environment).not.toHaveProperty('HERDR_MCP_ENV_PROBE');
    expect(probe.environment.MARK).toMatch(/^[0-9a-f]{16}$/);
    const nonce = probe.environment.MARK as string;
    await until(() => markedProcesses(nonce, 'HERDR_MCP_ENV_PROBE').length === 0, 'the jobs are ended');
  });

  it.each([
    ['exec sleep 45', /did not end within/],
    ['sleep 45', /did not end within/],
    ['exec tmux-that-is-not-there', /ended .*before/],
    ['exec false', /exit code 1/],
    ['kill -9 $$', /SIGKILL/],
  ])('ends with a reason when the start-up file does: %s', async (line, reason) => {
    verifies('exec.environment');
    const { options } = home({ '.bash_profile': PROFILE, '.bashrc': `${line}\n` });
    const probe = await probeEnvironment(options(700));
    expect(probe).toMatchObject({ ok: false, reason: expect.stringMatching(reason) });
  });

  it('lets what holds a lock give it back before it is ended, also when it must be ended for good', async () => {
    verifies('exec.environment');
    const { homeDir, options } = home({
      '.bash_profile': PROFILE,
      '.bashrc': `bash "$HOME/rehash"\n`,
      rehash: `echo >"$HOME/lock"; trap 'rm -f "$HOME/lock"; echo x >"$HOME/given-back"' EXIT; (trap '' HUP; sleep 45)\n`,
    });
    const probing = probeEnvironment(options(1_500));
    await until(() => existsSync(join(homeDir, 'lock')), 'the lock is taken');
    expect(await probing).toMatchObject({ ok: false, reason: expect.stringContaining('did not end within') });
    await until(() => existsSync(join(homeDir, 'given-back')), 'the lock is given back');
    expect(existsSync(join(homeDir, 'lock'))).toBe(false);
  });

  it('gives a question in a start-up file an end of input', async () => {
    const { options } = home({
      '.bash_profile': 'read -p "update? " x; export ASKED="[$x]"\nstty -echo 2>/dev/null\n',
    });
    const probe = await probeEnvironment(options(20_000));
    expect(probe).toMatchObject({ ok: true, environment: { ASKED: '[]' } });
  });

  it('keeps values with line breaks and equals signs', async () => {
    const { options } = home({ '.bash_profile': "export ODD=$'a=b\\nPATH=/not/this'\n" });
    expect(await probeEnvironment(options(20_000))).toMatchObject({
      ok: true,
      environment: { ODD: 'a=b\nPATH=/not/this' },
    });
  });
});

describe('a probe whose runtime is killed', () => {
  it('ends with it, and so do the jobs of its start-up files', async () => {
    verifies('exec.environment');
    const { homeDir, folder } = home({
      '.bash_profile': `trap 'echo x >"$HOME/given-back"' EXIT; echo "$HERDR_MCP_ENV_PROBE" >"$HOME/mark"; sleep 600 & sleep 600\n`,
    });
    const program = fileURLToPath(new URL('./probing.ts', import.meta.url));
    const child = spawn(process.execPath, [program, homeDir, folder], { stdio: 'ignore' });
    const mark = await until(() => readable(join(homeDir, 'mark')), 'the start-up file runs');
    const alive = () => markedProcesses(mark.trim(), 'HERDR_MCP_ENV_PROBE');
    await until(() => alive().filter(({ command }) => command.startsWith('sleep')).length === 2, 'both sleep');
    child.kill('SIGKILL');
    await until(() => alive().length === 0, 'nothing of it is left');
    expect(existsSync(join(homeDir, 'given-back'))).toBe(true);
  });

  function readable(path: string): string | undefined {
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    return text === '' ? undefined : text;
  }
});

describe('the login environment', () => {
  function open(place: ReturnType<typeof home>, more: { nowMs?: () => number; probeMs?: number } = {}) {
    return new LoginEnvironment({
      shell: SHELL,
      homeDir: place.homeDir,
      folder: place.folder,
      env: { PATH: '/usr/bin:/bin', HERDR_MCP_TOKEN: 'hidden' },
      nowMs: more.nowMs ?? Date.now,
      log: quiet,
      limits: { probeMs: more.probeMs ?? 20_000, patienceMs: 20_000 },
    });
  }

  it('is captured once, kept privately, and captured again when a start-up file changes', async () => {
    verifies('exec.environment');
    const place = home({ '.bash_profile': 'export N=1; echo x >>"$HOME/runs"\n' });
    const runs = () => readFileSync(join(place.homeDir, 'runs'), 'utf8').length / 2;
    const login = open(place);
    expect((await login.current()).N).toBe('1');
    await login.current();
    expect(runs()).toBe(1);
    const again = open(place);
    expect((await again.current()).N).toBe('1');
    await again.settled();
    expect(runs()).toBe(1);
    expect(statSync(join(place.folder, 'login-env.json')).mode & 0o077).toBe(0);
    writeFiles(place.homeDir, { '.bash_profile': 'export N=22; echo x >>"$HOME/runs"\n' });
    expect((await again.current()).N).toBe('22');
    expect(runs()).toBe(2);
    expect(again.facts()).toMatchObject({
      source: 'login_shell',
      files: expect.arrayContaining([join(place.homeDir, '.bash_profile')]),
    });
  });

  it('stays the last good one when a probe fails, says why, and does not try the same files again and again', async () => {
    verifies('exec.environment');
    const place = home({ '.bash_profile': 'export N=1\n' });
    const login = open(place, { probeMs: 700 });
    expect((await login.current()).N).toBe('1');
    writeFiles(place.homeDir, { '.bash_profile': 'echo x >>"$HOME/runs"; sleep 45\n' });
    expect((await login.current()).N).toBe('1');
    expect(login.facts().problem).toContain('did not end within');
    await login.current();
    expect(readFileSync(join(place.homeDir, 'runs'), 'utf8')).toBe('x\n');
    utimesSync(join(place.homeDir, '.bash_profile'), 1, 1);
    await login.current();
    expect(readFileSync(join(place.homeDir, 'runs'), 'utf8')).toBe('x\nx\n');
  });

  /** One whose probe ends when the test says so, with timers of its own. */
  function held(place: ReturnType<typeof home>, nowMs = Date.now) {
    if (!vi.isFakeTimers()) vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const probes: ((probe: Probe) => void)[] = [];
    const login = new LoginEnvironment({
      ...{ shell: SHELL, homeDir: place.homeDir, folder: place.folder, env: { PATH: '/usr/bin' }, nowMs, log: quiet },
      probe: () => new Promise((resolve) => probes.push(resolve)),
    });
    return { login, probes };
  }

  it('lets all commands together wait for its first probe, once, and none for a second try', async () => {
    verifies('exec.environment');
    const place = home({ '.bash_profile': 'export N=1\n' });
    let now = 1_000_000;
    const { login, probes } = held(place, () => now + performance.now());
    let begun = 0;
    for (let n = 0; n < 3; n += 1) void login.current().then(() => (begun += 1));
    await vi.advanceTimersByTimeAsync(PROBE_PATIENCE_MS - 1);
    expect(begun).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(begun).toBe(3);
    await login.current(); // the probe still runs, and its time is over
    const next = held(place, () => now + performance.now());
    await next.login.current(); // also for a generation that was promoted meanwhile
    expect(next.probes).toHaveLength(1);

    probes[0]?.({ ok: false, reason: 'too slow', tookMs: PROBE_MS });
    await login.settled();
    now += PROBE_RETRY_MS;
    await login.current();
    expect(probes).toHaveLength(2); // tried again behind everybody's back
    probes[1]?.({ ok: true, environment: { N: '1' }, tookMs: 1 });
    await login.settled();
    expect(await login.current()).toMatchObject({ N: '1' });
  });

  it('tells the next generation which start-up files fail: its first commands do not wait for them', async () => {
    verifies('exec.environment', 'ab.promotion');
    const place = home({ '.bash_profile': 'sleep 600\n' });
    const first = held(place);
    first.probes[0]?.({ ok: false, reason: 'too slow', tookMs: PROBE_MS });
    await first.login.settled();
    const next = held(place);
    expect(next.probes).toEqual([]);
    await next.login.current();
    expect(next.login.facts().problem).toBe('too slow');
    writeFiles(place.homeDir, { '.bash_profile': 'export N=1; sleep 0\n' });
    void next.login.current();
    next.probes[0]?.({ ok: true, environment: { N: '1' }, tookMs: 1 });
    await next.login.settled();
    expect(held(place).login.facts()).toMatchObject({ source: 'login_shell' });
    expect(held(place).login.facts().problem).toBeUndefined();
  });

  it('is the service’s own, with the usual places, while there is none; secrets of ours are not in it', async () => {
    const place = home({ '.bash_profile': 'exec false\n' });
    const environment = await open(place).current();
    expect(environment.PATH).toMatch(/^\/usr\/bin:\/bin/);
    expect(environment).not.toHaveProperty('HERDR_MCP_TOKEN');
    mkdirSync(join(place.homeDir, '.local', 'bin'), { recursive: true });
    const service = serviceEnvironment(
      { PATH: '/x/node_modules/.bin:/usr/bin', npm_config_x: '1', NODE_OPTIONS: '1', A: 'b' },
      place.homeDir,
    );
    expect(service).toMatchObject({
      A: 'b',
      HOME: place.homeDir,
      PATH: expect.stringMatching(new RegExp(`^${place.homeDir}/.local/bin:`)),
    });
    expect(Object.keys(service).sort()).toEqual(['A', 'HOME', 'PATH']);
    expect(service.PATH).not.toContain('node_modules');
  });

  it('ends a probe when the runtime stops', async () => {
    const place = home({ '.bash_profile': 'sleep 600\n' });
    const login = open(place);
    await login.stop();
    expect(login.facts()).toMatchObject({ source: 'service' });
  });
});
