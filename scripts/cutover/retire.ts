/**
 * Taking an old address away once nobody uses it any more. In this order: see that no connector, automation client or
 * workstation uses it → write down the intent → deploy without it → see that every other one is as it was → detach its
 * domain, when it is one. What fails after the deploy puts the version of before back; killed, it is run again.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Static, TSchema } from 'typebox';
import * as Type from 'typebox';
import * as Value from 'typebox/value';
import { AutomationList, ConnectorList, DeviceList } from '../../contract/fleet/index.ts';
import { openIdentity, refusedByEdge, requestAsDevice } from '../../link/identity/index.ts';
import { LocalError } from '../../local/error/index.ts';
import { identity, Journal, READ_AGAIN_MS, type WorkerAt } from '../cloudflare/index.ts';
import { type DeployJournal, deployJournal } from '../deploy/index.ts';
import { detach, domainAt } from './domain.ts';
import { expectWell } from './facts.ts';
import { cutoverJournal } from './journal.ts';
import { WATCH_MS, WATCH_MS_MAX } from './limits.ts';
import { deployWith, serveAgain } from './serving.ts';
import type { CutoverEnd, CutoverOptions } from './types.ts';
import { usersIn } from './users.ts';
import { greenInARow, knownAt } from './verify.ts';

const Retiring = Type.Object({
  schema: Type.Literal(1),
  origin: Type.String(),
  /** Under which the deploy without it is found again. */
  tag: Type.String(),
  before: Type.Object({ origins: Type.Array(Type.String()), version: Type.String() }),
  stage: Type.Union([Type.Literal('deploying'), Type.Literal('detaching'), Type.Literal('done'), Type.Literal('back')]),
});
type Retiring = Static<typeof Retiring>;

interface Question {
  options: CutoverOptions;
  deployed: DeployJournal;
  worker: WorkerAt;
  hostname: string;
  dryRun: boolean;
}

export async function retire({ options, deployed, worker, hostname, dryRun }: Question): Promise<CutoverEnd> {
  const { stateDir, env, say, waits } = options;
  const origin = `https://${hostname}`;
  const journal = new Journal(join(stateDir, 'deploy', 'retire.json'), Retiring);
  const begun = await journal.read();
  const open = begun?.origin === origin && ['deploying', 'detaching'].includes(begun.stage) ? begun : undefined;
  if (!open && !deployed.origins.includes(origin)) {
    if (begun?.origin === origin && begun.stage === 'done') return 'RETIRED';
    throw new LocalError('no_such_address', `${origin} is no address of this edge. Nothing was changed.`, LIST);
  }
  if (deployed.origins[0] === origin) {
    throw new LocalError(
      'advertised_address',
      `${origin} is the address that this edge tells new connectors. Nothing was changed.`,
      'Put another one beside it first: npm run cutover -- run <hostname>',
    );
  }
  if (!open) {
    const users = await usersOf(options, origin);
    if (users.length > 0) throw stillUsed(origin, users);
    if (dryRun) {
      say(`Nobody uses ${origin} any more. Without --dry-run it is taken away.`);
      return 'READY';
    }
  }
  const lookAgainMs = waits?.lookAgainMs ?? READ_AGAIN_MS;
  const { everyMs, withinMs } = waits?.watch ?? { everyMs: WATCH_MS, withinMs: WATCH_MS_MAX };
  const going = open ?? (await began(worker, deployed, origin));
  const rest = going.before.origins.filter((one) => one !== origin);
  const note = (stage: Retiring['stage']) => journal.write({ ...going, stage });
  await note('deploying');
  try {
    await deployWith(options, worker, going.tag, rest);
    for (const one of rest) {
      await expectWell(one, greenInARow(identity(one, env), 1, everyMs, withinMs));
      await expectWell(one, greenInARow(knownAt(stateDir, one, env), 1, everyMs, withinMs));
    }
  } catch (error) {
    if (!(error instanceof LocalError)) throw error;
    say(error.sentence);
    await serveAgain(worker, going.before.version, lookAgainMs);
    await note('back');
    return 'ROLLBACK_COMPLETE';
  }
  await note('detaching');
  await deployJournal(stateDir).write({ ...deployed, origins: rest });
  const cutover = await cutoverJournal(stateDir).read();
  if (cutover?.stage === 'green') await cutoverJournal(stateDir).write({ ...cutover, stage: 'retired' });
  if (await domainAt(worker, hostname)) await detach(worker, hostname, lookAgainMs);
  await note('done');
  say(`${origin} is taken away; ${rest.join(', ')} ${rest.length === 1 ? 'serves' : 'serve'}.`);
  return 'RETIRED';
}

async function began(worker: WorkerAt, { origins }: DeployJournal, origin: string): Promise<Retiring> {
  const serving = await worker.serving();
  if (!serving) throw new LocalError('not_serving', `The Worker ${worker.name} serves nothing.`, 'npm run deploy');
  const tag = `hm-${randomBytes(8).toString('hex')}`;
  return { schema: 1, origin, tag, before: { origins, version: serving.version }, stage: 'deploying' };
}

async function usersOf({ stateDir, env }: Pick<CutoverOptions, 'stateDir' | 'env'>, origin: string): Promise<string[]> {
  const { device, signer } = await openIdentity(stateDir);
  const ask = async <S extends TSchema>(schema: S, path: string): Promise<Static<S>> => {
    const answer = await requestAsDevice(device.edge_origin, signer, { method: 'GET', path }, env);
    if (answer.status === 200 && Value.Check(schema, answer.body)) return answer.body as Static<S>;
    throw refusedByEdge(answer, `Who uses ${origin} could not be read, so nothing was changed`);
  };
  const { connectors } = await ask(ConnectorList, '/connectors');
  const { automations } = await ask(AutomationList, '/automations');
  const { devices } = await ask(DeviceList, '/devices');
  return usersIn(origin, { devices, connectors, automations });
}

const stillUsed = (origin: string, users: readonly string[]) =>
  new LocalError(
    'address_in_use',
    `${origin} is still used, so it goes on serving and nothing was changed:\n${users.map((user) => `  ${user}`).join('\n')}`,
    'An app goes over when it is connected anew with the new address. Run this again when none of them is left.',
  );

const LIST = 'npm run cutover -- status shows the addresses.';
