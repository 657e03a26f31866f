/**
 * Soak: mixed load on the whole product for an hour, while its socket is cut, its generations change and its readers come
 * and go. Every process is looked at all the time; at the end each promise has a verdict.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { approveHere, connectV2 } from '../../scripts/demo/index.ts';
import { endConnections } from '../bench/post.ts';
import { type Agent, startAgent } from './agent.ts';
import { openBrowser, subscribe } from './browser.ts';
import { mixOf } from './calls.ts';
import { type Connector, openConnector } from './connector.ts';
import {
  AT_ONCE,
  CONNECTORS,
  CUT_MS,
  ENDING_MS,
  LOOK_MS,
  PROMPT_MS,
  REFRESH_MS,
  SAMPLE_MS,
  SDK,
  VISIT_MS,
} from './limits.ts';
import { processesIn, sizesOf } from './processes.ts';
import { openSoakStage, type SoakStage } from './stage.ts';
import { type Sample, type Told, type Verdict, verdictsOf } from './verdict.ts';

export { MINUTES, PER_SECOND, PROMOTE_MS } from './limits.ts';
export { renderSoak } from './verdict.ts';

export interface SoakOptions {
  minutes: number;
  /** Calls a second of all raw connectors together. */
  perSecond: number;
  /** Between two promotions, in ms. */
  promoteMs: number;
  say?: (line: string) => void;
}

export interface SoakReport {
  samples: Sample[];
  verdicts: Verdict[];
  counts: Record<string, number>;
}

export async function runSoak(options: SoakOptions): Promise<SoakReport> {
  const { say = () => undefined } = options;
  const stage = await openSoakStage();
  try {
    const run = new Run(stage, options);
    const { samples, told, counts } = await run.play(say);
    return { samples, counts, verdicts: verdictsOf(samples, told) };
  } finally {
    endConnections();
    stage.remove();
  }
}

class Run {
  readonly #stage: SoakStage;
  readonly #options: SoakOptions;
  readonly #untilMs: number;
  readonly #samples: Sample[] = [];
  readonly #failed: string[] = [];
  readonly #counts: Record<string, number> = { calls: 0 };
  #over = false;

