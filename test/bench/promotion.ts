/** P7: a promotion while 100 calls a second run, through the whole path; beside it the same load without one. */
import { execFile } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { DIST } from '../../scripts/build/index.ts';
import { otherBuild } from '../support/other-build.ts';
import { type Answers, steadyLoad } from '../support/steady-load.ts';
import { callOf, headers } from './full-path.ts';
import { median, percentile } from './measure.ts';
import { post } from './post.ts';
import { SAMPLE_FILE, type Stage } from './stage.ts';
import type { Row } from './table.ts';

const PER_SECOND = 100;
/** One call in ten appends a line with a command; more commands a second than that measure the shell. */
const WRITE_EVERY = 10;
const ROUNDS = 5;
/** Load before and after what is measured. */
const AROUND_MS = 1_000;
/** How long a calm round lasts: about as long as a promotion with its observation. */
const CALM_MS = 6_000;

export async function promoteUnderLoad(stage: Stage): Promise<Row> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'hm-p7-')));
  const command = async (...args: string[]) => {
    const env = { ...process.env, HERDR_MCP_STATE_DIR: stage.stateDir, HERDR_MCP_SECRETS: 'file' };
    await promisify(execFile)(process.execPath, [join(DIST, 'herdr-mcp.js'), 'runtime', ...args], { env });
  };
  try {
    await round(stage, () => sleep(AROUND_MS)); // what is loaded late
    const moved: Answers[] = [];
    const calm: Answers[] = [];
    for (let n = 0; n < ROUNDS; n += 1) {
      calm.push(await round(stage, () => sleep(CALM_MS)));
      await command('stage', otherBuild(home, `p7-${n}`));
      moved.push(await round(stage, () => command('promote')));
    }
    const failed = moved.flatMap((one) => one.failed).length;
    const lies = moved.flatMap((one) => one.lies).length;
    const p99 = (of: Answers[]) => median(of.map(({ waitsMs }) => percentile(waitsMs, 0.99)));
    const added = p99(moved) - p99(calm);
    const worst = Math.max(...moved.flatMap(({ waitsMs }) => waitsMs));
    return {
      id: 'P7',
      what: `promotion under ${PER_SECOND} calls/s`,
      beside: 'the same load without one',
      bar: '0 failed, 0 doubled, p99 ≤ 250 ms above, worst ≤ 1 s',
      held: failed === 0 && lies === 0 && added <= 250 && worst <= 1_000,
      facts: {
        calls: moved.reduce((sum, { calls }) => sum + calls, 0),
        failed,
        doubled: lies,
        'p99 ms': Math.round(p99(moved)),
        'p99 without': Math.round(p99(calm)),
        'worst ms': Math.round(worst),
        'worst without': Math.round(Math.max(...calm.flatMap(({ waitsMs }) => waitsMs))),
      },
    };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function round(stage: Stage, meanwhile: () => Promise<unknown>): Promise<Answers> {
  const { product, repository, accessToken } = stage;
  const send = async (tool: string, args: Record<string, unknown>) =>
    (await post(product.mcpUrl, JSON.stringify(callOf(tool, args)), headers(accessToken))).toString('utf8');
  const load = steadyLoad({
    ...{ send, repository, workspace: product.workspace.label },
    ...{ perSecond: PER_SECOND, writeEvery: WRITE_EVERY, reads: SAMPLE_FILE },
  });
  await sleep(AROUND_MS);
  await meanwhile();
  await sleep(AROUND_MS);
  return load.end();
}
