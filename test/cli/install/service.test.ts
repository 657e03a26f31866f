import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  cleanPath,
  type Execute,
  findManager,
  LAUNCHD_LABEL,
  launchAgents,
  type ServicePlan,
  SYSTEMD_UNIT,
  serviceEnvironment,
  systemdUnits,
  WATCHDOG_TIMER,
  type WatchdogView,
  watchdogStep,
} from '../../../cli/service/index.ts';
import { verifies } from '../../verifies.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'hm-units-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Everything that has broken a unit or a property list for somebody: `%`, `&`, quotes, spaces, `$`, a backslash. */
const NASTY = `/home/me & you/100%/"quoted"/$HOME/back\\slash/<b>`;

const plan = (folder: string): ServicePlan => ({
  node: process.execPath,
  script: join(folder, 'releases', 'current', 'dist', 'herdr-mcp.js'),
  environment: { PATH: `${NASTY}:/usr/bin:/bin`, HERDR_MCP_STATE_DIR: folder, NO_PROXY: 'a,b' },
  stateDir: folder,
  logs: join(folder, 'logs'),
});

describe('the units of the service', () => {
  it.runIf(existsSync('/usr/bin/systemd-analyze'))('are what systemd takes, as it says itself', () => {
    verifies('ab.services');
    const folder = join(home, 'we & 100% "sure"');
    mkdirSync(folder);
    for (const [name, text] of Object.entries(systemdUnits(plan(folder)))) writeFileSync(join(home, name), text);
    const said = execFileSync(
      'systemd-analyze',
      ['verify', '--user', '--man=no', join(home, SYSTEMD_UNIT), join(home, WATCHDOG_TIMER)],
      {
        encoding: 'utf8',
        env: { ...process.env, XDG_RUNTIME_DIR: home },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    expect(said).toBe('');
    const unit = systemdUnits(plan(folder))[SYSTEMD_UNIT] ?? '';
    expect(unit).toContain('KillMode=process');
    expect(unit).toContain('Restart=on-failure');
    expect(unit).toContain(`ExecStart="${process.execPath}" `);
    expect(unit).toContain('100%%');
  });

  it('give the same words back from a property list, read as launchd reads it', () => {
    verifies('ab.services');
    const text = launchAgents(plan(NASTY))[`${LAUNCHD_LABEL}.plist`] ?? '';
    const file = join(home, 'agent.plist');
    writeFileSync(file, text);
    // Python's plistlib is an independent reader; on macOS plutil is asked as well.
    const read = execFileSync(
      'python3',
      ['-c', 'import plistlib,json,sys; print(json.dumps(plistlib.load(open(sys.argv[1],"rb"))))', file],
      { encoding: 'utf8' },
    );
    const value = JSON.parse(read) as {
      ProgramArguments: string[];
      EnvironmentVariables: Record<string, string>;
      KeepAlive: object;
      AbandonProcessGroup: boolean;
    };
    expect(value.ProgramArguments).toEqual([process.execPath, plan(NASTY).script, 'up', '--service']);
    expect(value.EnvironmentVariables).toEqual(plan(NASTY).environment);
    expect(value.KeepAlive).toEqual({ SuccessfulExit: false });
    expect(value.AbandonProcessGroup).toBe(true);
    if (existsSync('/usr/bin/plutil')) execFileSync('plutil', ['-lint', file]);
  });

  it('capture PATH, proxies and certificates, and no secret', () => {
    verifies('ab.services');
    const env = {
      PATH: '/opt/tools:/clone/node_modules/.bin:relative:/usr/bin:/opt/tools',
      HTTPS_PROXY: 'http://proxy:3128',
      NODE_EXTRA_CA_CERTS: '/ca.pem',
      CLOUDFLARE_API_TOKEN: 'secret',
      npm_config_x: '1',
    };
    expect(serviceEnvironment(env, '/state')).toEqual({
      PATH: '/opt/tools:/usr/bin',
      HTTPS_PROXY: 'http://proxy:3128',
      NODE_EXTRA_CA_CERTS: '/ca.pem',
      HERDR_MCP_STATE_DIR: '/state',
    });
    expect(cleanPath('')).toBe('/usr/local/bin:/usr/bin:/bin');
  });
});

/** A service manager that only remembers what it was told. */
function fake(answers: (line: string) => { code: number | null; said: string } | undefined): {
  told: string[];
  execute: Execute;
} {
  const told: string[] = [];
  return {
    told,
    execute: async (program, args) => {
      const line = `${program} ${args.join(' ')}`;
      told.push(line);
      return answers(line) ?? { code: 0, said: '' };
    },
  };
}

const at = (platform: NodeJS.Platform, execute: Execute) => ({
  env: {},
  homeDir: home,
  platform,
  uid: 501,
  stateDir: home,
  execute,
});

describe('the service manager', () => {
  it('systemd: writes private units, starts, restarts, and takes everything away', async () => {
    verifies('ab.services');
    const { told, execute } = fake((line) =>
      line.includes(' show -p') ? { code: 0, said: 'LoadState=loaded\nActiveState=active' } : undefined,
    );
    const manager = await findManager(at('linux', execute));
    if (!manager) throw new Error('there is one');
    const unit = join(home, '.config', 'systemd', 'user', SYSTEMD_UNIT);
    expect(await manager.write(plan(home))).toBe(true);
    expect(await manager.write(plan(home))).toBe(false);
    expect(statSync(unit).mode & 0o777).toBe(0o600);
    expect(await manager.differs(plan(home))).toBe(false);
    expect(await manager.differs({ ...plan(home), node: '/other/node' })).toBe(true);
    await manager.enable();
    expect(await manager.state()).toBe('running');
    await manager.remove();
    expect(existsSync(unit)).toBe(false);
    await manager.remove(); // again: nothing is left to do
    expect(told.filter((line) => line.includes('disable'))).toHaveLength(1);
  });

  it('leaves the service of another state folder alone, and says whose it is', async () => {
    verifies('ab.services');
    const { told, execute } = fake(() => undefined);
    const theirs = await findManager(at('linux', execute));
    await theirs?.write(plan(home));
    const ours = await findManager({ ...at('linux', execute), stateDir: '/other' });
    await expect(ours?.write({ ...plan('/other'), stateDir: '/other' })).rejects.toThrow(/another state folder/);
    expect(await ours?.state()).toBe('absent');
    told.length = 0;
    await ours?.remove();
    expect(told).toEqual([]);
    expect(await theirs?.differs(plan(home))).toBe(false);
  });

  it.each([
    ['LoadState=not-found\nActiveState=inactive', 'absent'],
    ['LoadState=loaded\nActiveState=inactive', 'stopped'],
    ['LoadState=loaded\nActiveState=failed', 'failed'],
    ['LoadState=loaded\nActiveState=activating', 'running'],
  ])('systemd says %j: %s', async (said, state) => {
    const { execute } = fake((line) => (line.includes(' show -p') ? { code: 0, said } : undefined));
    const manager = await findManager(at('linux', execute));
    await manager?.write(plan(home));
    expect(await manager?.state()).toBe(state);
  });

  it('launchd: waits until a job is gone before it is loaded again', async () => {
    verifies('ab.services');
    let looks = 0;
    const { told, execute } = fake((line) => {
      if (!line.includes(`print gui/501/${LAUNCHD_LABEL}`))
        return line.includes('print gui/501/') ? { code: 113, said: '' } : undefined;
      looks += 1;
      return looks < 4 ? { code: 0, said: 'state = running' } : { code: 113, said: 'Could not find service' };
    });
    const manager = await findManager(at('darwin', execute));
    await manager?.write(plan(home));
    await manager?.enable();
    const ours = told.filter((line) => line.includes(LAUNCHD_LABEL));
    expect(ours.map((line) => line.split(' ')[1])).toEqual([
      'print',
      'bootout',
      'print',
      'print',
      'print',
      'print',
      'bootstrap',
    ]);
  });

  it('touches no file of that name that is not ours, and says so when none works', async () => {
    const { execute } = fake(() => undefined);
    const manager = await findManager(at('linux', execute));
    const unit = join(home, '.config', 'systemd', 'user', SYSTEMD_UNIT);
    mkdirSync(join(unit, '..'), { recursive: true });
    writeFileSync(unit, '[Unit]\nDescription=somebody else’s\n');
    await expect(manager?.write(plan(home))).rejects.toMatchObject({ code: 'foreign_unit' });
    await manager?.remove();
    expect(readFileSync(unit, 'utf8')).toContain('somebody else');
    expect(await findManager(at('linux', async () => ({ code: null, said: 'not found' })))).toBeUndefined();
  });
});

describe('the watchdog', () => {
  const well: WatchdogView = {
    wanted: true,
    service: 'running',
    supervisor: 'up',
    openSinceMs: undefined,
    lastRestartMs: undefined,
    nowMs: 10_000_000,
  };
  const table: [string, Partial<WatchdogView>, 'nothing' | 'restart'][] = [
    ['all is well', {}, 'nothing'],
    ['it failed', { service: 'failed', supervisor: undefined }, 'restart'],
    [
      'it failed, and the user stopped it before',
      { service: 'failed', supervisor: undefined, wanted: false },
      'nothing',
    ],
    ['it was stopped with systemctl', { service: 'stopped', supervisor: undefined }, 'nothing'],
    ['herdr-mcp down', { wanted: false, service: 'stopped', supervisor: undefined }, 'nothing'],
    ['nothing was ever wanted', { wanted: undefined, service: 'failed', supervisor: undefined }, 'nothing'],
    ['it was uninstalled', { service: 'absent', supervisor: undefined }, 'nothing'],
    ['npm start has the folder', { service: 'failed', supervisor: 'start' }, 'nothing'],
    ['a person runs up in a terminal', { service: 'failed', supervisor: 'up' }, 'nothing'],
    ['a change waits for a while', { openSinceMs: 10_000_000 - 60_000 }, 'nothing'],
    ['a change waits for too long', { openSinceMs: 10_000_000 - 6 * 60_000 }, 'restart'],
    ['that, a moment after a restart', { openSinceMs: 1, lastRestartMs: 10_000_000 - 60_000 }, 'nothing'],
    ['that, long after a restart', { openSinceMs: 1, lastRestartMs: 1 }, 'restart'],
    ['it failed again at once', { service: 'failed', supervisor: undefined, lastRestartMs: 9_999_000 }, 'nothing'],
  ];
  it.each(table)('%s', (_, given, step) => {
    verifies('ab.services');
    expect(watchdogStep({ ...well, ...given }).do).toBe(step);
  });
});
