/**
 * The commands of an installation as real processes, ended by SIGKILL before each step that others can see, and run again:
 * they end in a right state, whoever looks in between finds no torn file, and nothing runs twice. All steps with
 * HERDR_MCP_MATRIX=1, else a sample of those of the long ones.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { currentRelease } from '../../cli/release/index.ts';
import { ensurePrivateDir } from '../../local/files/index.ts';
import {
  changeDesired,
  readDesired,
  readObserved,
  readPointer,
  readRevision,
} from '../../runtime-a-b/generations/index.ts';
import { build, DIST } from '../../scripts/build/index.ts';
import { played } from '../played.ts';
import { Workstation } from '../runtime-a-b/generations/support/workstation.ts';
import { verifies } from '../verifies.ts';

const EVERY = process.env['HERDR_MCP_MATRIX'] === '1';
// An installation has 600 steps, and each is two whole commands.
vi.setConfig({ testTimeout: EVERY ? 3 * 3_600_000 : 1_800_000, hookTimeout: 300_000 });
const COMMAND = join(DIST, 'herdr-mcp.js');
const PRELOAD = pathToFileURL(join(import.meta.dirname, '..', 'support', 'kill-at.mjs')).href;
/** More steps than any of these commands takes. */
const STEPS_MAX = 1_000;

beforeAll(() => build({ parts: ['node'] }));

interface Ran {
  code: number | null;
  said: string;
}

function start(stateDir: string, args: readonly string[], killAt: number): { child: ChildProcess; ran: Promise<Ran> } {
  const env = {
    ...{ PATH: process.env['PATH'], HOME: stateDir, HERDR_MCP_STATE_DIR: stateDir, HERDR_MCP_SECRETS: 'file' },
    ...{ HERDR_SOCKET_PATH: join(stateDir, 'nobody.sock'), HM_KILL_AT: String(killAt), HM_KILL_WITHIN: stateDir },
  };
  const child = spawn(process.execPath, ['--import', PRELOAD, COMMAND, ...args], { env });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => (said += piece.toString()));
  return { child, ran: new Promise((resolve) => child.once('close', (code) => resolve({ code, said }))) };
}

const run = (stateDir: string, args: readonly string[], killAt = 0): Promise<Ran> => start(stateDir, args, killAt).ran;

/**
 * Kills it before its first step, the second … until a run was not killed any more, which is then `ended`; or before the
 * steps of the sample only. `lanes`: how many are played at once, where each has a place of its own.
 */
