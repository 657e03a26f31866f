/**
 * Which runtime is active and what it says about itself. The pointer is looked at every second, which costs a file; the
 * runtime itself is asked when the boot behind the pointer changed, and rarely otherwise.
 */
import type { RuntimeFacts } from '../../contract/link/index.ts';
import { FACTS_ASK_MS, FACTS_CHECK_MS, FACTS_MISSED_MAX } from '../limits.ts';
import type { Leases } from './leases.ts';
import type { RuntimeClient } from './runtime-client.ts';

export interface RuntimeWatchDeps {
  leases: Leases;
  client: RuntimeClient;
  /** Takes over what a runtime holds before it is announced: a hello with a runtime promises a complete list. */
  recover: (endpoint: string) => Promise<boolean>;
  /** Monotonic ms. */
  now: () => number;
  changed: (facts: RuntimeFacts | undefined) => void;
}

export class RuntimeWatch {
  readonly #deps: RuntimeWatchDeps;
  #facts: RuntimeFacts | undefined;
  #boot: string | undefined;
  #askedMs = Number.NEGATIVE_INFINITY;
  #missed = 0;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;

  constructor(deps: RuntimeWatchDeps) {
    this.#deps = deps;
  }

  /** The active runtime as last seen; `undefined` while none answers. */
  get facts(): RuntimeFacts | undefined {
    return this.#facts;
  }

  start(): void {
    this.#timer ??= setInterval(() => void this.look(), FACTS_CHECK_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Looks now; two looks at once are one. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #look(): Promise<void> {
    const { leases, now } = this.#deps;
    const lease = await leases.active().catch(() => undefined);
    if (lease === undefined) {
      this.#become(undefined);
      return;
    }
    try {
      const due = this.#facts === undefined || now() - this.#askedMs >= FACTS_ASK_MS;
      if (lease.bootId === this.#boot && !due) return;
      this.#askedMs = now();
      const facts = await this.#deps.client.facts(lease.endpoint);
      const known = lease.bootId === this.#boot && this.#facts !== undefined;
      if (facts === 'silent' && known && ++this.#missed < FACTS_MISSED_MAX) return;
      this.#missed = 0;
      const answers = facts !== 'silent' && facts !== 'gone';
      const complete = answers && (known || (await this.#deps.recover(lease.endpoint)));
      this.#boot = lease.bootId;
      this.#become(complete ? facts : undefined);
    } finally {
      lease.release();
    }
  }

  #become(facts: RuntimeFacts | undefined): void {
    const same = JSON.stringify(facts) === JSON.stringify(this.#facts);
    this.#facts = facts;
    if (!same) this.#deps.changed(facts);
  }
}
