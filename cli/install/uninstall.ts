/** `herdr-mcp uninstall`: everything that runs ends, the service and the programs go; a person's data only with --purge. */
import { rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readDevice } from '../../link/index.ts';
import { LocalError } from '../../local/error/index.ts';
import { statePaths } from '../../local/paths/index.ts';
import { openSecrets } from '../../local/secrets/index.ts';
import { isAlive } from '../../local/spawn/index.ts';
import { changeDesired, type Observed, readObserved, startSupervisor } from '../../runtime-a-b/generations/index.ts';
import { action } from '../command.ts';
import { UsageError } from '../exit.ts';
import { waitFor } from '../generations/index.ts';
import { ask, note, say } from '../terminal/index.ts';
import { unlinkCommand } from './command-link.ts';
import { atPlace } from './place.ts';

export const uninstall = action(
  'uninstall',
  'End everything and remove service and programs; your data stays unless --purge',
  {
    purge: { type: 'boolean', description: 'Also delete the state folder: pairing, journal, memory, settings, logs' },
    yes: { type: 'boolean', description: 'Do not ask' },
  },
  (args) =>
    atPlace('herdr-mcp uninstall', { service: true }, async (place) => {
      const { stateDir, manager, homeDir } = place;
      if (args.purge) await confirmPurge(stateDir, args.yes === true);
      // First the wish: from here on nothing starts it again, whatever happens to this command.
      await changeDesired(stateDir, (now) => (now.running ? { ...now, running: false } : now));
      await endAll(stateDir);
      await manager?.remove();
      unlinkCommand(homeDir, stateDir);
      const paths = statePaths(stateDir);
      const device = await readDevice(stateDir);
      for (const path of [paths.observed, paths.runtimeActive, ...Object.values(paths.runtimeGeneration)]) {
        rmSync(path, { force: true });
      }
      rmSync(join(stateDir, 'releases'), { recursive: true, force: true });
      rmSync(paths.revisions, { recursive: true, force: true });
      for (const file of [paths.desired, paths.desiredCopy]) rmSync(file, { force: true });
      say('Everything is ended, and service and programs are removed.');
      if (args.purge) {
        await forgetSecrets(stateDir);
        rmSync(stateDir, { recursive: true, force: true });
        say(`${stateDir} is deleted.`);
      } else {
        say(`Your data stays in ${stateDir}; herdr-mcp install takes it up again, --purge deletes it.`);
      }
      if (device && args.purge) {
        note(
          `The edge still lists ${device.name} (${device.device_id}). From another workstation: herdr-mcp worker revoke ${device.device_id}`,
        );
      }
    }),
);

/** Ends what a supervisor runs, or what one that was killed has left. */
async function endAll(stateDir: string): Promise<void> {
  const { up, observed } = await readObserved(stateDir);
  if (up?.name === 'start') {
    throw new LocalError(
      'npm_start_runs',
      `npm start (process ${up.pid}) runs on this state folder. It was told to end, and nothing was removed.`,
      'Run this again when it has ended.',
    );
  }
  if (up) await waitFor(stateDir, ({ state }) => state === 'stopped');
  else if (observed?.children.some(isRunning)) {
    const last = await startSupervisor({ stateDir, env: process.env, ports: { a: 0, b: 0 }, together: false });
    await last.ended;
  }
  while ((await readObserved(stateDir)).up) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
}

/** Between two looks at a supervisor that is ending, in ms. */
const LOOK_MS = 50;

const isRunning = ({ process: running }: Observed['children'][number]): boolean =>
  running !== undefined && isAlive(running.pid, running.start);

async function confirmPurge(stateDir: string, yes: boolean): Promise<void> {
  if (yes) return;
  const answer = await ask(
    `Delete ${stateDir} with pairing, journal and memory for ever? Type ${basename(stateDir)}: `,
    'pass --yes',
  );
  if (answer !== basename(stateDir)) throw new UsageError('Nothing was removed.');
}

/** What the keychain holds for this folder. Without a keychain the files go with the folder. */
async function forgetSecrets(stateDir: string): Promise<void> {
  const secrets = await openSecrets(stateDir).catch(() => undefined); // a locked keychain keeps an entry that opens nothing
  for (const name of ['device-key', 'device-key-pending', 'operator-secret']) await secrets?.delete(name);
}
