/** A cutover on its way, forth and back. */
import { LocalError } from '../../local/error/index.ts';
import { VERSION } from '../../local/version/index.ts';
import { type Api, healthy, identity, READ_AGAIN_MS, type WorkerAt } from '../cloudflare/index.ts';
import { type DeployJournal, deployJournal } from '../deploy/index.ts';
import { attach, deleteRecord, detach, restoreRecord } from './domain.ts';
import { expectWell, lookAround } from './facts.ts';
import { type CutoverJournal, cutoverJournal, isOpen } from './journal.ts';
import { GREEN_IN_A_ROW, WATCH_MS, WATCH_MS_MAX } from './limits.ts';
import type { CutoverWish } from './options.ts';
import { deployWith, serveAgain } from './serving.ts';
import type { CutoverEnd, CutoverOptions } from './types.ts';
import { greenInARow, knownAt } from './verify.ts';
import { planOf } from './words.ts';

export class Cutover {
  readonly #options: CutoverOptions;
  readonly #deployed: DeployJournal;
  readonly #worker: WorkerAt;
  readonly #dns: Api;

  constructor(options: CutoverOptions, deployed: DeployJournal, worker: WorkerAt, dns: Api) {
    this.#options = options;
    this.#deployed = deployed;
    this.#worker = worker;
    this.#dns = dns;
  }

  async forth(wish: Extract<CutoverWish, { do: 'run' }>): Promise<CutoverEnd> {
    const before = await this.#journal.read();
    if (before && isOpen(before)) {
      if (before.hostname !== wish.hostname) throw otherUnderWay(before);
      if (before.stage === 'rolling_back' || before.stage === 'rollback_failed') return this.back();
      this.#options.say(`Going on with the cutover to ${before.hostname}, which had come to "${before.stage}".`);
      return this.#steps(before);
    }
    const found = await lookAround({
      options: this.#options,
      wish,
      origins: this.#deployed.origins,
      worker: this.#worker,
      dns: this.#dns,
    });
    if ('green' in found) return 'CUTOVER_GREEN';
    planOf(found, wish.dryRun).forEach(this.#options.say);
    if (wish.dryRun) return 'READY';
    await this.#note(found, 'ready'); // before anything changes: without it there would be no way back
    return this.#steps(found);
  }

  /** Puts everything back as it is written down. */
  async back(why = 'it was asked for'): Promise<CutoverEnd> {
    const journal = await this.#journal.read();
    if (journal?.stage === 'retired') {
      throw new LocalError(
        'address_retired',
        `The address before ${journal.hostname} was retired, so there is nothing to go back to. Nothing was changed.`,
        'Put another name beside it with: npm run cutover -- run <hostname>',
      );
    }
    if (!journal || journal.stage === 'rolled_back') {
      throw new LocalError(
        'no_cutover',
        'No cutover is written down here, so there is nothing to undo.',
        'Nothing was changed.',
      );
    }
    await this.#note({ ...journal, why }, 'rolling_back');
    const failed: string[] = [];
    const undo = async (what: string, work: () => Promise<unknown>) => {
      try {
        await work();
      } catch (error) {
        if (!(error instanceof LocalError)) throw error;
        failed.push(`${what}: ${error.message}`);
      }
    };
    await undo('the version that served', () => serveAgain(this.#worker, journal.before.version, this.#lookAgainMs));
    await undo('the domain', () => detach(this.#worker, journal.hostname, this.#lookAgainMs));
    for (const record of journal.before.dns) {
      await undo(`the ${record.type} record`, () =>
        restoreRecord(this.#dns, journal.zone_id, record, this.#lookAgainMs),
      );
    }
    for (const origin of journal.before.origins) {
      await undo(origin, () => expectWell(origin, identity(origin, this.#options.env)));
    }
    if (failed.length > 0) {
      await this.#note({ ...journal, why: failed.join(' ').slice(0, WHY_CHARS_MAX) }, 'rollback_failed');
      throw new LocalError(
        'rollback_failed',
        `Not everything could be put back. ${failed.join(' ')}`,
        'Run `npm run cutover -- rollback` again; it goes on. The journal holds what was there: deploy/cutover.json.',
      );
    }
    await deployJournal(this.#options.stateDir).write({ ...this.#deployed, origins: [...journal.before.origins] });
    await this.#note({ ...journal, why }, 'rolled_back');
    this.#options.say(`Everything is as it was before. Why: ${why}`);
    return 'ROLLBACK_COMPLETE';
  }

  async #steps(journal: CutoverJournal): Promise<CutoverEnd> {
    try {
      await this.#change(journal);
      return 'CUTOVER_GREEN';
    } catch (error) {
      if (!(error instanceof LocalError)) throw error;
      this.#options.say(error.sentence);
      return await this.back(error.message.slice(0, WHY_CHARS_MAX));
    }
  }

  async #change(journal: CutoverJournal): Promise<void> {
    const { env, stateDir, say } = this.#options;
    const { hostname, zone_id, before } = journal;
    const origin = `https://${hostname}`;
    const origins = [origin, ...before.origins];
    if (before.dns.length > 0) {
      await this.#note(journal, 'deleting_dns');
      for (const record of before.dns) await deleteRecord(this.#dns, zone_id, record, this.#lookAgainMs);
      say(`${before.dns.length} DNS records of ${hostname} are deleted; they are written down.`);
    }
    await this.#note(journal, 'attaching_domain');
    await attach(this.#worker, hostname, zone_id, this.#lookAgainMs);
    await this.#note(journal, 'watching_domain');
    const { everyMs, withinMs } = this.#watch;
    await expectWell(origin, greenInARow(healthy(origin, VERSION, env), GREEN_IN_A_ROW, everyMs, withinMs));
    say(`${origin} serves.`);
    await this.#note(journal, 'deploying');
    await deployWith(this.#options, this.#worker, journal.tag, origins);
    await this.#note(journal, 'verifying');
    for (const one of origins) {
      await expectWell(one, greenInARow(identity(one, env), 1, everyMs, withinMs));
      await expectWell(one, greenInARow(knownAt(stateDir, one, env), 1, everyMs, withinMs));
      say(`${one} is its own sign-in, and knows this machine.`);
    }
    await deployJournal(stateDir).write({ ...this.#deployed, origins });
    await this.#note(journal, 'green');
  }

  get #journal() {
    return cutoverJournal(this.#options.stateDir);
  }

  async #note(journal: CutoverJournal, stage: CutoverJournal['stage']): Promise<void> {
    await this.#journal.write({ ...journal, stage, at_ms: Date.now() });
  }

  get #lookAgainMs(): readonly number[] {
    return this.#options.waits?.lookAgainMs ?? READ_AGAIN_MS;
  }

  get #watch() {
    return this.#options.waits?.watch ?? { everyMs: WATCH_MS, withinMs: WATCH_MS_MAX };
  }
}

/** Longest reason that is written down. */
const WHY_CHARS_MAX = 2_000;

const otherUnderWay = ({ hostname, stage }: CutoverJournal) =>
  new LocalError(
    'other_cutover',
    `A cutover to ${hostname} is under way ("${stage}"). Nothing was changed.`,
    `Finish it: npm run cutover -- run ${hostname}, or undo it: npm run cutover -- rollback`,
  );