async function everyStep(sample: readonly number[], once: (at: number) => Promise<Ran>, lanes = 1): Promise<void> {
  const steps = EVERY ? Array.from({ length: STEPS_MAX }, (_, n) => n + 1) : [...sample];
  let killed = 0;
  let over = false;
  const lane = async () => {
    for (let at = steps.shift(); at !== undefined && !over; at = steps.shift()) {
      const { code, said } = await once(at);
      if (code !== null) {
        expect([code, EVERY && killed > 3], said).toEqual([0, true]); // a sample holds only steps that there are
        over = true;
        return;
      }
      killed += 1;
      played('kills');
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  if (!over) expect([EVERY, killed]).toEqual([false, sample.length]);
}

function place(): { stateDir: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'hm-killed-'));
  return {
    stateDir: ensurePrivateDir(join(folder, 's')),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

describe('killed before each of its steps and run again', () => {
  it('pause refuses calls and resume takes them again, and desired.json is whole at any moment', async () => {
    verifies('ab.pause');
    const { stateDir, remove } = place();
    try {
      for (const [command, paused] of [
        ['pause', true],
        ['resume', false],
      ] as const) {
        await everyStep([2, 6], async (at) => {
          await changeDesired(stateDir, ({ paused: _, ...now }) =>
            paused ? now : { ...now, paused: { since_ms: 1 } },
          );
          const ran = await run(stateDir, [command], at);
          await readDesired(stateDir); // throws for a torn one
          expect((await run(stateDir, [command])).code).toBe(0);
          expect((await readDesired(stateDir))?.paused !== undefined).toBe(paused);
          return ran;
        });
      }
    } finally {
      remove();
    }
  });

  it('promote moves calls, and rollback brings them back, once each', async () => {
    verifies('ab.generations');
    const at = new Workstation();
    try {
      const [a, b] = [await at.stage({ version: '1.0.0' }), await at.stage({ version: '1.1.0' })];
      await at.want((now) => ({ ...now, active: a }));
      const up = await at.running();
      const settled = () =>
        up.until(({ draining, transition, state }) => !draining && !transition && state === 'running');
      await everyStep([5], async (step) => {
        const ran = await run(at.stateDir, ['runtime', 'promote', b], step);
        const again = await run(at.stateDir, ['runtime', 'promote', b]);
        expect([again.code, up.observed().active?.revision]).toEqual([0, b]);
        expect(await readPointer(at.stateDir)).toMatchObject({ generation: up.observed().active?.generation });
        await settled();
        await run(at.stateDir, ['runtime', 'rollback'], step);
        const back = await run(at.stateDir, ['runtime', 'rollback']);
        expect([back.code, back.said, up.observed().active?.revision]).toEqual([0, expect.any(String), a]);
        const { refused, previous } = await settled();
        expect([refused, previous]).toEqual([[], undefined]);
        expect(at.counts()).toEqual({ runtime: 1, 'embedded-herdr': 1 });
        return ran;
      });
    } finally {
      await at.close();
    }
  });

  it('up runs each program once, whatever the one before has left, and Ctrl-C then ends all of it', async () => {
    verifies('ab.generations');
    await everyStep([8, 17], async (step) => {
      const at = new Workstation();
      try {
        const a = await at.stage({ version: '1.0.0' });
        await at.want((now) => ({ ...now, active: a }));
        const first = start(at.stateDir, ['up'], step);
        const isRunning = async (pid: number | undefined) => {
          const { up, observed } = await readObserved(at.stateDir);
          return up?.pid === pid && observed?.up.pid === pid && observed?.state === 'running';
        };
        let ended: Ran | undefined;
        void first.ran.then((ran) => {
          ended = ran;
        });
        while (!ended && !(await isRunning(first.child.pid))) await sleep(20);
        if (!ended) {
          first.child.kill('SIGINT');
          return await first.ran;
        }
        const next = start(at.stateDir, ['up'], 0);
        while (!(await isRunning(next.child.pid))) await sleep(20);
        expect(at.counts(), `${step}`).toMatchObject({ runtime: 1, 'embedded-herdr': 1 });
        next.child.kill('SIGINT');
        expect((await next.ran).code).toBe(0);
        expect(at.processes().filter((line) => !line.includes('herdr-mcp.js'))).toEqual([]);
        return ended;
      } finally {
        await at.close();
      }
    });
  });

  it('install leaves one whole release, its programs staged and wanted, and nothing half-made', async () => {
    verifies('ab.services');
    await everyStep(
      [60],
      async (step) => {
        const { stateDir, remove } = place();
        try {
          const ran = await run(stateDir, ['install', '--no-service'], step);
          await currentRelease(stateDir); // what services start from is whole, or not there
          if (ran.code === null) expect(await run(stateDir, ['install', '--no-service'])).toMatchObject({ code: 0 });
          const release = await currentRelease(stateDir);
          const desired = await readDesired(stateDir);
          expect(desired).toMatchObject({ running: true, active: release?.revision });
          expect(await readRevision(stateDir, desired?.active ?? '')).toBeDefined();
          for (const folder of ['releases', 'revisions']) {
            expect(readdirSync(join(stateDir, folder)).filter((name) => name.startsWith('.'))).toEqual([]);
          }
          expect(existsSync(join(stateDir, '.local', 'bin', 'herdr-mcp'))).toBe(true);
          const current = join(stateDir, 'releases', 'current', 'dist', 'herdr-mcp.js');
          expect(readFileSync(current).equals(readFileSync(COMMAND))).toBe(true);
          return ran;
        } finally {
          remove();
        }
      },
      2,
    );
  });
});
