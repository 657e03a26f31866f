import { setTimeout as sleep } from 'node:timers/promises';
import { LocalError } from '../../../local/error/index.ts';
import { acquireLock, ensurePrivateDir, type Lock } from '../../../local/files/index.ts';
import { statePaths } from '../../../local/paths/index.ts';
import { type Generation, type Pointer, writePointer } from '../lease.ts';
import { LOOK_BUSY_MS, LOOK_IDLE_MS } from '../limits.ts';
import { type ChildName, type Observed, writeObserved } from '../observed.ts';
import { noStep, type Step } from '../revision.ts';
import { lookOf } from '../state-file.ts';
import { afresh, alreadyRunning, begin, memory } from './begin.ts';
import { Children, type Ending, living } from './children.ts';
import { afterAbsence, afterEnding, withChild, withoutChild } from './endings.ts';
import { type Result, runJob } from './jobs.ts';
import type { Supervisor, SupervisorOptions } from './options.ts';
import { Outlook } from './outlook.ts';
import { nextStep } from './plan.ts';
import { type Decision, type Job, runtimeOf, type View } from './view.ts';

/**
 * Starts the supervisor of a state folder. Throws a `LocalError` when another one holds it or a file is broken that it
 * cannot mend; nothing was started then.
 */
export async function startSupervisor(options: SupervisorOptions): Promise<Supervisor> {
  const paths = statePaths(ensurePrivateDir(options.stateDir));
  const lock = acquireLock(paths.startLock, options.together ? 'start' : 'up');
  if (!lock.held) throw alreadyRunning(paths.dir, lock.by.pid, lock.by.name);
  try {
    await options.before?.();
    return new Loop(options, await memory(paths.dir, options.say ?? (() => undefined)), lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

class Loop implements Supervisor {
  readonly ended: Promise<string | undefined>;
  readonly #options: SupervisorOptions;
  readonly #stateDir: string;
  readonly #children: Children;
  readonly #step: Step;
  readonly #say: (line: string) => void;
  readonly #jobs = new Map<Job, Promise<void>>();
  readonly #results: Result[] = [];
  readonly #abort = new AbortController();
  readonly #outlook: Outlook;
  #watchers: ((observed: Observed) => void)[] = [];
  #observed: Observed;
  #ending = false;
  #leaving = false;
  #why: string | undefined;
  #wake: () => void = () => undefined;
  /** What `observed.json` looked like when it was last written here. */
  #look = '';

  constructor(options: SupervisorOptions, before: Observed | undefined, lock: Lock) {
    this.#options = options;
    this.#stateDir = options.stateDir;
    this.#step = options.step ?? noStep;
    this.#say = options.say ?? (() => undefined);
    const { stateDir, env, ports, together, bin, silentMs } = options;
    const parent = {
      ...(together ? { parentPid: process.pid } : {}),
      ...(bin === undefined ? {} : { bin }),
      ...(silentMs === undefined ? {} : { silentMs }),
    };
    this.#children = new Children({ stateDir, env, ports, ...parent });
    this.#children.ended = () => this.#wake();
    this.#outlook = new Outlook(stateDir, this.#children, this.#say);
    this.#observed = begin(before);
    this.ended = this.#run(lock);
    this.ended.catch(() => undefined); // whoever waits for it hears it
  }

  observed = (): Observed => this.#observed;
  pid = (child: ChildName): number | undefined => this.#children.pid(child);

  until(fits: (observed: Observed) => boolean): Promise<Observed> {
    return new Promise((resolve, reject) => {
      const look = (observed: Observed) => {
        if (!fits(observed)) return;
        this.#watchers = this.#watchers.filter((one) => one !== look);
        resolve(observed);
      };
      this.#watchers.push(look);
      void this.ended.then((why) => reject(new LocalError('supervisor_ended', why ?? 'It was ended.', '')), reject);
      look(this.#observed);
    });
  }

  async leave(): Promise<void> {
    this.#leaving = true;
    this.#wake();
    await this.ended;
  }

  async stop(): Promise<void> {
    this.#ending = true;
    this.#abort.abort();
    this.#wake();
    await this.ended;
  }

  async #run(lock: Lock): Promise<string | undefined> {
    try {
      await this.#takeOver();
      while (!this.#leaving) {
        const decision = await this.#next();
        if (decision.do === 'over') break;
        if (decision.do === 'idle') await this.#wait();
      }
      return this.#why;
    } finally {
      this.#abort.abort();
      await Promise.all(this.#jobs.values());
      this.#children.leave();
      lock.release();
    }
  }

  /** The children of an earlier supervisor: ours now, or, where children end with their parent, ended first. */
  async #takeOver(): Promise<void> {
    const found = living(this.#observed);
    this.#children.adopt(found);
    if (this.#options.together) {
      for (const { name } of found) this.#children.end(name);
      while (found.some(({ name }) => this.#children.pid(name) !== undefined)) {
        await this.#children.look();
        await sleep(LOOK_BUSY_MS);
      }
    } else {
      for (const { name, process: known } of found)
        this.#say(`${name} runs already (pid ${known?.pid}); it is taken over.`);
    }
    const alive = new Set(living(this.#observed).map(({ name }) => name));
    const now = afterAbsence(this.#observed, alive);
    await this.#remember('started', this.#options.together ? afresh(now) : now);
  }

  async #next(): Promise<Decision> {
    if (lookOf(statePaths(this.#stateDir).observed) !== this.#look) {
      this.#say('observed.json was changed by somebody else; it is written anew.');
      await this.#remember('written anew', this.#observed);
    }
    for (const ending of await this.#children.look()) await this.#onEnding(ending);
    for (const result of this.#results.splice(0)) {
      const { desired } = this.#outlook;
      const next = desired && result(this.#observed, desired);
      if (next && next !== this.#observed) await this.#remember('job', next);
    }
    const jobs = new Set(this.#jobs.keys());
    const own = { observed: this.#observed, jobs, ending: this.#ending, restarts: !this.#options.together };
    const view = await this.#outlook.view(own);
    const decision = nextStep(view);
    await this.#do(decision, view);
    return decision;
  }

  async #onEnding(ending: Ending): Promise<void> {
    const { name, asked, why } = ending;
    if (!asked) this.#say(why);
    await this.#remember('ended', afterEnding(this.#observed, ending, Date.now()));
    if (asked || !this.#options.together || this.#ending) return;
    // Of a candidate the plan knows what to do, and one that drains was about to end.
    const { active } = this.#observed;
    if (name.startsWith('runtime') && active && name !== runtimeOf(active.generation)) return;
    this.#why = why.replace(/\.$/, '');
    this.#ending = true;
  }

  async #do(decision: Decision, view: View): Promise<void> {
    switch (decision.do) {
      case 'start':
        return this.#start(decision.child, decision.revision);
      case 'stop':
        this.#say(`${decision.child} is ended: ${decision.why}.`);
        await this.#step(`stop ${decision.child}`);
        return this.#children.end(decision.child);
      case 'forget':
        return this.#remember('forgotten', withoutChild(this.#observed, decision.child));
      case 'point':
        return this.#point(decision.generation, decision.port, view.pointer);
      case 'remember':
        return this.#remember(decision.what, decision.observed);
      case 'job':
        return this.#begin(decision.job, view);
      case 'idle':
      case 'over':
        return;
    }
  }

  async #start(name: ChildName, revision: string): Promise<void> {
    const launched = this.#children.prepare(name, revision, this.#observed.herdr?.socket ?? '');
    if (!launched) {
      const why = `${name} could not be started.`;
      return this.#remember(
        'not started',
        afterEnding(this.#observed, { name, asked: false, why }, Date.now(), revision),
      );
    }
    await this.#step(`prepared ${name}`);
    const known = { pid: launched.pid, start: launched.start };
    await this.#remember(`start ${name}`, withChild(this.#observed, name, revision, known, Date.now()));
    launched.go();
    this.#say(`${name} is started (revision ${revision}, pid ${launched.pid}).`);
    await this.#step(`gone ${name}`);
  }

  async #point(generation: Generation, port: number, before: Pointer | undefined): Promise<void> {
    await this.#step(`point ${generation}`);
    await writePointer(this.#stateDir, { schema: 1, generation, port, revision: (before?.revision ?? 0) + 1 });
    this.#say(`Calls go to generation ${generation} on port ${port}.`);
    await this.#step(`pointed ${generation}`);
  }

  #begin(job: Job, view: View): void {
    const { env, embeddedHerdr = false } = this.#options;
    const context = {
      ...{ stateDir: this.#stateDir, env, embeddedHerdr, say: this.#options.tell ?? this.#say },
      ...{ signal: this.#abort.signal, nowMs: Date.now },
    };
    const done = runJob(job, view, context).then(
      (result) => void this.#results.push(result),
      (error: unknown) => this.#say(`${job} failed: ${error instanceof Error ? error.message : String(error)}`),
    );
    this.#jobs.set(
      job,
      done.finally(() => {
        this.#jobs.delete(job);
        this.#wake();
      }),
    );
  }

  /** Written before it is believed: what stands in the file is what the next supervisor goes on with. */
  async #remember(what: string, observed: Observed): Promise<void> {
    const next = { ...observed, updated_at_ms: Date.now() };
    await writeObserved(this.#stateDir, next);
    this.#look = lookOf(statePaths(this.#stateDir).observed);
    this.#tell(this.#observed, next);
    this.#observed = next;
    await this.#step(what);
    for (const look of [...this.#watchers]) look(next);
  }

  #tell(before: Observed, now: Observed): void {
    const isTold = now.children.some(({ last_end }) => last_end === now.trouble);
    if (now.trouble && now.trouble !== before.trouble && now.state !== 'starting' && !isTold) this.#say(now.trouble);
    const last = now.last_transition;
    if (last && last.at_ms !== before.last_transition?.at_ms) {
      this.#say(`Revision ${last.to}: ${last.outcome.replace('_', ' ')}${last.reason ? `. ${last.reason}` : '.'}`);
    }
    const failed = now.candidate?.phase === 'failed' && before.candidate?.phase !== 'failed';
    if (failed) this.#say(`Revision ${now.candidate?.revision} is not ready: ${now.candidate?.reason}`);
  }

  async #wait(): Promise<void> {
    const busy = this.#jobs.size > 0 || this.#observed.state !== 'running' || this.#ending;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, busy ? LOOK_BUSY_MS : LOOK_IDLE_MS);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#wake = () => undefined;
  }
}
