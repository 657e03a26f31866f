/** `herdr-mcp install`: this release as the workstation of this login, started by a user service. */
import { readDevice } from '../../link/index.ts';
import { LocalError } from '../../local/error/index.ts';
import { changeDesired, readObserved } from '../../runtime-a-b/generations/index.ts';
import { action } from '../command.ts';
import { makeCurrent, releaseContent } from '../release/index.ts';
import { execute, type ServiceManager } from '../service/index.ts';
import { PAIR } from '../start-it.ts';
import { note, say } from '../terminal/index.ts';
import { linkCommand } from './command-link.ts';
import { atPlace, ownPackage, type Place, servicePlan } from './place.ts';
import { bring } from './programs.ts';
import { switchTo } from './switch.ts';

export const install = action(
  'install',
  'Install this release for your login: its own folder, and a user service that starts it',
  {
    service: {
      type: 'boolean',
      default: true,
      description: 'Start it as a user service',
      negativeDescription: 'Only put the programs in place',
    },
  },
  (args) =>
    atPlace('herdr-mcp install', { service: args.service }, async (place) => {
      const { stateDir } = place;
      await refuseForeignSupervisor(place);
      const { release } = await bring(stateDir, releaseContent(ownPackage()));
      const active = (await readObserved(stateDir)).observed?.active?.revision;
      // Nothing served here before: what is wanted is this release, and that it runs.
      await changeDesired(stateDir, (now) => ({
        ...now,
        running: true,
        ...(active ? {} : { active: release.revision }),
      }));
      if (active !== undefined && active !== release.revision) {
        say(`${active} is installed; this is an update.`);
        await switchTo(place, release);
      } else {
        await makeCurrent(stateDir, release.id);
      }
      say(`installed   ${release.version} (${release.id}) in ${stateDir}`);
      await startService(place);
      const hint = linkCommand(place.homeDir, stateDir, place.env['PATH'] ?? '');
      if (hint) note(hint);
      const device = await readDevice(stateDir);
      say(device ? `MCP URL     ${device.mcp_url}` : PAIR);
    }),
);

/** A supervisor in somebody's terminal would hold off the service's for ever. */
async function refuseForeignSupervisor({ stateDir, manager }: Place): Promise<void> {
  if (!manager) return;
  const { up } = await readObserved(stateDir);
  if (!up || (await manager.state()) === 'running') return;
  const what = up.name === 'start' ? 'npm start' : 'herdr-mcp up';
  throw new LocalError(
    'up_in_terminal',
    `${what} (process ${up.pid}) runs this workstation in a terminal, and a service would be held off by it; nothing was changed.`,
    'End it with Ctrl-C where it runs, then run this again; or pass --no-service.',
  );
}

/** The service, with what it starts from; or how to do without. */
async function startService(place: Place): Promise<void> {
  const { manager, stateDir, env } = place;
  if (!manager) {
    say('service     none: run `herdr-mcp up` in a terminal that stays open');
    return;
  }
  const before = await manager.state();
  const changed = await manager.write(servicePlan(place));
  if (changed && before === 'running') await manager.restart();
  await manager.enable();
  if (manager.kind === 'systemd') await stayAfterLogout(env);
  const { up, observed } = await started(stateDir, manager);
  say(`service     ${manager.kind}, ${observed.state}${observed.trouble ? `: ${observed.trouble}` : ''}`);
  say(`supervisor  process ${up.pid}`);
}

/** How long a service may take until its supervisor says something, in ms: a first start reads cold files. */
const START_MS = 60_000;
/** Between two looks meanwhile, in ms. */
const START_LOOK_MS = 100;

/** Resolves when the service's supervisor runs, well or badly. Throws when the service does not come up. */
async function started(stateDir: string, manager: ServiceManager) {
  const end = performance.now() + START_MS;
  for (;;) {
    const { up, observed } = await readObserved(stateDir);
    if (up && observed && observed.up.pid === up.pid && ['running', 'degraded'].includes(observed.state)) {
      return { up, observed };
    }
    const late = performance.now() > end;
    if (late || (await manager.state()) === 'failed') {
      throw new LocalError(
        'service_failed',
        `The programs are installed, and the ${manager.kind} service ${late ? `says nothing for ${START_MS / 1000} s` : 'failed'}.`,
        manager.kind === 'systemd' ? 'journalctl --user -u herdr-mcp shows why.' : 'herdr-mcp logs up shows why.',
      );
    }
    await new Promise((resolve) => setTimeout(resolve, START_LOOK_MS));
  }
}

/** Without lingering, systemd ends a user's services when the last session ends. */
async function stayAfterLogout(env: NodeJS.ProcessEnv): Promise<void> {
  const user = env['USER'] ?? env['LOGNAME'];
  if (user === undefined) return;
  const { code } = await execute('loginctl', ['enable-linger', user]);
  if (code !== 0) note(`It ends when you log out. To keep it: sudo loginctl enable-linger ${user}`);
}
