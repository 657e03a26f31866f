/**
 * The user's service manager: systemd or launchd, or none. Writes our units, starts, restarts and removes them, and never
 * touches a file of the same name that is not ours. Commands and folders come in as arguments.
 */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { LocalError } from '../../local/error/index.ts';
import { writeAtomic } from '../../local/files/index.ts';
import { run } from '../../local/spawn/index.ts';
import { LAUNCHD_LABEL, LAUNCHD_WATCHDOG, launchAgents } from './launchd.ts';
import { MANAGER_MS } from './limits.ts';
import { markOf, type ServicePlan, WRITTEN_BY } from './plan.ts';
import { SYSTEMD_UNIT, systemdUnits, WATCHDOG_TIMER } from './systemd.ts';

/** What the manager says of our service. `stopped`: by a person, or it ended well; `absent`: it knows none of ours. */
export type ServiceState = 'running' | 'stopped' | 'failed' | 'absent';

export interface ServiceManager {
  kind: 'systemd' | 'launchd';
  /** Where its files of ours lie. */
  folder: string;
  /** Writes the units. True when something changed. Throws when a file of that name is not ours. */
  write(plan: ServicePlan): Promise<boolean>;
  /** Whether the units are not what would be written now: another Node, another PATH. */
  differs(plan: ServicePlan): Promise<boolean>;
  /** Makes it start now and at each login. */
  enable(): Promise<void>;
  /** The supervisor anew; its children go on. */
  restart(): Promise<void>;
  state(): Promise<ServiceState>;
  /** Stops and forgets it, waits until it is gone, and removes the files that are ours. */
  remove(): Promise<void>;
}

/** Runs a program; the result is judged by the caller. */
export type Execute = (program: string, args: readonly string[]) => Promise<{ code: number | null; said: string }>;

export interface ManagerOptions {
  env: Readonly<Record<string, string | undefined>>;
  homeDir: string;
  platform: NodeJS.Platform;
  uid: number;
  /** Whose services are meant: another folder's are left alone. */
  stateDir: string;
  execute: Execute;
}

/** The real one. */
export const execute: Execute = async (program, args) => {
  try {
    const done = await run(program, args, { timeoutMs: MANAGER_MS });
    return { code: done.code, said: `${done.stdout.toString('utf8')}${done.stderr.toString('utf8')}`.trim() };
  } catch (error) {
    if (error instanceof LocalError) return { code: null, said: error.message }; // it is not installed
    throw error;
  }
};

/** The manager that works here, or `undefined`: a container, or a login without a session. */
export async function findManager(options: ManagerOptions): Promise<ServiceManager | undefined> {
  if (options.platform === 'darwin') {
    const domain = `gui/${options.uid}`;
    const usable = (await options.execute('launchctl', ['print', domain])).code === 0;
    return usable ? launchd(options, domain) : undefined;
  }
  const usable = (await options.execute('systemctl', ['--user', 'show-environment'])).code === 0;
  return usable ? systemd(options) : undefined;
}

function systemd({ env, homeDir, stateDir, execute: exec }: ManagerOptions): ServiceManager {
  const mark = markOf(stateDir);
  const folder = join(env['XDG_CONFIG_HOME'] || join(homeDir, '.config'), 'systemd', 'user');
  const control = async (...args: string[]) => must(exec, 'systemctl', ['--user', ...args]);
  return {
    kind: 'systemd',
    folder,
    async write(plan) {
      const changed = await writeOwn(folder, systemdUnits(plan), mark);
      if (changed) await control('daemon-reload');
      return changed;
    },
    differs: async (plan) => isOther(folder, systemdUnits(plan)),
    async enable() {
      await control('daemon-reload');
      await control('enable', '--now', SYSTEMD_UNIT, WATCHDOG_TIMER);
    },
    restart: () => control('restart', SYSTEMD_UNIT),
    async state() {
      if (ownFiles(folder, [SYSTEMD_UNIT], mark).length === 0) return 'absent';
      const { said } = await exec('systemctl', ['--user', 'show', '-p', 'LoadState,ActiveState', SYSTEMD_UNIT]);
      const value = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(said)?.[1];
      if (value('LoadState') !== 'loaded') return 'absent';
      const active = value('ActiveState');
      if (active === 'failed') return 'failed';
      return active === 'active' || active === 'activating' || active === 'reloading' ? 'running' : 'stopped';
    },
    async remove() {
      const files = ownFiles(folder, Object.keys(systemdUnits(NO_PLAN)), mark);
      if (files.length === 0) return;
      await control('disable', '--now', ...files);
      for (const file of files) rmSync(join(folder, file), { force: true });
      await control('daemon-reload');
    },
  };
}

