/** A deploy on its way: its steps, each looked at before it is done and read back after it. */
import { randomBytes } from 'node:crypto';
import * as Value from 'typebox/value';
import { DeviceList } from '../../contract/fleet/index.ts';
import { openIdentity, requestAsDevice } from '../../link/identity/index.ts';
import { LocalError } from '../../local/error/index.ts';
import { openSecrets } from '../../local/secrets/index.ts';
import { VERSION } from '../../local/version/index.ts';
import {
  accountSubdomain,
  healthy,
  identity,
  PROBE_MS,
  PROBE_MS_MAX,
  READ_AGAIN_MS,
  settle,
  until,
} from '../cloudflare/index.ts';
import type { DeployFacts } from './facts.ts';
import type { DeployJournal, deployJournal } from './journal.ts';
import { pairFirstHere, proveDead } from './pairing.ts';
import {
  dropSecret,
  forgetOperatorSecret,
  freshSecret,
  keptOperatorSecret,
  operatorSecret,
  putSecret,
} from './secrets.ts';
import type { Deployed, DeployOptions } from './types.ts';

export class Deploy {
  readonly #options: DeployOptions;
  readonly #facts: DeployFacts;
  readonly #journal: ReturnType<typeof deployJournal>;
  #state: DeployJournal;

  constructor(
    options: DeployOptions,
    facts: DeployFacts,
    journal: ReturnType<typeof deployJournal>,
    state: DeployJournal,
  ) {
    this.#options = options;
    this.#facts = facts;
    this.#journal = journal;
    this.#state = state;
  }

  async run(): Promise<Deployed> {
    const { worker, origins } = this.#facts;
    const { say } = this.#options;
    await this.#note({});
    await this.#register();
    await this.#upload();
    await this.#onWorkersDev();
    const code = await putSecret(worker, 'CODE_SECRET', freshSecret(), this.#lookAgainMs);
    say(code === 'was_there' ? 'CODE_SECRET is set.' : 'CODE_SECRET was made and set.');
    for (const origin of origins)
      await this.#wait(`${origin} serves version ${VERSION}`, healthy(origin, VERSION, this.#env));
    const origin = await this.#pair();
    await this.#endOperator(origin);
    for (const one of origins) await this.#wait(`${one} is its own resource and sign-in`, identity(one, this.#env));
    const deviceId = await this.#readAsDevice();
    await this.#note({ device_id: deviceId, finished_at_ms: Date.now() });
    return { origin, mcpUrl: `${origins[0]}/mcp`, deviceId };
  }

  get #env() {
    return this.#options.env;
  }

