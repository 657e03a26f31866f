/**
 * Each command of the A/B machinery, killed at its steps and then run again: at every one with HERDR_MCP_MATRIX=1, else
 * at a sample of the two long ones.
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listRevisions, readDesired, readObserved, readPointer } from '../../../runtime-a-b/generations/index.ts';
import { played } from '../../played.ts';
import { ownProgram } from '../../support/program.ts';
import { verifies } from '../../verifies.ts';
import { fakeBuild } from './support/fake-build.ts';
import { Workstation } from './support/workstation.ts';

const EVERY = process.env['HERDR_MCP_MATRIX'] === '1';
/** Sixty steps, each with a dozen processes, on a machine that does ten other things. */
const LONG_MS = EVERY ? 3_600_000 : 240_000;
const SCRIPT = await ownProgram(new URL('./support/killed-at.ts', import.meta.url));

/** Runs it and gives what it said. */
function run(what: string, stateDir: string, at: number, subject: string): Promise<string> {
  const child = spawn(process.execPath, [SCRIPT, what, stateDir, String(at), subject], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  return new Promise((resolve) => child.once('close', () => resolve(said)));
}

/** Does it for the first, the next after `stride` … until a run was not killed any more, some at once: most of the time is waiting. */
async function everyStep(once: (at: number) => Promise<'killed' | 'ended'>, stride = 1): Promise<number> {
  let next = 1;
  let over = false;
  const worker = async () => {
    while (!over) {
      const at = next;
      next += stride;
      if ((await once(at)) === 'ended') over = true;
      else played('kills');
    }
  };
  await Promise.all([worker(), worker(), worker(), worker()]);
  return next;
}

const second = { version: '1.1.0' };

async function promotion(at: number, build: Parameters<typeof fakeBuild>[1]): Promise<'killed' | 'ended'> {
  const place = new Workstation();
  try {
    const [a, b] = [await place.stage({ version: '1.0.0' }), await place.stage(build)];
    place.pair();
    await place.want((now) => ({ ...now, active: a }));
    const said = await run('promote', place.stateDir, at, b);
    // Whoever comes next: another supervisor, and the command again.
    const up = await place.running();
    const observed = await place.do((now) => ({ ...now, active: b }));
    await up.until(({ draining, state }) => draining === undefined && state === 'running');
    const isGood = build.fault === undefined;
    const label = `${said} ${JSON.stringify(up.observed())}`;
    expect(observed.active?.revision, label).toBe(isGood ? b : a);
    expect(observed.transition, label).toBeUndefined();
    expect(
      observed.refused.map(({ revision }) => revision),
      label,
    ).toEqual(isGood ? [] : [b]);
    expect(observed.previous, label).toBe(isGood ? a : undefined);
    expect((await readPointer(place.stateDir))?.generation, label).toBe(observed.active?.generation);
    expect(place.counts(), label).toEqual({ runtime: 1, 'herdr-link': 1, 'embedded-herdr': 1 });
    expect((await readObserved(place.stateDir)).observed, label).toEqual(up.observed());
    return said.startsWith('killed') ? 'killed' : 'ended';
  } finally {
    await place.close();
  }
}

describe('killed at every step and run again', () => {
  it(
    'a promotion ends on the new build, each program runs once, and the pointer agrees',
    async () => {
      verifies('ab.generations');
      expect(await everyStep((at) => promotion(at, second), EVERY ? 1 : 9)).toBeGreaterThan(25);
    },
    LONG_MS,
  );

  it(
    'a promotion that is rolled back ends on the build before, and the bad one is refused',
    async () => {
      verifies('ab.generations');
      const bad = { ...second, fault: 'fails when active' } as const;
      expect(await everyStep((at) => promotion(at, bad), EVERY ? 1 : 13)).toBeGreaterThan(25);
    },
    LONG_MS,
  );

  it(
    'staging leaves the whole revision once, and nothing half-made',
    async () => {
      verifies('ab.generations');
      const place = new Workstation();
      try {
        const source = fakeBuild(join(place.folder, 'source'), second);
        const steps = await everyStep(async (at) => {
          const stateDir = join(place.folder, `s${at}`);
          const said = await run('stage', stateDir, at, source);
          await run('stage', stateDir, 0, source);
          const [revision, more] = await listRevisions(stateDir);
          expect(more, said).toBeUndefined();
          expect((await readDesired(stateDir))?.candidate, said).toBe(revision?.revision);
          expect(readdirSync(join(stateDir, 'revisions')), said).toEqual([revision?.revision]);
          return said.startsWith('killed') ? 'killed' : 'ended';
        });
        expect(steps).toBeGreaterThan(4);
      } finally {
        await place.close();
      }
    },
    LONG_MS,
  );

  it(
    'removing leaves nothing of the revision',
    async () => {
      verifies('ab.generations');
      const steps = await everyStep(async (at) => {
        const place = new Workstation();
        try {
          const b = await place.stage(second);
          await place.want((now) => ({ ...now, candidate: b }));
          const said = await run('remove', place.stateDir, at, b);
          await run('remove', place.stateDir, 0, b);
          expect(readdirSync(join(place.stateDir, 'revisions')), said).toEqual([]);
          expect((await readDesired(place.stateDir))?.candidate, said).toBeUndefined();
          expect(existsSync(join(place.stateDir, 'revisions', b))).toBe(false);
          return said.startsWith('killed') ? 'killed' : 'ended';
        } finally {
          await place.close();
        }
      });
      expect(steps).toBeGreaterThan(2);
    },
    LONG_MS,
  );
});
