/** `herdr-mcp up` and `down`: everything of this workstation that runs, in the foreground or as the one user service. */
import { readDevice } from '../../link/index.ts';
import { readConfig } from '../../local/config/index.ts';
import { refuseInManagedSession } from '../../local/managed/index.ts';
import { resolveStateDir, statePaths } from '../../local/paths/index.ts';
import {
  changeDesired,
  readDesired,
  readObserved,
  stageRevision,
  startSupervisor,
} from '../../runtime-a-b/generations/index.ts';
import { action } from '../command.ts';
import { waitFor } from '../generations/index.ts';
import { PAIR, START } from '../start-it.ts';
import { note, say } from '../terminal/index.ts';

/** Loopback ports of the installed product. */
const PORTS = { a: 8772, b: 8773 } as const;

export const up = action(
  'up',
  'Run everything of this workstation until Ctrl-C: runtime, link, and Herdr where there is none',
  {
    service: {
      type: 'boolean',
      description: 'As a user service: ends at once, without an error, when the user has stopped it',
    },
  },
  async (args) => {
    refuseInManagedSession('herdr-mcp up', process.env); // what it starts would belong to that command, and end with it
    const stateDir = resolveStateDir(process.env);
    if (args.service && (await readDesired(stateDir))?.running === false) {
      return note(
        'The user stopped this workstation (herdr-mcp down), so nothing is started. To start it: herdr-mcp up',
      );
    }
    const config = await readConfig(statePaths(stateDir).config);
    const supervisor = await startSupervisor({
      stateDir,
      env: process.env,
      ports: { a: config.runtime?.port ?? PORTS.a, b: config.runtime?.candidate_port ?? PORTS.b },
      together: false,
      say,
      before: () => prepare(stateDir, args.service === true),
    });
    if ((await readDevice(stateDir)) === undefined) note(PAIR); // the link starts by itself once it is
    // A service's restart must not end what runs; a person's Ctrl-C, or a closed terminal, ends all of it.
    process.on('SIGTERM', () => void supervisor.leave());
    for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => void supervisor.stop());
    await supervisor.ended;
  },
);

/** Under the lock, before anything starts: something to run, and the wish that it runs. */
async function prepare(stateDir: string, service: boolean): Promise<void> {
  const desired = await readDesired(stateDir);
  const first =
    desired?.active === undefined ? (await stageRevision(stateDir, import.meta.dirname)).revision : undefined;
  if (first === undefined && (service || desired?.running === true)) return;
  await changeDesired(stateDir, (now) => ({ ...now, running: true, ...(first ? { active: first } : {}) }));
}

export const down = action(
  'down',
  'End everything that herdr-mcp up runs here, and keep it ended until herdr-mcp up',
  {},
  async () => {
    refuseInManagedSession('herdr-mcp down', process.env);
    const stateDir = resolveStateDir(process.env);
    await changeDesired(stateDir, (now) => (now.running ? { ...now, running: false } : now));
    const { up: supervisor, observed } = await readObserved(stateDir);
    if (supervisor) await waitFor(stateDir, ({ state }) => state === 'stopped');
    else if (observed && observed.children.length > 0) {
      // What an ended supervisor left is ended by one that starts nothing.
      const last = await startSupervisor({ stateDir, env: process.env, ports: { a: 0, b: 0 }, together: false, say });
      await last.ended;
    }
    say(`Everything is ended. Commands that a web AI started go on. To start it again: ${START}`);
  },
);