function launchd({ homeDir, stateDir, execute: exec }: ManagerOptions, domain: string): ServiceManager {
  const mark = markOf(stateDir);
  const folder = join(homeDir, 'Library', 'LaunchAgents');
  const labels = [LAUNCHD_LABEL, LAUNCHD_WATCHDOG];
  const isLoaded = async (label: string) => (await exec('launchctl', ['print', `${domain}/${label}`])).code === 0;
  const unload = async (label: string) => {
    if (!(await isLoaded(label))) return;
    await exec('launchctl', ['bootout', `${domain}/${label}`]); // it answers before the job is gone
    const end = performance.now() + MANAGER_MS;
    while (await isLoaded(label)) {
      if (performance.now() > end) throw stubborn(`launchctl bootout ${domain}/${label}`, 'the job is still there');
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  };
  const load = async (label: string) => {
    if (!(await isLoaded(label))) await must(exec, 'launchctl', ['bootstrap', domain, join(folder, `${label}.plist`)]);
  };
  return {
    kind: 'launchd',
    folder,
    async write(plan) {
      const changed = await writeOwn(folder, launchAgents(plan), mark);
      // A loaded job keeps what it was loaded with; `enable` loads the new one.
      if (changed) for (const label of labels) await unload(label);
      return changed;
    },
    differs: async (plan) => isOther(folder, launchAgents(plan)),
    async enable() {
      for (const label of labels) await load(label);
    },
    async restart() {
      await load(LAUNCHD_LABEL);
      await must(exec, 'launchctl', ['kickstart', '-k', `${domain}/${LAUNCHD_LABEL}`]);
    },
    async state() {
      if (ownFiles(folder, [`${LAUNCHD_LABEL}.plist`], mark).length === 0) return 'absent';
      const { code, said } = await exec('launchctl', ['print', `${domain}/${LAUNCHD_LABEL}`]);
      if (code !== 0) return 'absent';
      if (/^\s*state = running$/m.test(said)) return 'running';
      const last = /last exit code = (\d+)/.exec(said)?.[1];
      return last === undefined || last === '0' ? 'stopped' : 'failed';
    },
    async remove() {
      for (const label of labels) {
        if (ownFiles(folder, [`${label}.plist`], mark).length > 0) await unload(label);
      }
      for (const file of ownFiles(folder, Object.keys(launchAgents(NO_PLAN)), mark)) {
        rmSync(join(folder, file), { force: true });
      }
    },
  };
}

/** Between two looks at a job that is ending, in ms. */
const LOOK_MS = 100;

/** For the names of the files only. */
const NO_PLAN: ServicePlan = { node: '', script: '', environment: {}, stateDir: '', logs: '' };

async function writeOwn(folder: string, files: Readonly<Record<string, string>>, mark: string): Promise<boolean> {
  const foreign = Object.keys(files).find((name) => existsSync(join(folder, name)) && !isOwn(join(folder, name), mark));
  if (foreign) {
    const file = join(folder, foreign);
    const isOther = isOwn(file, WRITTEN_BY);
    throw new LocalError(
      'foreign_unit',
      isOther
        ? `${file} runs the workstation of another state folder, and a login has one service; nothing was changed.`
        : `${file} was not written by herdr-mcp; nothing was changed.`,
      isOther ? 'Uninstall that one first, or pass --no-service.' : 'Move it away, then run the same command again.',
    );
  }
  mkdirSync(folder, { recursive: true });
  let changed = false;
  for (const [name, text] of Object.entries(files)) {
    const file = join(folder, name);
    if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
    await writeAtomic(file, text, { mode: 0o600 });
    changed = true;
  }
  return changed;
}

const isOther = (folder: string, files: Readonly<Record<string, string>>): boolean =>
  Object.entries(files).some(([name, text]) => {
    const file = join(folder, name);
    return !existsSync(file) || readFileSync(file, 'utf8') !== text;
  });

const ownFiles = (folder: string, names: readonly string[], mark: string): string[] =>
  names.filter((name) => existsSync(join(folder, name)) && isOwn(join(folder, name), mark));

const isOwn = (file: string, mark: string): boolean => readFileSync(file, 'utf8').includes(mark);

async function must(exec: Execute, program: string, args: readonly string[]): Promise<void> {
  const { code, said } = await exec(program, args);
  if (code !== 0) throw stubborn(`${program} ${args.join(' ')}`, said);
}

const stubborn = (what: string, said: string) =>
  new LocalError(
    'service_manager',
    `${what} failed: ${said.split('\n').slice(-3).join(' ')}.`,
    'Run the same command again; it goes on where it stopped. `herdr-mcp up` in a terminal works without a service.',
  );
