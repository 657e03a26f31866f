/** A state folder with fake builds in it, a supervisor on it, and what is left running. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ChildName,
  changeDesired,
  type Desired,
  type Observed,
  type Supervisor,
  type SupervisorOptions,
  stageRevision,
  startSupervisor,
} from '../../../../runtime-a-b/generations/index.ts';
import { type FakeBuild, fakeBuild } from './fake-build.ts';

/** Looks that follow each other at once: what is watched here answers in milliseconds. */
const OBSERVATION = { checks: 2, interval_ms: 20 };

export class Workstation {
  readonly folder = mkdtempSync(join(tmpdir(), 'hm-ab-'));
  readonly stateDir = join(this.folder, 's');
  readonly said: string[] = [];
  #builds = 0;
  #supervisor: Supervisor | undefined;

  /** Stages a build and gives its revision. */
  async stage(build: FakeBuild): Promise<string> {
    this.#builds += 1;
    const source = fakeBuild(join(this.folder, `build-${this.#builds}`), build);
    return (await stageRevision(this.stateDir, source)).revision;
  }

  /** As a paired one, so that a link is wanted. */
  pair(): void {
    writeFileSync(join(this.stateDir, 'device.json'), '{}', { mode: 0o600 });
  }

  want(edit: (now: Desired) => Desired): Promise<Desired> {
    return changeDesired(this.stateDir, (now) => edit({ observation: OBSERVATION, ...now }));
  }

  options(more: Partial<SupervisorOptions> = {}): SupervisorOptions {
    return {
      stateDir: this.stateDir,
      env: { PATH: process.env['PATH'] },
      ports: { a: 0, b: 0 },
      together: false,
      embeddedHerdr: true,
      say: (line) => void this.said.push(line),
      ...more,
    };
  }

  /** A supervisor, once everything that is wanted runs. */
  async running(): Promise<Supervisor> {
    const up = await this.up();
    await up.until(({ state }) => state === 'running');
    return up;
  }

  async up(more: Partial<SupervisorOptions> = {}): Promise<Supervisor> {
    this.#supervisor = await startSupervisor(this.options(more));
    return this.#supervisor;
  }

  /** Wants something and waits until it has been dealt with. */
  async do(edit: (now: Desired) => Desired): Promise<Observed> {
    const { change } = await this.want(edit);
    return (this.#supervisor as Supervisor).until((observed) => observed.change >= change);
  }

  /** As a power cut or a slip of an editor leaves it. */
  break(name: string): void {
    writeFileSync(join(this.stateDir, name), '{"schema":');
  }

  isWhole(name: string): boolean {
    return readFileSync(join(this.stateDir, name), 'utf8').endsWith('}\n');
  }

  /** SIGKILL to one of the children. */
  strike(name: ChildName): void {
    const pid = this.#supervisor?.pid(name);
    if (pid === undefined) throw new Error(`${name} does not run`);
    process.kill(pid, 'SIGKILL');
  }

  /** Command lines of everything that runs for this folder. */
  processes(): string[] {
    return execFileSync('ps', ['axww', '-o', 'pid=,args='], { encoding: 'utf8' })
      .split('\n')
      .filter((line) => line.includes(this.stateDir) && !line.includes('killed-at'));
  }

  /** How many processes run of each program. */
  counts(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const line of this.processes()) {
      const name = /([a-z-]+)\.js/.exec(line)?.[1] ?? line;
      counts[name] = (counts[name] ?? 0) + 1;
    }
    return counts;
  }

  async close(): Promise<void> {
    await this.#supervisor?.stop();
    for (const line of this.processes()) process.kill(Number.parseInt(line, 10), 'SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }
}
