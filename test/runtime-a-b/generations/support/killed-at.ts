/**
 * A process that does one thing to a state folder and is killed by SIGKILL at its n-th step; with 0 it is never killed and
 * says at its end how many steps there were. `killed-at.ts <what> <stateDir> <n> [revision or folder …]`
 */
import { writeSync } from 'node:fs';
import {
  changeDesired,
  deleteRevision,
  type Step,
  stageRevision,
  startSupervisor,
} from '../../../../runtime-a-b/generations/index.ts';

const [what = '', stateDir = '', at = '0', subject = ''] = process.argv.slice(2);
let steps = 0;
const step: Step = (name) => {
  steps += 1;
  if (steps !== Number(at)) return;
  writeSync(1, `killed at ${steps}: ${name}\n`);
  process.kill(process.pid, 'SIGKILL');
};

/** A supervisor that carries a promotion out: the command only writes what it wants. */
async function promote(): Promise<void> {
  const up = await startSupervisor({
    ...{ stateDir, env: { PATH: process.env['PATH'] }, ports: { a: 0, b: 0 }, together: false, embeddedHerdr: true },
    step,
  });
  await up.until(({ state }) => state === 'running');
  const { change } = await changeDesired(stateDir, (now) => ({ ...now, active: subject }));
  await step('wanted');
  await up.until((observed) => observed.change >= change && !observed.draining);
  await up.leave();
}

async function stage(): Promise<void> {
  const { revision } = await stageRevision(stateDir, subject, step);
  await step('staged');
  await changeDesired(stateDir, (now) => ({ ...now, candidate: revision }));
  await step('wanted');
}

async function remove(): Promise<void> {
  await changeDesired(stateDir, ({ candidate: _, ...now }) => now);
  await step('withdrawn');
  await deleteRevision(stateDir, subject, step);
}

const deeds: Record<string, () => Promise<void>> = { promote, stage, remove };
await deeds[what]?.();
writeSync(1, `steps ${steps}\n`);
