/** What start looks at before anything runs, so that a broken file is told in one sentence and nothing is half-started. */
import { existsSync } from 'node:fs';
import { readDevice } from '../../link/identity/index.ts';
import { readConfig } from '../../local/config/index.ts';
import { assertSocketPath, statePaths } from '../../local/paths/index.ts';
import { readDesired } from '../../runtime-a-b/generations/index.ts';
import { openState } from '../../runtime-a-b/state/index.ts';

/** Reads every file that a process would fail on later. Throws a `LocalError`; changes nothing that exists. */
export async function checkState(stateDir: string): Promise<void> {
  const paths = statePaths(stateDir);
  assertSocketPath(paths.herdrSocket);
  await readConfig(paths.config);
  await readDevice(stateDir);
  await readDesired(stateDir);
  if (existsSync(paths.database)) openState(stateDir).close();
}
