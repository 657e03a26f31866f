/**
 * The life of a link: connect, serve, and after each ending the next step. One at a time; calls outlive its sockets.
 */
import type { FrameOf, RuntimeFacts } from '../../contract/link/index.ts';
import type { Log } from '../../local/log/index.ts';
import { type Patience, patience } from '../../local/patience/index.ts';
import type { Forwarder, RuntimeWatch } from '../forward/index.ts';
import type { Identity } from '../identity/index.ts';
import { DRAIN_MS, HELLO_WAIT_MS, WELCOME_MS_MAX } from '../limits.ts';
import type { Environment } from '../network/index.ts';
import {
  afterEnding,
  backoffMs,
  type Clock,
  Connection,
  type Ending,
  type History,
  type Next,
} from '../socket/index.ts';
import type { LinkState } from '../status/index.ts';
import { Session } from './session.ts';
import { Waiting } from './waiting.ts';

/** Where the link is, for the status file and for whoever waits for it. */
export interface Phase {
  state: LinkState;
  why: string;
  nextTryInMs?: number;
  edgeVersion?: string;
  /** The edge's clock minus ours, and the way of one frame. */
  clockDifferenceMs?: number;
}

export interface LinkDeps {
  identity: Identity;
  forwarder: Forwarder;
  watch: RuntimeWatch;
  bootId: string;
  environment: Environment;
  clock: Clock;
  random: () => number;
  log: Log;
  /** Called before each connection: the key may have been rotated meanwhile. */
  renewKey: () => Promise<void>;
  entered: (phase: Phase) => void;
  /** Whether the edge has a live link of this device; `undefined` when it cannot be asked. */
  edgeHasLink: () => Promise<boolean | undefined>;
}

export type LinkEnd = 'stopped' | 'revoked';

export class Link {
  readonly #deps: LinkDeps;
  readonly #waiting: Waiting;
  #history: History = { failures: 0, clockCorrected: false };
  #connection: Connection | undefined;
  #session: Session | undefined;
  #stopped = false;
  /** Revocations of connectors that no runtime has confirmed yet. */
  readonly #revocations = new Set<string>();

  constructor(deps: LinkDeps) {
    this.#deps = deps;
    this.#waiting = new Waiting(deps.clock);
  }