  get #lookAgainMs(): readonly number[] {
    return this.#options.waits?.lookAgainMs ?? READ_AGAIN_MS;
  }

  async #note(change: Partial<DeployJournal>): Promise<void> {
    this.#state = { ...this.#state, ...change };
    await this.#journal.write(this.#state);
  }

  /** The account's `workers.dev` name, once. */
  async #register(): Promise<void> {
    const { worker, subdomain } = this.#facts;
    const wished = this.#options.wish.subdomain;
    if (subdomain !== undefined || wished === undefined) return;
    const path = `/accounts/${encodeURIComponent(worker.account)}/workers/subdomain`;
    await settle({
      what: `registering ${wished}.workers.dev`,
      read: () => accountSubdomain(worker.api, worker.account),
      isDone: (name) => name === wished,
      isUntouched: (name) => name === undefined,
      act: () => worker.api.change('PUT', path, { subdomain: wished }),
      lookAgainMs: this.#lookAgainMs,
    });
    this.#options.say(`${wished}.workers.dev is registered.`);
  }

  /**
   * Uploads under a tag of its own, written down before. Whether it arrived is read from what serves, never from how
   * wrangler ended: a lost answer looks like a failure and is none.
   */
  async #upload(): Promise<void> {
    const { worker, origins } = this.#facts;
    const { wrangler, wish, clone, say } = this.#options;
    const begun = this.#state.upload;
    const again = begun?.digest === clone.digest ? begun : undefined;
    if (again && (await worker.serving())?.tag === again.tag) {
      await this.#note({ upload: { ...again, state: 'done' } });
      say('The upload of the stopped deploy has arrived.');
      return;
    }
    const tag = again?.tag ?? `hm-${randomBytes(8).toString('hex')}`;
    await this.#note({ upload: { tag, digest: clone.digest, state: 'begun' } });
    say(`Uploading the Worker ${wish.name} with wrangler ...`);
    const done = await wrangler.deploy({
      account: worker.account,
      name: wish.name,
      vars: { ORIGINS: origins.join(','), STAGE: wish.stage },
      tag,
      message: `herdr-mcp ${VERSION}`,
    });
    const serving = await this.#arrived(tag);
    if (serving === undefined) {
      throw new LocalError(
        'upload_failed',
        `wrangler ended with ${done.code ?? 'a signal'}, and the Worker that serves is not this upload:\n${lastLines(done.said)}\n`,
        'Correct what it names, then run the same command again.',
      );
    }
    await this.#note({ upload: { tag, digest: clone.digest, state: 'done', version: serving } });
    say(`Version ${serving} serves.`);
  }

  /** The version with that tag, when it is the one that serves; looked for several times. */
  async #arrived(tag: string): Promise<string | undefined> {
    for (const wait of [0, ...this.#lookAgainMs]) {
      await new Promise((resolve) => setTimeout(resolve, wait));
      const serving = await this.#facts.worker.serving();
      if (serving?.tag === tag) return serving.version;
    }
    return undefined;
  }

  async #onWorkersDev(): Promise<void> {
    const { worker, origins } = this.#facts;
    if (!origins.some((origin) => origin.endsWith('.workers.dev'))) return;
    await settle({
      what: `serving ${worker.name} on workers.dev`,
      read: () => worker.isOnWorkersDev(),
      isDone: (enabled) => enabled,
      isUntouched: (enabled) => !enabled,
      act: () => worker.api.change('POST', `${worker.path}/subdomain`, { enabled: true }),
      lookAgainMs: this.#lookAgainMs,
    });
  }

  /** This machine as a workstation of the edge, and at which of its addresses. */
  async #pair(): Promise<string> {
    const { device, worker, origins } = this.#facts;
    const { stateDir, say, waits } = this.#options;
    if (device) return device.edge_origin;
    const origin = origins[0] as string;
    const store = await openSecrets(stateDir, { env: this.#env });
    const isOurs = this.#state.operator === 'setting' || this.#state.operator === 'set';
    if (!isOurs) await dropSecret(worker, 'OPERATOR_SECRET', this.#lookAgainMs); // one that somebody left there
    const secret = await operatorSecret(store);
    await this.#note({ operator: 'setting' });
    await putSecret(worker, 'OPERATOR_SECRET', secret, this.#lookAgainMs);
    await this.#note({ operator: 'set' });
    const context = { stateDir, environment: this.#env, ...(waits?.operator ? { waits: waits.operator } : {}) };
    try {
      const paired = await pairFirstHere(origin, secret, context);
      await this.#note({ device_id: paired.device_id });
      say(`Paired: this machine is ${paired.name} (${paired.device_id}).`);
    } catch (error) {
      if (!(error instanceof LocalError) || error.code !== 'edge_has_workstations') throw error;
      await this.#endOperator(origin);
      throw error;
    }
    return origin;
  }

  /** Takes the operator secret away, also one that was left there, and sees the edge refuse it. */
  async #endOperator(origin: string): Promise<void> {
    const { worker } = this.#facts;
    const { stateDir, say, waits } = this.#options;
    const store = await openSecrets(stateDir, { env: this.#env });
    const secret = await keptOperatorSecret(store);
    await dropSecret(worker, 'OPERATOR_SECRET', this.#lookAgainMs);
    if (secret !== undefined) {
      const context = { environment: this.#env, ...(waits?.operator ? { waits: waits.operator } : {}) };
      await proveDead(origin, secret, context);
      await forgetOperatorSecret(store);
      say('The operator secret was removed, and the edge refuses it.');
    }
    await this.#note({ operator: 'dead' });
  }

  /** An authenticated read, signed by this machine: the edge knows it, and lists it. */
  async #readAsDevice(): Promise<string> {
    const { device, signer } = await openIdentity(this.#options.stateDir);
    const answer = await requestAsDevice(device.edge_origin, signer, { method: 'GET', path: '/devices' }, this.#env);
    const isListed =
      answer.status === 200 &&
      Value.Check(DeviceList, answer.body) &&
      answer.body.devices.some(({ device_id }) => device_id === device.device_id);
    if (isListed) return device.device_id;
    throw new LocalError(
      'device_unknown',
      `The edge does not list this machine (${device.device_id}); it answered ${answer.status}.`,
      'Run `herdr-mcp doctor`; if the device was revoked, pair this machine again.',
    );
  }

  async #wait(what: string, look: () => Promise<string | undefined>): Promise<void> {
    const { everyMs, withinMs } = this.#options.waits?.probe ?? { everyMs: PROBE_MS, withinMs: PROBE_MS_MAX };
    const wrong = await until(look, everyMs, withinMs);
    if (wrong !== undefined) {
      throw new LocalError(
        'edge_not_ready',
        `It was waited for: ${what}; it did not come about: ${wrong}.`,
        'A new address may take some minutes. Run the same command again; it goes on from here.',
      );
    }
    this.#options.say(`Seen: ${what}.`);
  }
}

/** What a failed program said last. */
const lastLines = (text: string): string => text.trim().split('\n').slice(-12).join('\n');