  constructor(stage: SoakStage, options: SoakOptions) {
    this.#stage = stage;
    this.#options = options;
    this.#untilMs = Date.now() + options.minutes * 60_000;
    void stage.ended.then((why) => {
      if (this.#over) return;
      this.#failed.push(why);
      this.#over = true;
    });
  }

  async play(say: (line: string) => void): Promise<{ samples: Sample[]; told: Told; counts: Record<string, number> }> {
    const stage = this.#stage;
    const doubled: string[] = [];
    try {
      const connectors = await Promise.all(Array.from({ length: CONNECTORS }, () => openConnector(stage)));
      const first = connectors[0] as Connector;
      const browser = await openBrowser(stage.stateDir);
      const agent = await startAgent(first, stage.workspace, stage.repository);
      const mix = mixOf(stage);
      await this.#during(connectors, agent, mix.one, say);
      await browser.close();
      Object.assign(this.#counts, { answers: browser.counts.answers, events: browser.counts.events });
      doubled.push(...mix.doubled(), ...(await agent.doubled()));
      // It outlives its command on purpose: the product has to find it at its end.
      const command = 'sleep 100000 & echo begun';
      await first.call('herdr_exec', { workspace: stage.workspace, command, confirm_busy: true });
    } catch (error) {
      this.#failed.push(sentenceOf('the run itself', error));
    } finally {
      this.#over = true;
      await stage.stop();
    }
    const told = {
      calls: this.#counts['calls'] ?? 0,
      failed: this.#failed,
      doubled,
      left: await leftBehind(stage.home),
    };
    return { samples: this.#samples, told, counts: this.#counts };
  }

  /** Everything that goes on until the time is over. */
  async #during(
    connectors: readonly Connector[],
    agent: Agent,
    call: (connector: Connector, n: number) => Promise<void>,
    say: (line: string) => void,
  ): Promise<void> {
    const stage = this.#stage;
    const { perSecond, promoteMs } = this.#options;
    const subscribers = [0, 1, 2].map(() =>
      subscribe(
        stage.stateDir,
        () => this.#isOver(),
        () => this.#count('heard'),
      ),
    );
    await Promise.all([
      this.#steadily(perSecond, (n) => call(connectors[n % connectors.length] as Connector, n)),
      this.#every(SAMPLE_MS, 'samples', async () => this.#sample(say), 0),
      this.#every(CUT_MS, 'cuts', async () => void stage.cut()),
      this.#every(promoteMs, 'promotions', (n) => stage.promote(n)),
      this.#every(PROMPT_MS, 'prompts', (n) => agent.prompt(n), 0),
      this.#every(VISIT_MS, 'visits', () => visit(stage)),
      ...connectors.map((one) => this.#every(REFRESH_MS, 'refreshes', () => one.refresh())),
      this.#sdkClient(),
      ...subscribers,
    ]);
  }

  /** Starts a call at each beat, unless too many are under way, and waits for all at the end. */
  async #steadily(perSecond: number, call: (n: number) => Promise<void>): Promise<void> {
    const running = new Set<Promise<void>>();
    const beganMs = performance.now();
    for (let n = 1; !this.#isOver(); n += 1) {
      await sleep(Math.max(0, beganMs + (n * 1000) / perSecond - performance.now()));
      while (running.size >= AT_ONCE) await Promise.race(running);
      const one: Promise<void> = this.#attempt('calls', () => call(n)).finally(() => running.delete(one));
      running.add(one);
    }
    await Promise.all(running);
  }

  async #every(everyMs: number, what: string, act: (n: number) => Promise<void>, firstMs = everyMs): Promise<void> {
    let dueMs = Date.now() + firstMs;
    for (let n = 0; ; n += 1) {
      while (Date.now() < dueMs && !this.#isOver()) await sleep(LOOK_MS);
      if (this.#isOver()) return;
      await this.#attempt(what, () => act(n));
      dueMs = Math.max(dueMs + everyMs, Date.now());
    }
  }

  async #sdkClient(): Promise<void> {
    const { mcpUrl, stateDir } = this.#stage;
    const party = await connectV2(
      new URL(mcpUrl),
      approveHere(stateDir, () => undefined),
    );
    await this.#every(SDK.everyMs, 'sdk calls', async (n) => {
      if (n % SDK.callsPerConnection === SDK.callsPerConnection - 1) {
        await party.close();
        await party.comeBack();
      }
      const { text, isError } = await party.call('herdr_inspect', {});
      if (isError) throw new Error(text.slice(0, 300));
    });
    await party.close();
  }

  async #attempt(what: string, act: () => Promise<void>): Promise<void> {
    try {
      await act();
    } catch (error) {
      this.#failed.push(sentenceOf(`${what} at ${new Date().toISOString()}`, error));
    }
    this.#count(what);
  }

  #sample(say: (line: string) => void): void {
    const seen = processesIn(this.#stage.home);
    const edge = Object.values(sizesOf(this.#stage.edgeDir)).reduce((sum, n) => sum + n, 0);
    this.#samples.push({ atMs: Date.now(), seen, sizes: { ...sizesOf(this.#stage.stateDir), 'edge/': edge } });
    const parts = seen.filter(({ role }) => role !== 'other');
    const words = parts.map(
      ({ role, rssMb, fds, threads }) => `${role} ${Math.round(rssMb)} MB ${fds} fd ${threads} th`,
    );
    const others = `${seen.length - parts.length} others`;
    say([JSON.stringify(this.#counts), `${this.#failed.length} failed`, ...words, others].join(' · '));
    for (const sentence of this.#failed.slice(-1)) say(`  last failure: ${sentence}`);
  }

  #count(what: string): void {
    this.#counts[what] = (this.#counts[what] ?? 0) + 1;
  }

  #isOver(): boolean {
    return this.#over || Date.now() >= this.#untilMs;
  }
}

/** A connector that comes, calls once, and ends its grant. */
async function visit(stage: SoakStage): Promise<void> {
  const visitor = await openConnector(stage);
  await visitor.call('herdr_inspect', {});
  await visitor.revoke();
}

/** What is still there when everything had its time to end. */
async function leftBehind(home: string): Promise<string[]> {
  const untilMs = Date.now() + ENDING_MS;
  for (;;) {
    const left = processesIn(home);
    if (left.length === 0 || Date.now() > untilMs)
      return left.map(({ pid, command }) => `${pid} ${command.slice(0, 200)}`);
    await sleep(LOOK_MS);
  }
}

const sentenceOf = (what: string, error: unknown) =>
  `${what}: ${error instanceof Error ? error.message : String(error)}`.slice(0, 600);