  /** Runs until it is stopped or the device is revoked. */
  async run(): Promise<LinkEnd> {
    const { log, entered, watch } = this.#deps;
    watch.start();
    await this.#knowRuntime();
    try {
      while (!this.#stopped) {
        entered({ state: 'connecting', why: `connecting to ${this.#deps.identity.device.edge_origin}` });
        await this.#deps.renewKey();
        const ending = await this.#serve();
        if (this.#stopped) break;
        const next = afterEnding(ending, this.#history);
        log.info({ ending, next }, 'the connection ended');
        if (next.do === 'end') {
          entered({ state: 'revoked', why: next.why });
          return 'revoked';
        }
        await this.#before(next);
      }
      return 'stopped';
    } finally {
      watch.stop();
    }
  }

  /** The active runtime changed: the edge hears it on the same socket. */
  runtimeChanged(facts: RuntimeFacts | undefined): void {
    this.#deps.log.info({ runtime: facts ?? null }, 'the runtime changed');
    this.#session?.hello();
    this.#waiting.promoted();
    if (facts !== undefined) void this.#passRevocations();
  }

  /** The machine uses another address of its edge: the connection to the old one is given up; calls outlive it. */
  moved(): void {
    this.#history = { failures: 0, clockCorrected: false };
    this.#connection?.abandon('this machine uses another address of the edge now');
    this.#waiting.retry();
  }

  /** Ends every wait: a person, or a command, wants a try now. */
  retry(): void {
    this.#waiting.retry();
  }

  /** Takes no new call, lets what runs be answered for at most 5 s, says goodbye. */
  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    this.#waiting.stop();
    if (this.#session !== undefined) {
      this.#deps.entered({ state: 'draining', why: 'the link was asked to stop' });
      this.#session.drain('the link was asked to stop');
      await this.#deps.forwarder.drain(DRAIN_MS);
    }
    this.#connection?.close(1000, 'the link was stopped');
  }

  /** One connection from the attempt to its end. */
  #serve(): Promise<Ending> {
    const { identity, environment, clock, log, forwarder, bootId, watch } = this.#deps;
    return new Promise((resolve) => {
      let refusal: FrameOf<'refuse'> | undefined;
      let welcome: Patience | undefined;
      let connection: Connection;
      const options = {
        origin: identity.device.edge_origin,
        deviceId: identity.device.device_id,
        token: identity.signer.token(),
        environment,
        clock,
      };
      try {
        connection = new Connection(options, {
          opened: () => {
            welcome = patience(WELCOME_MS_MAX, () => connection.abandon('the edge accepted and never answered'));
            void this.#knowRuntime().then(() => {
              if (this.#connection !== connection) return;
              this.#session = session;
              forwarder.listen(session);
              session.hello();
            });
          },
          message: (bytes) => session.receive(bytes),
          ended: (ending) => {
            welcome?.end();
            session.close();
            forwarder.listen(undefined);
            this.#session = undefined;
            this.#connection = undefined;
            resolve(
              refusal === undefined ? ending : { kind: 'refused', reason: refusal.reason, message: refusal.message },
            );
          },
        });
      } catch (error) {
        resolve({ kind: 'unreachable', message: error instanceof Error ? error.message : String(error) });
        return;
      }
      const session = new Session({
        wire: connection,
        forwarder,
        bootId,
        runtime: () => watch.facts,
        log,
        events: {
          welcomed: (frame) => {
            welcome?.end();
            connection.confirm();
            this.#welcomed(frame);
          },
          refused: (frame) => {
            refusal = frame;
            connection.abandon(frame.message);
          },
          revoke: (connectorId) => {
            this.#revocations.add(connectorId);
            void this.#passRevocations();
          },
        },
      });
      this.#connection = connection;
    });
  }

  /** Looks which runtime there is, and goes on without an answer when it takes too long. */
  async #knowRuntime(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, HELLO_WAIT_MS);
    });
    await Promise.race([this.#deps.watch.look(), patience]);
    clearTimeout(timer);
  }

  #welcomed(welcome: FrameOf<'welcome'>): void {
    this.#history = { ...this.#history, clockCorrected: false };
    const { entered, clock, identity, log } = this.#deps;
    const edgeVersion = welcome.edge_version;
    const differenceMs = Math.round(welcome.now_ms - clock.wall());
    log.info({ edge: identity.device.edge_origin, edgeVersion, clock_difference_ms: differenceMs }, 'connected');
    const why = `a round trip through ${identity.device.edge_origin} succeeded`;
    entered({ state: 'connected', why, edgeVersion, clockDifferenceMs: differenceMs });
  }

  /** Does what {@link afterEnding} decided, and returns when the next try is due. */
  async #before(next: Exclude<Next, { do: 'end' }>): Promise<void> {
    const { entered, identity, random, log } = this.#deps;
    switch (next.do) {
      case 'correct_clock': {
        const offsetMs = identity.signer.correctClock(next.edgeNowMs);
        this.#history = { ...this.#history, clockCorrected: true };
        log.warn({ offset_ms: offsetMs }, "this machine's clock differs from the edge's; tokens are corrected by it");
        return;
      }
      case 'reconnect': {
        this.#history = { ...this.#history, failures: next.failures };
        const ms = backoffMs(next.failures, random());
        entered({ state: 'reconnecting', why: next.why, nextTryInMs: ms });
        const woken = await this.#waiting.for(ms, ['retry', 'woke']);
        if (woken !== 'time') this.#history = { ...this.#history, failures: 0 };
        return;
      }
      case 'await_promotion':
        entered({ state: 'awaiting_promotion', why: next.why, nextTryInMs: next.forMs });
        await this.#waiting.for(next.forMs, ['retry', 'promoted']);
        return;
      case 'wait':
        entered({ state: 'refused', why: next.why, nextTryInMs: next.forMs });
        await this.#waiting.for(next.forMs, ['retry']);
        return;
      case 'park':
        return this.#park(next.forMs, next.why);
    }
  }

  /** Stays away while another link serves: two links that both came back would displace each other for ever. */
  async #park(forMs: number, why: string): Promise<void> {
    this.#history = { failures: 0, clockCorrected: false };
    while (!this.#stopped) {
      this.#deps.entered({ state: 'parked', why, nextTryInMs: forMs });
      const woken = await this.#waiting.for(forMs, ['retry']);
      if (woken !== 'time' || (await this.#deps.edgeHasLink()) === false) return;
    }
  }

  async #passRevocations(): Promise<void> {
    for (const connectorId of this.#revocations) {
      if (await this.#deps.forwarder.revoke(connectorId)) this.#revocations.delete(connectorId);
    }
  }
}
