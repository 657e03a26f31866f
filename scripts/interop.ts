/**
 * `npm run interop`: the official conformance suite for every protocol version that is served, and four clients that are
 * not ours, each from discovery to revocation, against the edge with link and runtime. Prints a table, writes
 * docs/compatibility.md, and ends with 1 when something that applies did not hold.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VERSION } from '../local/version/index.ts';
import { openStage } from '../test/bench/index.ts';
import {
  compatibilityPage,
  installInspector,
  isClean,
  openBearerDoor,
  type Run,
  roadOfInspector,
  roadOfLibrary,
  roadOfV1,
  roadOfV2,
  runAuthorizationScenarios,
  runServerScenarios,
  suiteVersion,
  terminalLines,
  VERSIONS,
} from '../test/interop/index.ts';
import { ROOT } from './build/index.ts';
import { approveHere } from './demo/index.ts';

process.umask(0o077); // what is installed below `.herdr-mcp` is this user's only, as all there is
const say = (line: string) => console.error(line);
say('Installing the Inspector where it is missing …');
const launcher = await installInspector(join(ROOT, '.herdr-mcp', 'interop'));
say('Starting the product …');
const stage = await openStage();
const home = mkdtempSync(join(tmpdir(), 'hm-interop-'));
try {
  const url = new URL(stage.product.mcpUrl);
  const approve = approveHere(stage.stateDir, () => undefined);
  say('Clients …');
  const clients = [
    await roadOfV2(url, approve),
    await roadOfV1(url, approve),
    await roadOfInspector(url, { launcher, home, approve }),
    await roadOfLibrary(url, approve),
  ];
  const door = await openBearerDoor(url.href, stage.accessToken);
  const scenarios: Run['scenarios'][number][] = [];
  try {
    for (const version of VERSIONS) {
      say(`Conformance ${version} …`);
      scenarios.push(...(await runServerScenarios(door.url, version)));
      scenarios.push(...(await runAuthorizationScenarios(url.href, version, approve)));
    }
  } finally {
    await door.close();
  }
  const day = new Date().toISOString().slice(0, 10);
  const run: Run = { suite: suiteVersion(), day, node: process.version, edge: VERSION, clients, scenarios };
  for (const line of terminalLines(run)) console.log(line);
  writeFileSync(join(ROOT, 'docs', 'compatibility.md'), compatibilityPage(run));
  process.exitCode = isClean(run) ? 0 : 1;
} finally {
  await stage.close();
  rmSync(home, { recursive: true, force: true });
}
